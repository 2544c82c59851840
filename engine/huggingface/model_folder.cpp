#include "engine/huggingface/model_folder.h"

#include <algorithm>
#include <array>
#include <format>

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

/// Folders of what is no model of texts, by a file they have.
struct OtherFolder {
    const char* file;
    const char* description;
    const char* advice;
};

constexpr std::array kOtherFolders = {
    OtherFolder{"adapter_config.json", "a LoRA adapter",
                "a GGUF of it can be given with --lora beside its model"},
    OtherFolder{"model_index.json", "a model that makes pictures",
                "choose a model that writes text"},
};

/// A part of a set but for the first: NAME-00002-of-00003.gguf.
bool isLaterPart(std::string_view name)
{
    constexpr std::string_view kEnd = "-00001-of-00001.gguf";
    if (name.size() <= kEnd.size()) return false;
    const std::string_view end = name.substr(name.size() - kEnd.size());
    return end.substr(6, 4) == "-of-" && end.substr(0, 6) != "-00001";
}

std::vector<std::filesystem::path> ggufsIn(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        // A projector belongs to a model, it is none.
        if (!name.ends_with(".gguf") || name.starts_with("mmproj") || isLaterPart(name)) continue;
        found.push_back(entry.path());
    }
    return found;
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
    const std::vector<std::filesystem::path> found = ggufsIn(folder);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::unexpected<Error> noModelIn(const std::filesystem::path& folder)
{
    const std::string name = folder.string();
    const std::size_t models = ggufsIn(folder).size();
    if (models > 1)
        return fail(ErrorCode::NotAModelFile,
                    std::format("{}: expected one model, found {} GGUF files; name the one to open",
                                name, models),
                    "a folder with several models");
    for (const OtherFolder& other : kOtherFolders) {
        std::error_code ignored;
        if (std::filesystem::exists(folder / other.file, ignored))
            return fail(ErrorCode::NotAModelFile,
                        std::format("{}: expected a model, found {}; {}", name, other.description,
                                    other.advice),
                        other.description);
    }
    return fail(ErrorCode::NotAModelFile,
                std::format("{}: expected a GGUF file, or a folder with config.json and "
                            "*.safetensors; this folder has neither, choose another",
                            name),
                "a folder without a model");
}

std::unexpected<Error> noModelAround(const std::filesystem::path& file)
{
    return fail(ErrorCode::NotAModelFile,
                std::format("{}: is one file of a Hugging Face model; expected config.json beside "
                            "it, found none",
                            file.filename().string()),
                "one file of a model without the others");
}

} // namespace engine
