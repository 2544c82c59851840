#include "engine/model/model_file.h"

#include "engine/gguf/gguf_model_file.h"
#include "engine/huggingface/huggingface_model_file.h"
#include "engine/huggingface/model_folder.h"
#include "engine/model/vocabulary_file.h"

#include <algorithm>
#include <format>
#include <new>
#include <numeric>

namespace engine {

namespace {

using OpenFolder = Result<ModelFile> (*)(const std::filesystem::path& folder);

Result<ModelFile> openEither(const std::filesystem::path& path, OpenFolder openFolder)
{
    try {
        const auto folder = modelFolder(path);
        std::error_code unknown;
        if (!folder &&
            std::filesystem::status(path, unknown).type() == std::filesystem::file_type::not_found)
            return fail(ErrorCode::FileNotFound,
                        std::format("{}: no such file or folder; expected a GGUF file or a folder "
                                    "with a model, check the path",
                                    path.string()),
                        path.string());
        if (!folder) return openGgufModel(path);
        std::error_code ignored;
        const bool isModel = std::filesystem::exists(*folder / "config.json", ignored);
        const bool isFolder = std::filesystem::is_directory(path, ignored);
        const auto gguf = isModel || !isFolder ? std::nullopt : onlyGgufIn(*folder);
        if (gguf) return openGgufModel(*gguf);
        auto opened = openFolder(*folder);
        if (!opened && opened.error().code == ErrorCode::NotAModelFile && !isModel && !isFolder)
            return noModelAround(path);
        return opened;
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::OutOfMemory,
                    std::format("{}: there is not enough memory to open it", path.string()),
                    path.string());
    }
}

} // namespace

Result<ModelFile> ModelFile::open(const std::filesystem::path& path)
{
    return openEither(path, openHuggingFaceModel);
}

Result<ModelFile> openVocabularyFile(const std::filesystem::path& path)
{
    return openEither(path, openHuggingFaceVocabulary);
}

const TensorView* ModelFile::find(std::string_view name) const
{
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : &m_tensors[found->second];
}

std::uint64_t ModelFile::tensorBytes() const
{
    return std::accumulate(
        m_tensors.begin(), m_tensors.end(), std::uint64_t{0},
        [](std::uint64_t sum, const TensorView& tensor) { return sum + tensor.sizeBytes; });
}

namespace {

bool holds(std::span<const std::byte> bytes, const TensorView& tensor)
{
    const std::less_equal<> notAfter;
    return notAfter(bytes.data(), tensor.data) &&
           notAfter(tensor.data + tensor.sizeBytes, bytes.data() + bytes.size());
}

} // namespace

void ModelFile::drop(const TensorView& tensor) const
{
    for (const MappedFile& file : m_files) {
        if (holds(file.bytes(), tensor)) file.drop({tensor.data, tensor.sizeBytes});
    }
}

bool ModelFile::hasChanged() const
{
    return std::ranges::any_of(m_files, &MappedFile::hasChanged);
}

void ModelFile::dropAll() const
{
    for (const MappedFile& file : m_files)
        file.drop(file.bytes());
}

bool ModelFile::add(TensorView tensor)
{
    if (!m_byName.try_emplace(tensor.name, m_tensors.size()).second) return false;
    const DTypeInfo& info = dtypeInfo(tensor.dtype);
    const bool plain = info.blockElements == 1;
    if (plain && reinterpret_cast<std::uintptr_t>(tensor.data) % info.blockBytes != 0) {
        const std::span<std::byte> copy = allocate(tensor.sizeBytes);
        std::copy_n(tensor.data, tensor.sizeBytes, copy.data());
        tensor.data = copy.data();
    }
    m_tensors.push_back(std::move(tensor));
    return true;
}

const MappedFile& ModelFile::adopt(MappedFile file)
{
    m_fileBytes += file.bytes().size();
    return m_files.emplace_back(std::move(file));
}

std::span<std::byte> ModelFile::allocate(std::size_t bytes)
{
    return m_buffers.emplace_back(bytes);
}

} // namespace engine
