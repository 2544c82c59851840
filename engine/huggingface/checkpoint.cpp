#include "engine/huggingface/checkpoint.h"

#include "engine/base/json_view.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <set>
#include <unordered_set>

namespace engine {

namespace {

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr std::uint64_t kMostIndexBytes = 64U << 20U;
constexpr std::int64_t kMostShards = 99'999;

bool isFile(const std::filesystem::path& path)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

std::unexpected<Error> noWeights(const std::filesystem::path& folder)
{
    for (const char* name : {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5",
                             "flax_model.msgpack"}) {
        if (isFile(folder / name))
            return fail(ErrorCode::NotAModelFile,
                        std::format("{}: expected {}, found only {}, a format that is not read; "
                                    "look for the same model in GGUF or safetensors",
                                    folder.filename().string(), kSingleFile, name),
                        "a model in a format that is not read");
    }
    return fail(ErrorCode::NotAModelFile,
                std::format("{}: expected weights beside config.json ({} or its parts), found none",
                            folder.filename().string(), kSingleFile),
                "a folder without weights");
}

struct Index {
    std::set<std::string> shards;
    std::vector<std::string> tensors;
};

Result<Index> readIndex(const std::filesystem::path& path)
{
    TRY_ASSIGN(const nlohmann::json json, readJsonFile(path, kMostIndexBytes));
    const auto* map = JsonView(json)["weight_map"].object();
    const auto corrupt = [](std::string_view what) {
        return fail(ErrorCode::FileCorrupt, std::format("{}: {}", kIndexFile, what),
                    std::string(kIndexFile));
    };
    if (map == nullptr || map->empty()) return corrupt("expected a weight_map with tensors");
    Index index;
    for (const auto& [tensor, file] : *map) {
        const std::string* shard = JsonView(file).string();
        if (shard == nullptr) return corrupt("expected file names in weight_map");
        // A file of this folder and of no other.
        if (shard->find_first_of("/\\") != std::string::npos || !shard->ends_with(".safetensors"))
            return corrupt(std::format("expected names of safetensors files in the same folder, "
                                       "found \"{}\"",
                                       *shard));
        index.shards.insert(*shard);
        index.tensors.push_back(tensor);
    }
    return index;
}

Result<void> addShard(const std::filesystem::path& path, ModelFile& model,
                      std::vector<SafetensorsEntry>& tensors)
{
    if (!isFile(path))
        return fail(ErrorCode::FileNotFound,
                    std::format("{} is missing; {} lists it", path.filename().string(), kIndexFile),
                    path.filename().string(), 1);
    TRY_ASSIGN(MappedFile file, MappedFile::open(path));
    const MappedFile& kept = model.adopt(std::move(file));
    auto entries = readSafetensors(kept.bytes());
    if (!entries) {
        Error error = std::move(entries).error();
        error.message = std::format("{}: {}", path.filename().string(), error.message);
        if (error.subject.empty()) error.subject = path.filename().string();
        return std::unexpected(std::move(error));
    }
    for (SafetensorsEntry& entry : *entries)
        tensors.push_back(std::move(entry));
    return {};
}

Result<std::unordered_set<std::string_view>> checkNames(std::span<const SafetensorsEntry> tensors)
{
    std::unordered_set<std::string_view> names;
    for (const SafetensorsEntry& tensor : tensors) {
        if (!names.insert(tensor.name).second)
            return fail(ErrorCode::BadTensor,
                        std::format("tensor {}: is in two files", tensor.name), tensor.name);
    }
    return names;
}

/// How many files make a checkpoint of which NAME-00001-of-00003.safetensors is one; 1 for other
/// names. Errors: FileNotFound that names one that is not there.
Result<std::int64_t> shardCount(const std::filesystem::path& folder, const std::string& name)
{
    const std::size_t of = name.rfind("-of-");
    const std::size_t dash = of == std::string::npos ? of : name.rfind('-', of - 1);
    if (dash == std::string::npos || dash >= of) return 1;
    std::int64_t count = 0;
    std::from_chars(name.data() + of + 4, name.data() + name.size(), count);
    for (std::int64_t i = 1; i <= std::min(count, kMostShards); ++i) {
        const std::string shard =
            std::format("{}-{:05}{}", name.substr(0, dash), i, name.substr(of));
        if (!isFile(folder / shard))
            return fail(ErrorCode::FileNotFound,
                        std::format("part {} of {} is missing: {}", i, count, shard), shard,
                        static_cast<std::uint64_t>(count));
    }
    return count;
}

/// model.safetensors; or the shards model-00001-of-00003.safetensors, all of them; or the only
/// safetensors file there is.
Result<std::vector<std::filesystem::path>> filesWithoutIndex(const std::filesystem::path& folder)
{
    if (isFile(folder / kSingleFile)) return std::vector{folder / kSingleFile};
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        // Mistral's folders hold the same weights a second time under other names.
        const bool other = name.starts_with("adapter_") || name.starts_with("consolidated");
        if (name.ends_with(".safetensors") && !other) files.push_back(entry.path());
    }
    if (files.empty()) return noWeights(folder);
    std::ranges::sort(files);
    TRY_ASSIGN(const std::int64_t count, shardCount(folder, files.front().filename().string()));
    if (std::ssize(files) == count) return files;
    return fail(ErrorCode::NotAModelFile,
                std::format("{}: expected {} or {}, found {} other safetensors files",
                            folder.filename().string(), kSingleFile, kIndexFile, files.size()),
                "a folder with several models");
}

} // namespace

Result<std::vector<SafetensorsEntry>> openCheckpoint(const std::filesystem::path& folder,
                                                     ModelFile& model)
{
    std::vector<SafetensorsEntry> tensors;
    if (!isFile(folder / kIndexFile)) {
        TRY_ASSIGN(const std::vector<std::filesystem::path> files, filesWithoutIndex(folder));
        for (const std::filesystem::path& file : files)
            TRY(addShard(file, model, tensors));
        if (const auto names = checkNames(tensors); !names) return std::unexpected(names.error());
        return tensors;
    }
    TRY_ASSIGN(const Index index, readIndex(folder / kIndexFile));
    for (const std::string& shard : index.shards)
        TRY(addShard(folder / shard, model, tensors));
    TRY_ASSIGN(const auto found, checkNames(tensors));
    for (const std::string& name : index.tensors) {
        if (!found.contains(name))
            return fail(
                ErrorCode::MissingTensor,
                std::format("tensor {}: {} lists it, its file does not hold it", name, kIndexFile),
                name);
    }
    return tensors;
}

} // namespace engine
