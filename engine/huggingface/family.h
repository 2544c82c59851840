#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/huggingface/model_config.h"
#include "engine/huggingface/tensor_writer.h"

#include <span>
#include <string_view>

namespace engine {

/// Makes the GGUF tensors of one Hugging Face tensor; null for one that stays as it is.
using Derive = Result<void> (*)(const TensorSource& source, TensorWriter& writer);

/// How a tensor is called. Names are without prefixes ("model.", "transformer.", ...) and without
/// ".weight" and ".bias", which carry over where the GGUF name has none of its own; `{}` is the
/// layer, a second one the expert. An empty GGUF name means that nothing needs the tensor.
struct NameRow {
    std::string_view huggingFace;
    std::string_view gguf;
    Derive derive = nullptr;
};

/// What a family adds to the keys that are read the same way for all.
using Describe = Result<void> (*)(const ModelConfig& config, class KeyWriter& keys);

/// A row of the table of families: everything in which its folders differ from Llama's.
struct Family {
    std::string_view huggingFace;     ///< config.json's class
    std::string_view gguf;            ///< general.architecture
    std::span<const NameRow> names{}; ///< looked at before the common ones
    Describe describe = nullptr;
    bool interleavedRope = false; ///< GGUF has a head's rotated pairs side by side
    bool normsPlusOne = false;    ///< norm weights are stored less one
    bool alwaysTied = false;      ///< an output matrix in the folder is the embedding again
    /// Of the models of a class whose layers have experts now and then (`moe_every_n_layers`).
    bool ofSomeExperts = false;
};

/// Null where the class is not known.
const Family* findFamily(std::string_view huggingFaceClass);
/// The row for a model of that class.
const Family* findFamily(const ModelConfig& config);
std::span<const Family> families();

/// Names that mean the same wherever they are used.
std::span<const NameRow> commonNames();

/// Writes keys below "ARCHITECTURE.".
class KeyWriter {
public:
    KeyWriter(std::string_view architecture, Metadata& metadata)
        : m_architecture(architecture)
        , m_metadata(metadata)
    {
    }

    std::string key(std::string_view name) const
    {
        return std::string(m_architecture) + "." + std::string(name);
    }
    void set(std::string_view name, MetadataValue value)
    {
        m_metadata.set(key(name), std::move(value));
    }
    void integer(std::string_view name, std::int64_t value)
    {
        set(name, static_cast<std::uint64_t>(value));
    }
    void number(std::string_view name, double value) { set(name, value); }
    /// Nothing happens without a value.
    void integer(std::string_view name, std::optional<std::int64_t> value)
    {
        if (value) integer(name, *value);
    }
    void number(std::string_view name, std::optional<double> value)
    {
        if (value) number(name, *value);
    }
    Metadata& metadata() { return m_metadata; }

private:
    std::string_view m_architecture;
    Metadata& m_metadata;
};

/// The keys that all families share, then the family's own. Errors: MissingMetadata, BadMetadata.
Result<void> writeHyperparameters(const ModelConfig& config, const Family& family,
                                  Metadata& metadata);

} // namespace engine
