#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/model_config.h"
#include "engine/huggingface/tensor_shaper.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct Family;

/// A Hugging Face tensor on its way into the model: where it belongs, and what it is called there.
struct TensorSource {
    SafetensorsEntry tensor{};
    std::string_view gguf{};   ///< the row's GGUF name, `{}` still in it
    std::string_view suffix{}; ///< ".weight", ".bias" or nothing
    std::int64_t layer = -1;
    std::int64_t expert = -1;

    /// The name with the layer filled in and the suffix added where it has none; of the row's own
    /// name, or of another.
    std::string name() const { return name(gguf); }
    std::string name(std::string_view pattern) const;
};

/// Takes finished tensors and adds them to the model under their GGUF names.
class TensorWriter {
public:
    TensorWriter(ModelFile& model, const ModelConfig& config, const Family& family)
        : m_model(model)
        , m_shaper(model)
        , m_config(config)
        , m_family(family)
    {
    }

    const ModelConfig& config() const { return m_config; }
    const Family& family() const { return m_family; }
    TensorShaper& shaper() { return m_shaper; }

    /// Shape in Hugging Face order. Vectors, norms, routers and convolutions become f32, as they
    /// are in GGUF files. Errors: BadTensor (twice, or of more than four dimensions),
    /// UnsupportedType.
    Result<void> write(const std::string& name, const SafetensorsEntry& tensor);
    /// Data that are in blocks of a GGUF type already. `shape` in GGUF order.
    Result<void> writeBlocks(const std::string& name, DType dtype,
                             std::span<const std::int64_t> shape, std::span<const std::byte> data);

    /// One of `count` tensors that together become `name`. Errors: BadTensor (index, twice).
    Result<void> collect(const std::string& name, std::int64_t index, std::int64_t count,
                         const SafetensorsEntry& tensor);
    /// Stacks what was collected. Errors: MissingTensor that names the part that is not there.
    Result<void> writeCollected();

    /// Sets one number of a list among the model's keys. Nothing happens where it has no such
    /// place.
    void setEntry(std::string_view key, std::int64_t index, double value);

    /// For tensors that come in twos: the other one where it has come already, else nothing, and
    /// this one is kept for it.
    std::optional<SafetensorsEntry> partner(const std::string& name,
                                            const SafetensorsEntry& tensor);

private:
    ModelFile& m_model;
    TensorShaper m_shaper;
    const ModelConfig& m_config;
    const Family& m_family;
    struct Collected {
        std::int64_t count = 0;
        std::map<std::int64_t, SafetensorsEntry> parts; // only those that came: a count is cheap
    };
    std::map<std::string, Collected> m_collected;
    std::map<std::string, SafetensorsEntry> m_waiting;
};

/// Finds the row of every tensor and writes it. Errors: BadTensor for a name without a row,
/// MissingTensor, and those of the rows.
Result<void> writeTensors(std::vector<SafetensorsEntry> tensors, TensorWriter& writer);

/// Whether a Hugging Face tensor of that name is the matrix that holds a row for each token.
bool isTokenEmbedding(std::string_view name, const Family& family);

} // namespace engine
