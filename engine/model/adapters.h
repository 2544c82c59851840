#pragma once

#include "engine/model/weights.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The low-rank changes (LoRA, Hu et al. 2021) that some adapters make, by the names of the tensors
/// they change.
class Adapters {
public:
    /// Errors: BadMetadata (no LoRA adapter, or one for another architecture), MissingTensor (half
    /// a pair), BadTensor (one whose name says nothing).
    static Result<Adapters> read(std::span<const AdapterFile> files, std::string_view architecture);

    /// What is changed of `tensor`, held against its shape; nothing for one without data. Errors:
    /// BadTensor, UnsupportedType.
    Result<std::vector<LowRank>> changesOf(const TensorView& tensor);
    /// Errors: MissingTensor or BadTensor where changesOf() was never asked for a changed tensor.
    Result<void> checkAllUsed() const;

    /// The error for a tensor that cannot be changed so.
    static std::unexpected<Error> refuse(std::string_view tensor);

private:
    struct Changes {
        std::vector<LowRank> pairs;
        bool used = false;
    };

    Result<void> add(const AdapterFile& adapter, std::string_view architecture);

    std::map<std::string, Changes, std::less<>> m_changes;
};

/// The file says that it is a LoRA adapter. Errors: BadMetadata.
Result<void> checkIsAdapter(const ModelFile& file);

/// "[4096, 32000]", without the dimensions of 1 at the end.
std::string describeShape(std::span<const std::int64_t> shape);

/// The tensor is of a type that holds weights and all its rows lie in the file. Errors:
/// UnsupportedType, BadTensor.
Result<void> checkReadable(const TensorView& tensor);

} // namespace engine
