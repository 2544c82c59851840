#pragma once

#include "engine/model/hyperparameters.h"
#include "engine/model/metadata_reader.h"
#include "engine/model/model_file.h"

#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace engine {

/// What a hyperparameter may be. Far above every model there is, and small enough that any product
/// of two fits 64 bits with room and any width fits an int.
namespace bounds {

using IntegerRange = MetadataReader::IntegerRange;
using NumberRange = MetadataReader::NumberRange;

inline constexpr IntegerRange kBlockCount{1, 1024};
inline constexpr IntegerRange kWidth{1, 1 << 20};
inline constexpr IntegerRange kHeadCount{0, 1 << 14};
inline constexpr IntegerRange kHeadLength{1, 1 << 14};
inline constexpr IntegerRange kHeadLengthOrNone{0, 1 << 14};
inline constexpr IntegerRange kFeedForward{0, 1 << 22};
inline constexpr IntegerRange kExperts{0, 4096};
inline constexpr IntegerRange kPositions{1, std::numeric_limits<int>::max()};
inline constexpr IntegerRange kPositionsOrNone{0, std::numeric_limits<int>::max()};
inline constexpr std::int64_t kMostState = 1 << 26; // numbers of one layer's recurrent state
inline constexpr NumberRange kEpsilon{0, 1};
inline constexpr NumberRange kFactor{-1e9, 1e9};
inline constexpr NumberRange kNotNegative{0, 1e9};

} // namespace bounds

/// Reads the hyperparameters of one family's file, each checked before it is used.
class HyperparameterReader {
public:
    HyperparameterReader(const ModelFile& file, const Architecture& architecture);

    Result<Hyperparameters> read();

private:
    std::unexpected<Error> bad(std::string_view name, std::string_view what) const;
    Result<void> readSizes();
    /// Older files do not say the length; the norm of those vectors has it.
    Result<void> readPerLayerLength();
    /// Some encoders' files say which activation their network has.
    Result<void> readActivation();
    Result<void> readNorms();
    /// Which layers are attention and which the family's other mixer.
    Result<std::vector<MixerKind>> readMixerKinds(std::span<const int> headCount,
                                                  std::span<const int> headCountKv,
                                                  std::span<const int> feedForward);
    Result<void> checkEntries(std::string_view name) const;
    Result<void> readLayers();
    Result<void> readHeads(LayerHyperparameters& layer, int heads, int headsKv);
    Result<void> readWindows();
    /// `attention.sliding_window_pattern` is a period, or says for each layer whether it has a
    /// window.
    Result<std::vector<bool>> readWindowPattern(const WindowRule& rule);
    Result<void> readNoRope(bool hasWindows);
    /// Late layers may read the keys and values of the last early layer of their kind.
    Result<void> readSharing();
    static bool sameCache(const LayerHyperparameters& a, const LayerHyperparameters& b);
    Result<void> readLatent();
    Result<RopeScaling> readScalingType();
    Result<void> readRope();
    Result<void> readSections(RopeHyperparameters& rope);
    Result<void> readYarn(RopeHyperparameters& rope);
    /// How many elements of a head turn, in layers that see all and in those with a window; must
    /// run after everything that sets key lengths.
    Result<void> readRopeLengths();
    /// The NTK-aware change of base some files ask for (`rope.scaling.alpha`).
    Result<void> stretchBase();
    Result<void> readAttention();
    Result<void> readTemperature();
    Result<void> readScales();
    Result<void> readExperts();
    /// What the experts of the first layer that has some read; 0 where none has.
    int expertLengthOfTensors() const;
    /// Rows of token_embd; 0 in a file without weights.
    std::int64_t vocabularyOfFile() const;
    Result<void> readGating();
    Result<void> readMixers();
    Result<void> readKimiDelta();
    Result<void> readRwkv();
    Result<void> readRwkvRanks();
    Result<void> readXielu();
    /// How far the two halves of gated networks are cut off, by layer (Step 3.5).
    Result<void> readClamps();
    /// A model may run all its layers several times (`num_loops`); runs after everything else.
    Result<void> readLoops();

    const ModelFile& m_file;
    MetadataReader m_reader;
    MetadataReader m_plain; ///< of the few keys that have no architecture before them
    const Architecture& m_architecture;
    Hyperparameters m_model;
    float m_yarnQueryMagnitude = 1;
};

} // namespace engine
