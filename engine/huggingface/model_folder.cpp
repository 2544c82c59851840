#include "engine/huggingface/model_folder.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::array<std::string_view, 6> kFilesOfAModel = {
    "config.json",           "tokenizer.json",         "tokenizer.model",
    "tokenizer_config.json", "generation_config.json", "model.safetensors.index.json",
};

std::filesystem::path plain(const std::filesystem::path& path)
{
    std::error_code ignored;
    std::filesystem::path whole = std::filesystem::absolute(path, ignored).lexically_normal();
    if (whole.empty()) whole = path;
    return whole.has_filename() ? whole : whole.parent_path();
}

/// A part of a set but for the first: NAME-00002-of-00003.gguf.
bool isLaterPart(std::string_view name)
{
    constexpr std::string_view kEnd = "-00001-of-00001.gguf";
    if (name.size() <= kEnd.size()) return false;
    const std::string_view end = name.substr(name.size() - kEnd.size());
    return end.substr(6, 4) == "-of-" && end.substr(0, 6) != "-00001";
}

} // namespace

std::optional<std::filesystem::path> modelFolder(const std::filesystem::path& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return plain(path);
    const std::string name = path.filename().string();
    if (!name.ends_with(".safetensors") && !std::ranges::contains(kFilesOfAModel, name))
        return std::nullopt;
    if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
    return plain(path).parent_path();
}

std::string modelFolderName(const std::filesystem::path& folder)
{
    const std::filesystem::path parent = folder.parent_path();
    const std::string cached = parent.parent_path().filename().string();
    if (parent.filename() == "snapshots" && cached.starts_with("models--"))
        return cached.substr(cached.rfind("--") + 2);
    return folder.filename().string();
}

std::optional<std::filesystem::path> onlyGgufIn(const std::filesystem::path& folder)
{
    std::optional<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        // A projector belongs to a model, it is none.
        if (!name.ends_with(".gguf") || name.starts_with("mmproj") || isLaterPart(name)) continue;
        if (found) return std::nullopt;
        found = entry.path();
    }
    return found;
}

} // namespace engine
