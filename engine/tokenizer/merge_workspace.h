#pragma once

#include "engine/tokenizer/pair_cache.h"
#include "engine/tokenizer/pair_merger.h"
#include "engine/tokenizer/word_cache.h"

#include <cstddef>

namespace engine {

/// What encoders that merge pairs keep of one text while they read it.
struct MergeWorkspace {
    explicit MergeWorkspace(std::size_t textBytes)
        : words(textBytes)
        , pairs(textBytes)
    {
    }

    WordCache words;
    PairCache pairs;
    PairMerger merger;
};

} // namespace engine
