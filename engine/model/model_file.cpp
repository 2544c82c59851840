#include "engine/model/model_file.h"

#include "engine/gguf/gguf_model_file.h"

#include <numeric>

namespace engine {

Result<ModelFile> ModelFile::open(const std::filesystem::path& path)
{
    return openGgufModel(path);
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

void ModelFile::willNeed(const TensorView& tensor) const
{
    for (const MappedFile& file : m_files) {
        if (holds(file.bytes(), tensor)) file.willNeed({tensor.data, tensor.sizeBytes});
    }
}

bool ModelFile::add(TensorView tensor)
{
    const bool isNew = m_byName.try_emplace(tensor.name, m_tensors.size()).second;
    if (isNew) m_tensors.push_back(std::move(tensor));
    return isNew;
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
