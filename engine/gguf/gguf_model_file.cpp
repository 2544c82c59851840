#include "engine/gguf/gguf_model_file.h"

#include "engine/gguf/big_endian.h"
#include "engine/gguf/gguf_format.h"
#include "engine/gguf/gguf_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>

namespace engine {

namespace {

struct Part {
    std::filesystem::path path;
    MappedFile file;
    GgufHeader header;
};

/// By the endings that programs give a file while they download it.
bool isUnfinished(const std::filesystem::path& path)
{
    constexpr std::array<std::string_view, 7> kEndings = {
        ".part", ".partial", ".crdownload", ".download", ".incomplete", ".aria2", ".tmp"};
    return std::ranges::contains(kEndings, path.extension().string());
}

Result<Part> openPart(const std::filesystem::path& path)
{
    TRY_ASSIGN(MappedFile file, MappedFile::open(path));
    auto header = readGgufHeader(file.bytes());
    if (!header) {
        Error error = std::move(header).error();
        error.message = std::format("{}: {}", path.filename().string(), error.message);
        if (error.code == ErrorCode::FileTruncated && isUnfinished(path))
            error.message += "; its name says that its download has not finished";
        if (error.subject.empty() && error.code != ErrorCode::NotAModelFile)
            error.subject = path.filename().string();
        return std::unexpected(std::move(error));
    }
    return Part{path, std::move(file), std::move(*header)};
}

std::unexpected<Error> badSet(const std::filesystem::path& path, std::string_view what)
{
    return fail(ErrorCode::FileCorrupt, std::format("{}: {}", path.filename().string(), what),
                path.filename().string());
}

/// The places of the two numbers in NAME-00001-of-00003.gguf.
struct SplitName {
    std::string prefix;
    std::int64_t number = 0; ///< from 1
    std::int64_t count = 0;
};

std::filesystem::path partPath(const std::filesystem::path& folder, const SplitName& name,
                               std::int64_t number)
{
    return folder / std::format("{}-{:05}-of-{:05}.gguf", name.prefix, number, name.count);
}

std::optional<std::int64_t> fiveDigits(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<SplitName> parseSplitName(const std::filesystem::path& path)
{
    constexpr std::string_view kPattern = "-00000-of-00000.gguf";
    const std::string name = path.filename().string();
    if (name.size() <= kPattern.size()) return std::nullopt;
    const std::string_view suffix = std::string_view(name).substr(name.size() - kPattern.size());
    if (suffix[0] != '-' || suffix.substr(6, 4) != "-of-" || suffix.substr(15) != ".gguf")
        return std::nullopt;
    const auto number = fiveDigits(suffix.substr(1, 5));
    const auto count = fiveDigits(suffix.substr(10, 5));
    if (!number || !count) return std::nullopt;
    return SplitName{name.substr(0, name.size() - kPattern.size()), *number, *count};
}

/// 1 for a file that is no part of a set.
Result<std::int64_t> splitCount(const Part& part)
{
    if (!part.header.metadata.contains("split.count")) return 1;
    TRY_ASSIGN(const std::int64_t count, part.header.metadata.integer("split.count"));
    if (count < 1 || count > static_cast<std::int64_t>(GgufLimits::kSplitParts))
        return badSet(part.path, std::format("split.count: expected 1 to {}, found {}",
                                             GgufLimits::kSplitParts, count));
    return count;
}

Result<void> checkPart(const Part& part, std::int64_t number, std::int64_t count, const Part& first)
{
    TRY_ASSIGN(const std::int64_t ownCount, splitCount(part));
    const std::int64_t ownNumber = part.header.metadata.integerOr("split.no", -1);
    if (ownCount != count || ownNumber != number)
        return badSet(part.path,
                      std::format("expected part {} of {}, found split.no {} and split.count {}",
                                  number + 1, count, ownNumber, ownCount));
    const std::string architecture = first.header.metadata.stringOr("general.architecture", "");
    const std::string own = part.header.metadata.stringOr("general.architecture", architecture);
    if (own != architecture)
        return badSet(part.path, std::format("expected a part of the same model, architecture "
                                             "\"{}\", found \"{}\"",
                                             architecture, own));
    return {};
}

Result<std::vector<Part>> openSet(Part opened, std::int64_t count)
{
    const auto name = parseSplitName(opened.path);
    if (!name || name->count != count)
        return badSet(opened.path, std::format("is a part of {}; expected a name that ends with "
                                               "-00001-of-{:05}.gguf",
                                               count, count));
    std::vector<Part> parts;
    const std::filesystem::path folder = opened.path.parent_path();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::filesystem::path path = partPath(folder, *name, i + 1);
        if (i + 1 == name->number) {
            // NOLINTNEXTLINE(bugprone-use-after-move): for one i alone
            parts.push_back(std::move(opened));
        } else {
            auto part = openPart(path);
            if (!part && part.error().code == ErrorCode::FileNotFound)
                return fail(ErrorCode::FileNotFound,
                            std::format("part {} of {} is missing: {}", i + 1, count,
                                        path.filename().string()),
                            path.filename().string(), static_cast<std::uint64_t>(count));
            if (!part) return std::unexpected(std::move(part).error());
            parts.push_back(std::move(*part));
        }
        TRY(checkPart(parts.back(), i, count, parts.front()));
    }
    const auto expected = parts.front().header.metadata.integerOr("split.tensors.count", -1);
    std::int64_t found = 0;
    for (const Part& part : parts)
        found += static_cast<std::int64_t>(part.header.tensors.size());
    if (expected >= 0 && expected != found)
        return badSet(parts.front().path,
                      std::format("split.tensors.count: expected {} tensors in all parts, found {}",
                                  expected, found));
    return parts;
}

Result<void> addTensors(ModelFile& model, Part part)
{
    const GgufHeader& header = part.header;
    const MappedFile& file = model.adopt(std::move(part.file));
    for (const GgufTensorInfo& info : header.tensors) {
        const auto source = file.bytes().subspan(header.dataOffset + info.offset, info.sizeBytes);
        const std::byte* data = source.data();
        if (header.bigEndian) {
            const std::span<std::byte> copy = model.allocate(source.size());
            std::ranges::copy(source, copy.begin());
            swapTensorBytes(info.dtype, copy);
            file.drop(source);
            data = copy.data();
        }
        if (!model.add({.name = info.name,
                        .dtype = info.dtype,
                        .shape = info.shape,
                        .rank = info.rank,
                        .data = data,
                        .sizeBytes = info.sizeBytes}))
            return badSet(part.path, std::format("tensor {} is in another part too", info.name));
    }
    return {};
}

} // namespace

Result<ModelFile> openGgufModel(const std::filesystem::path& path)
{
    TRY_ASSIGN(Part opened, openPart(path));
    TRY_ASSIGN(const std::int64_t count, splitCount(opened));
    std::vector<Part> parts;
    if (count == 1) {
        parts.push_back(std::move(opened));
    } else {
        TRY_ASSIGN(parts, openSet(std::move(opened), count));
    }
    ModelFile model;
    model.mutableMetadata() = std::move(parts.front().header.metadata);
    for (Part& part : parts)
        TRY(addTensors(model, std::move(part)));
    return model;
}

} // namespace engine
