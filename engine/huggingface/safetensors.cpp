#include "engine/huggingface/safetensors.h"

#include "engine/base/byte_order.h"
#include "engine/base/checked_math.h"

#include <algorithm>
#include <array>
#include <format>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace engine {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000; // the format's own limit
constexpr std::size_t kMostRank = 8;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48U;

constexpr std::array kTypes = {
    SafetensorsType{"F64", 64, DType::F64},      SafetensorsType{"F32", 32, DType::F32},
    SafetensorsType{"F16", 16, DType::F16},      SafetensorsType{"BF16", 16, DType::BF16},
    SafetensorsType{"I64", 64, DType::I64},      SafetensorsType{"I32", 32, DType::I32},
    SafetensorsType{"I16", 16, DType::I16},      SafetensorsType{"I8", 8, DType::I8},
    SafetensorsType{"U8", 8, std::nullopt},      SafetensorsType{"U16", 16, std::nullopt},
    SafetensorsType{"U32", 32, std::nullopt},    SafetensorsType{"U64", 64, std::nullopt},
    SafetensorsType{"BOOL", 8, std::nullopt},    SafetensorsType{"C64", 64, std::nullopt},
    SafetensorsType{"F8_E4M3", 8, std::nullopt}, SafetensorsType{"F8_E5M2", 8, std::nullopt},
    SafetensorsType{"F8_E8M0", 8, std::nullopt}, SafetensorsType{"F6_E2M3", 6, std::nullopt},
    SafetensorsType{"F6_E3M2", 6, std::nullopt}, SafetensorsType{"F4", 4, std::nullopt},
};

std::unexpected<Error> corrupt(std::string message)
{
    return fail(ErrorCode::FileCorrupt, std::move(message));
}

std::unexpected<Error> badTensor(std::string_view name, std::string_view what)
{
    return fail(ErrorCode::BadTensor, std::format("tensor {}: {}", name, what), std::string(name));
}

struct HeaderEntry {
    std::string name{};
    std::string type{};
    std::vector<std::uint64_t> shape{};
    std::vector<std::uint64_t> offsets{};
};

/// Takes exactly {name: {"dtype": string, "shape": [...], "data_offsets": [...]}} and
/// {"__metadata__": {string: string}}; anything else ends the parse. Never holds more than the
/// entries themselves.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
public:
    std::vector<HeaderEntry> takeEntries() { return std::move(m_entries); }
    const std::string& problem() const { return m_problem; }

    bool null() override { return refuse("a null"); }
    bool boolean(bool) override { return refuse("a bool"); }
    bool number_integer(number_integer_t) override { return refuse("a negative number"); }
    bool number_float(number_float_t, const string_t&) override { return refuse("a fraction"); }
    bool binary(binary_t&) override { return refuse("binary data"); }

    bool number_unsigned(number_unsigned_t value) override
    {
        if (m_numbers == nullptr) return refuse("a number");
        if (m_numbers->size() >= kMostRank) return refuse("a longer list");
        m_numbers->push_back(value);
        return true;
    }

    bool string(string_t& value) override
    {
        if (m_place == Place::Metadata) return true;
        if (m_place != Place::Tensor || m_key != "dtype") return refuse("a string");
        m_entries.back().type = std::move(value);
        return true;
    }

    bool start_object(std::size_t) override
    {
        switch (m_place) {
        case Place::Outside:
            m_place = Place::Root;
            return true;
        case Place::Root:
            m_place = m_key == "__metadata__" ? Place::Metadata : Place::Tensor;
            m_seen = 0;
            if (m_place == Place::Tensor) m_entries.push_back({.name = m_key});
            return true;
        default:
            return refuse("a nested object");
        }
    }

    bool key(string_t& value) override
    {
        if (m_place == Place::Root && !m_names.insert(value).second)
            return refuse(std::format("\"{}\" twice", value));
        m_key = std::move(value);
        if (m_place != Place::Tensor) return true;
        static constexpr std::array<std::string_view, 3> kMembers = {"dtype", "shape",
                                                                     "data_offsets"};
        const auto* const member = std::ranges::find(kMembers, m_key);
        if (member == kMembers.end()) return refuse(std::format("the member \"{}\"", m_key));
        const unsigned bit = 1U << static_cast<unsigned>(member - kMembers.begin());
        if ((m_seen & bit) != 0) return refuse(std::format("the member \"{}\" twice", m_key));
        m_seen |= bit;
        return true;
    }

    bool end_object() override
    {
        if (m_place == Place::Tensor && m_seen != 7) return refuse("a tensor that lacks a member");
        m_place = m_place == Place::Root ? Place::Outside : Place::Root;
        return true;
    }

    bool start_array(std::size_t) override
    {
        if (m_place != Place::Tensor || m_key == "dtype" || m_numbers != nullptr)
            return refuse("a list");
        m_numbers = m_key == "shape" ? &m_entries.back().shape : &m_entries.back().offsets;
        return true;
    }

    bool end_array() override
    {
        m_numbers = nullptr;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override
    {
        if (m_problem.empty()) m_problem = std::format("no JSON at byte {}", position);
        return false;
    }

private:
    enum class Place : std::uint8_t { Outside, Root, Metadata, Tensor };

    bool refuse(std::string_view found)
    {
        m_problem = std::format("found {}", found);
        return false;
    }

    std::vector<HeaderEntry> m_entries;
    std::unordered_set<std::string> m_names;
    std::vector<std::uint64_t>* m_numbers = nullptr; // the list being read
    std::string m_key;
    std::string m_problem;
    unsigned m_seen = 0; // members of the tensor, a bit each
    Place m_place = Place::Outside;
};

Result<SafetensorsEntry> checkEntry(HeaderEntry entry, std::span<const std::byte> data)
{
    const SafetensorsType* type = findSafetensorsType(entry.type);
    if (type == nullptr)
        return fail(ErrorCode::UnsupportedType,
                    std::format("tensor {}: unknown type {}", entry.name, entry.type), entry.type);
    SafetensorsEntry checked{.name = std::move(entry.name), .type = type};
    std::uint64_t elements = 1;
    for (const std::uint64_t dimension : entry.shape) {
        // A dimension of 0 makes any other fit the product.
        const auto product = checkedMultiply(elements, dimension);
        if (dimension >= kMostElements || !product || *product >= kMostElements)
            return badTensor(checked.name,
                             std::format("expected fewer than {} elements", kMostElements));
        elements = *product;
        checked.shape.push_back(static_cast<std::int64_t>(dimension));
    }
    if (entry.offsets.size() != 2 || entry.offsets[0] > entry.offsets[1])
        return badTensor(checked.name, "expected data_offsets [begin, end]");
    const std::uint64_t bits = elements * type->bits; // fits: 2^48 * 64
    const std::uint64_t bytes = entry.offsets[1] - entry.offsets[0];
    if (bits % 8 != 0 || bits / 8 != bytes)
        return badTensor(checked.name, std::format("expected {} bytes for its shape and type {}, "
                                                   "found {}",
                                                   bits / 8, type->name, bytes));
    if (entry.offsets[1] > data.size())
        return fail(ErrorCode::FileTruncated,
                    std::format("tensor {}: the file is incomplete: expected {} bytes of data, "
                                "found {}",
                                checked.name, entry.offsets[1], data.size()),
                    checked.name, entry.offsets[1], data.size());
    checked.data = data.subspan(entry.offsets[0], bytes);
    return checked;
}

// The tensors lie one after another from the first byte of the data to the last.
Result<void> checkCoverage(std::span<const SafetensorsEntry> entries,
                           std::span<const std::byte> data)
{
    std::vector<const SafetensorsEntry*> byOffset;
    byOffset.reserve(entries.size());
    for (const SafetensorsEntry& entry : entries)
        byOffset.push_back(&entry);
    const auto place = [&data](const SafetensorsEntry* entry) {
        return std::pair(entry->data.data() - data.data(), entry->data.size());
    };
    std::ranges::sort(byOffset, {}, place);
    const std::byte* end = data.data();
    for (const SafetensorsEntry* entry : byOffset) {
        if (entry->data.data() != end)
            return badTensor(entry->name, entry->data.data() < end
                                              ? "overlaps another tensor"
                                              : "bytes before it belong to no tensor");
        end += entry->data.size();
    }
    const auto covered = static_cast<std::uint64_t>(end - data.data());
    if (covered != data.size())
        return corrupt(std::format("expected {} bytes of tensors, found {}", covered, data.size()));
    return {};
}

} // namespace

const SafetensorsType* findSafetensorsType(std::string_view name)
{
    for (const SafetensorsType& type : kTypes) {
        if (type.name == name) return &type;
    }
    return nullptr;
}

Result<std::vector<SafetensorsEntry>> readSafetensors(std::span<const std::byte> file)
{
    if (file.size() < kLengthBytes)
        return fail(ErrorCode::FileTruncated,
                    std::format("expected at least {} bytes, found {}", kLengthBytes, file.size()),
                    {}, kLengthBytes, file.size());
    const auto headerBytes = loadLittle<std::uint64_t>(file.data());
    if (headerBytes > kMostHeaderBytes)
        return corrupt(std::format("expected a header of at most {} bytes, found {}",
                                   kMostHeaderBytes, headerBytes));
    const std::uint64_t dataBegin = kLengthBytes + headerBytes;
    if (dataBegin > file.size())
        return fail(ErrorCode::FileTruncated,
                    std::format("the file is incomplete: expected {} bytes, found {}", dataBegin,
                                file.size()),
                    {}, dataBegin, file.size());
    const auto* begin = reinterpret_cast<const char*>(file.data()) + kLengthBytes;
    HeaderHandler handler;
    if (!nlohmann::json::sax_parse(begin, begin + headerBytes, &handler))
        return corrupt(std::format("the header: expected tensors, {}", handler.problem()));
    const auto data = file.subspan(dataBegin);
    std::vector<SafetensorsEntry> entries;
    for (HeaderEntry& entry : handler.takeEntries()) {
        TRY_ASSIGN(SafetensorsEntry checked, checkEntry(std::move(entry), data));
        entries.push_back(std::move(checked));
    }
    TRY(checkCoverage(entries, data));
    return entries;
}

} // namespace engine
