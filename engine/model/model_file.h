#pragma once

#include "engine/base/mapped_file.h"
#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tensor/tensor_view.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

/// A model as it lies on disk, whatever its container: GGUF-named metadata and GGUF-named,
/// GGUF-ordered tensors. Owns the mappings (and the few buffers that had to be converted). Every
/// view lies inside them; nothing is read beyond what was checked.
class ModelFile {
public:
    /// `path`: a GGUF file (any part of a split set opens the whole set) or a Hugging Face folder.
    static Result<ModelFile> open(const std::filesystem::path& path);

    const Metadata& metadata() const { return m_metadata; }
    std::span<const TensorView> tensors() const { return m_tensors; }
    /// Null where there is no tensor of that name.
    const TensorView* find(std::string_view name) const;

    /// Sum of the tensors' bytes; bytes of the files themselves.
    std::uint64_t tensorBytes() const;
    std::uint64_t fileBytes() const { return m_fileBytes; }

    /// The tensor's pages are not needed any more (its values were copied elsewhere).
    void drop(const TensorView& tensor) const;
    /// The same for all the files hold; what is read again all the same comes from disk again.
    void dropAll() const;

    /// True where one of the files was written to or cut since it was opened.
    bool hasChanged() const;

    // Building, for the readers and tests.
    Metadata& mutableMetadata() { return m_metadata; }
    /// False if a tensor of that name is there already. Plain numbers (F32, F16, ...) that are not
    /// aligned to their size are copied to where they are.
    bool add(TensorView tensor);
    const MappedFile& adopt(MappedFile file);
    std::span<std::byte> allocate(std::size_t bytes); ///< zeroed; lives as long as this object

private:
    struct NameHash {
        using is_transparent = void; // look-ups by string_view make no string
        std::size_t operator()(std::string_view name) const
        {
            return std::hash<std::string_view>{}(name);
        }
    };

    Metadata m_metadata;
    std::vector<TensorView> m_tensors;
    std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> m_byName;
    std::deque<MappedFile> m_files;
    std::deque<std::vector<std::byte>> m_buffers;
    std::uint64_t m_fileBytes = 0;
};

} // namespace engine
