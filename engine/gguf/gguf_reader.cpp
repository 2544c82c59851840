#include "engine/gguf/gguf_reader.h"

#include "engine/base/checked_math.h"
#include "engine/gguf/gguf_cursor.h"
#include "engine/gguf/gguf_format.h"
#include "engine/model/foreign_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <format>
#include <unordered_set>
#include <utility>

namespace engine {

namespace {

bool isPrintableAscii(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::unexpected<Error> badKey(std::string_view key, std::string_view what)
{
    return fail(ErrorCode::BadMetadata, std::format("{}: {}", key, what), std::string(key));
}

std::unexpected<Error> badTensor(std::string_view name, std::string_view what)
{
    return fail(ErrorCode::BadTensor, std::format("tensor {}: {}", name, what), std::string(name));
}

// --- magic, version, counts ------------------------------------------------------------------

Result<void> readMagicAndVersion(GgufCursor& cursor, GgufHeader& header,
                                 std::span<const std::byte> file)
{
    if (file.empty()) return fail(ErrorCode::FileTruncated, "the file is empty");
    const std::size_t compared = std::min(file.size(), kGgufMagic.size());
    if (compared > 0 && std::memcmp(file.data(), kGgufMagic.data(), compared) != 0) {
        const std::string_view found = describeForeignFile(file);
        return fail(
            ErrorCode::NotAModelFile,
            std::format("expected a GGUF file, found {}", found.empty() ? "something else" : found),
            std::string(found));
    }
    TRY(cursor.take(kGgufMagic.size()));
    TRY_ASSIGN(const auto stored, cursor.number<std::uint32_t>());
    // A version is a small number; seen in the wrong order its low half is zero.
    header.bigEndian = stored != 0 && (stored & 0xFFFFU) == 0;
    header.version = header.bigEndian ? std::byteswap(stored) : stored;
    const bool known =
        header.bigEndian ? header.version == 3 : header.version >= 1 && header.version <= 3;
    if (!known)
        return fail(ErrorCode::UnsupportedVersion,
                    std::format("expected GGUF version 1, 2 or 3, found {}{}", header.version,
                                header.bigEndian ? " (big-endian)" : ""),
                    std::to_string(header.version), 3, header.version);
    cursor.setBigEndian(header.bigEndian);
    cursor.setWideLengths(header.version > 1);
    return {};
}

Result<std::uint64_t> readCount(GgufCursor& cursor, std::string_view what, std::uint64_t most)
{
    cursor.setSubject(what);
    TRY_ASSIGN(const std::uint64_t count, cursor.length());
    if (count > most)
        return fail(ErrorCode::FileCorrupt,
                    std::format("{}: expected at most {}, found {}", what, most, count),
                    std::string(what), most, count);
    return count;
}

// --- keys and values -------------------------------------------------------------------------

Result<const GgufValueTypeInfo*> readValueType(GgufCursor& cursor)
{
    TRY_ASSIGN(const auto id, cursor.number<std::uint32_t>());
    if (id >= kGgufValueTypes.size())
        return badKey(cursor.subject(), std::format("unknown value type {}", id));
    return &kGgufValueTypes[id];
}

// Numbers by their width, widened.
std::uint64_t decodeUnsigned(const GgufCursor& cursor, const std::byte* bytes, std::uint32_t width)
{
    switch (width) {
    case 1:
        return cursor.decode<std::uint8_t>(bytes);
    case 2:
        return cursor.decode<std::uint16_t>(bytes);
    case 4:
        return cursor.decode<std::uint32_t>(bytes);
    default:
        return cursor.decode<std::uint64_t>(bytes);
    }
}

std::int64_t decodeSigned(const GgufCursor& cursor, const std::byte* bytes, std::uint32_t width)
{
    switch (width) {
    case 1:
        return cursor.decode<std::int8_t>(bytes);
    case 2:
        return cursor.decode<std::int16_t>(bytes);
    case 4:
        return cursor.decode<std::int32_t>(bytes);
    default:
        return cursor.decode<std::int64_t>(bytes);
    }
}

double decodeFloat(const GgufCursor& cursor, const std::byte* bytes, std::uint32_t width)
{
    return width == 4 ? static_cast<double>(cursor.decode<float>(bytes))
                      : cursor.decode<double>(bytes);
}

bool decodeBool(const GgufCursor&, const std::byte* bytes, std::uint32_t)
{
    return *bytes != std::byte{0};
}

template <auto decode>
MetadataValue decodeAll(const GgufCursor& cursor, std::span<const std::byte> bytes,
                        std::uint32_t width)
{
    using Value = decltype(decode(cursor, bytes.data(), width));
    std::vector<Value> values(bytes.size() / width);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = decode(cursor, bytes.data() + i * width, width);
    return values;
}

MetadataValue decodeNumbers(const GgufCursor& cursor, std::span<const std::byte> bytes,
                            const GgufValueTypeInfo& type)
{
    switch (type.kind) {
    case GgufValueKind::Unsigned:
        return decodeAll<decodeUnsigned>(cursor, bytes, type.bytes);
    case GgufValueKind::Signed:
        return decodeAll<decodeSigned>(cursor, bytes, type.bytes);
    case GgufValueKind::Float:
        return decodeAll<decodeFloat>(cursor, bytes, type.bytes);
    default:
        return decodeAll<decodeBool>(cursor, bytes, type.bytes);
    }
}

MetadataValue decodeNumber(const GgufCursor& cursor, const std::byte* bytes,
                           const GgufValueTypeInfo& type)
{
    switch (type.kind) {
    case GgufValueKind::Unsigned:
        return decodeUnsigned(cursor, bytes, type.bytes);
    case GgufValueKind::Signed:
        return decodeSigned(cursor, bytes, type.bytes);
    case GgufValueKind::Float:
        return decodeFloat(cursor, bytes, type.bytes);
    default:
        return decodeBool(cursor, bytes, type.bytes);
    }
}

// Twice over the strings: the first time allocates nothing, so that a lie about the last one costs
// no memory.
Result<MetadataValue> readStrings(GgufCursor& cursor, std::uint64_t count)
{
    const std::uint64_t begin = cursor.position();
    for (std::uint64_t i = 0; i < count; ++i)
        TRY(cursor.text(GgufLimits::kStringBytes));
    cursor.seek(begin);
    std::vector<std::string> strings;
    strings.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        TRY_ASSIGN(const std::string_view text, cursor.text(GgufLimits::kStringBytes));
        strings.emplace_back(text);
    }
    return strings;
}

Result<MetadataValue> readArray(GgufCursor& cursor)
{
    TRY_ASSIGN(const GgufValueTypeInfo* type, readValueType(cursor));
    if (type->kind == GgufValueKind::Array)
        return badKey(cursor.subject(), "expected an array of plain values, found one of arrays");
    TRY_ASSIGN(const std::uint64_t count, cursor.length());
    const bool strings = type->kind == GgufValueKind::String;
    const std::uint64_t leastBytes = strings ? cursor.lengthBytes() : type->bytes;
    if (count > cursor.bytesLeft() / leastBytes)
        return cursor.truncated(checkedMultiply(count, leastBytes).value_or(UINT64_MAX));
    if (count > GgufLimits::kArrayElements)
        return fail(ErrorCode::FileCorrupt,
                    std::format("{}: expected an array of at most {} elements, found {}",
                                cursor.subject(), GgufLimits::kArrayElements, count),
                    std::string(cursor.subject()), GgufLimits::kArrayElements, count);
    if (strings) return readStrings(cursor, count);
    TRY_ASSIGN(const auto bytes, cursor.take(count * type->bytes));
    return decodeNumbers(cursor, bytes, *type);
}

Result<MetadataValue> readValue(GgufCursor& cursor)
{
    TRY_ASSIGN(const GgufValueTypeInfo* type, readValueType(cursor));
    if (type->kind == GgufValueKind::Array) return readArray(cursor);
    if (type->kind == GgufValueKind::String) {
        TRY_ASSIGN(const std::string_view text, cursor.text(GgufLimits::kStringBytes));
        return std::string(text);
    }
    TRY_ASSIGN(const auto bytes, cursor.take(type->bytes));
    return decodeNumber(cursor, bytes.data(), *type);
}

Result<void> readKeys(GgufCursor& cursor, std::uint64_t count, Metadata& metadata)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        cursor.setSubject("a key");
        TRY_ASSIGN(const std::string_view key, cursor.text(GgufLimits::kKeyBytes));
        if (key.empty() || !isPrintableAscii(key))
            return fail(ErrorCode::FileCorrupt,
                        std::format("key {}: expected printable ASCII, found {}", i,
                                    key.empty() ? "nothing" : "other bytes"));
        cursor.setSubject(key);
        TRY_ASSIGN(MetadataValue value, readValue(cursor));
        if (!metadata.insert(std::string(key), std::move(value)))
            return badKey(key, "expected once, found twice");
    }
    return {};
}

Result<std::uint64_t> readAlignment(const Metadata& metadata)
{
    const MetadataValue* value = metadata.find(kGgufAlignmentKey);
    if (value == nullptr) return kGgufDefaultAlignment;
    const auto* alignment = std::get_if<std::uint64_t>(value);
    if (alignment == nullptr) return badKey(kGgufAlignmentKey, "expected an unsigned integer");
    if (!std::has_single_bit(*alignment) || *alignment > GgufLimits::kAlignment)
        return badKey(kGgufAlignmentKey, std::format("expected a power of two up to {}, found {}",
                                                     GgufLimits::kAlignment, *alignment));
    return *alignment;
}

// --- tensor infos ----------------------------------------------------------------------------

Result<std::string_view> readTensorName(GgufCursor& cursor, std::uint64_t index)
{
    cursor.setSubject("a tensor's name");
    TRY_ASSIGN(const std::string_view name, cursor.text(GgufLimits::kTensorNameBytes));
    if (name.empty() || !isPrintableAscii(name) || name.contains('/'))
        return fail(ErrorCode::FileCorrupt,
                    std::format("tensor {}: expected a name in printable ASCII without \"/\", "
                                "found {}",
                                index, name.empty() ? "nothing" : "other bytes"));
    return name;
}

/// Returns the number of elements.
Result<std::uint64_t> readShape(GgufCursor& cursor, GgufTensorInfo& tensor)
{
    TRY_ASSIGN(const auto rank, cursor.number<std::uint32_t>());
    if (rank < 1 || rank > GgufLimits::kRank)
        return badTensor(tensor.name, std::format("expected 1 to {} dimensions, found {}",
                                                  GgufLimits::kRank, rank));
    tensor.rank = static_cast<int>(rank);
    std::uint64_t elements = 1;
    for (std::uint32_t i = 0; i < rank; ++i) {
        TRY_ASSIGN(const std::uint64_t dimension, cursor.length());
        if (dimension < 1 || dimension > GgufLimits::kDimension)
            return badTensor(tensor.name, std::format("expected dimensions from 1 to {}, found {}",
                                                      GgufLimits::kDimension, dimension));
        const auto product = checkedMultiply(elements, dimension);
        if (!product || *product >= GgufLimits::kElements)
            return badTensor(tensor.name, std::format("expected fewer than {} elements, found more",
                                                      GgufLimits::kElements));
        tensor.shape[i] = static_cast<std::int64_t>(dimension);
        elements = *product;
    }
    return elements;
}

Result<const DTypeInfo*> readDType(GgufCursor& cursor, const GgufTensorInfo& tensor)
{
    TRY_ASSIGN(const auto id, cursor.number<std::uint32_t>());
    const DTypeInfo* info = findDType(id);
    if (info == nullptr)
        return fail(ErrorCode::UnsupportedType,
                    std::format("tensor {}: {}", tensor.name, describeDType(id)),
                    describeDType(id));
    return info;
}

Result<GgufTensorInfo> readTensor(GgufCursor& cursor, std::string_view name,
                                  std::uint64_t alignment)
{
    GgufTensorInfo tensor;
    tensor.name = name;
    cursor.setSubject(name);
    TRY_ASSIGN(const std::uint64_t elements, readShape(cursor, tensor));
    TRY_ASSIGN(const DTypeInfo* dtype, readDType(cursor, tensor));
    TRY_ASSIGN(tensor.offset, cursor.number<std::uint64_t>());
    if (static_cast<std::uint64_t>(tensor.shape[0]) % dtype->blockElements != 0)
        return badTensor(name, std::format("expected rows of whole {} blocks of {} elements, "
                                           "found rows of {}",
                                           dtype->name, dtype->blockElements, tensor.shape[0]));
    if (tensor.offset % alignment != 0)
        return badTensor(name, std::format("expected an offset that is a multiple of {}, found {}",
                                           alignment, tensor.offset));
    const auto size = checkedMultiply(elements / dtype->blockElements, dtype->blockBytes);
    if (!size) return badTensor(name, "its size in bytes does not fit 64 bits");
    tensor.dtype = dtype->type;
    tensor.sizeBytes = *size;
    return tensor;
}

Result<void> readTensors(GgufCursor& cursor, std::uint64_t count, std::uint64_t alignment,
                         std::vector<GgufTensorInfo>& tensors)
{
    std::unordered_set<std::string_view> names; // they lie in the file
    for (std::uint64_t i = 0; i < count; ++i) {
        TRY_ASSIGN(const std::string_view name, readTensorName(cursor, i));
        if (!names.insert(name).second) return badTensor(name, "expected once, found twice");
        TRY_ASSIGN(GgufTensorInfo tensor, readTensor(cursor, name, alignment));
        tensors.push_back(std::move(tensor));
    }
    return {};
}

// --- where the data lies ---------------------------------------------------------------------

// No two tensors share a byte, and the last one ends within the file. Gaps are allowed. Where the
// tensors follow each other without one but the file ends early, it was cut off.
Result<void> checkLayout(const GgufHeader& header, std::uint64_t fileBytes, std::uint64_t alignment)
{
    std::vector<const GgufTensorInfo*> byOffset;
    byOffset.reserve(header.tensors.size());
    for (const GgufTensorInfo& tensor : header.tensors)
        byOffset.push_back(&tensor);
    std::ranges::sort(byOffset, {}, [](const GgufTensorInfo* tensor) { return tensor->offset; });

    const std::uint64_t dataBytes =
        fileBytes > header.dataOffset ? fileBytes - header.dataOffset : 0;
    std::uint64_t end = 0;
    const GgufTensorInfo* outside = nullptr;
    bool gaps = false;
    for (const GgufTensorInfo* tensor : byOffset) {
        if (tensor->offset < end) return badTensor(tensor->name, "overlaps another tensor");
        gaps = gaps || checkedRoundUp(end, alignment) != tensor->offset;
        const auto tensorEnd = checkedAdd(tensor->offset, tensor->sizeBytes);
        if (!tensorEnd) return badTensor(tensor->name, "its end does not fit 64 bits");
        end = *tensorEnd;
        if (end > dataBytes && outside == nullptr) outside = tensor;
    }
    if (outside == nullptr) return {};
    const auto needed = checkedAdd(header.dataOffset, end);
    if (gaps || !needed)
        return badTensor(outside->name,
                         std::format("expected to end within the {} bytes of tensor data, found "
                                     "offset {} and {} bytes",
                                     dataBytes, outside->offset, outside->sizeBytes));
    return fail(
        ErrorCode::FileTruncated,
        std::format("the file is incomplete: expected {} bytes, found {}", *needed, fileBytes),
        outside->name, *needed, fileBytes);
}

} // namespace

Result<GgufHeader> readGgufHeader(std::span<const std::byte> file)
{
    GgufHeader header;
    GgufCursor cursor(file);
    TRY(readMagicAndVersion(cursor, header, file));
    TRY_ASSIGN(const std::uint64_t tensors,
               readCount(cursor, "the number of tensors", GgufLimits::kTensors));
    TRY_ASSIGN(const std::uint64_t keys,
               readCount(cursor, "the number of keys", GgufLimits::kKeys));
    TRY(readKeys(cursor, keys, header.metadata));
    TRY_ASSIGN(const std::uint64_t alignment, readAlignment(header.metadata));
    TRY(readTensors(cursor, tensors, alignment, header.tensors));
    header.dataOffset = checkedRoundUp(cursor.position(), alignment).value_or(file.size());
    TRY(checkLayout(header, file.size(), alignment));
    return header;
}

} // namespace engine
