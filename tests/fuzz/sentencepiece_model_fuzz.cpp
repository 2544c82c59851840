// Any bytes as a tokenizer.model: an error, or tokens whose texts lie within it.

#include "engine/huggingface/sentencepiece_model.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::span file(reinterpret_cast<const std::byte*>(data), size);
    const auto model = engine::readSentencePieceModel(file);
    if (!model) return 0;
    for (const engine::SentencePieceToken& token : model->tokens) {
        const auto* begin = reinterpret_cast<const std::byte*>(token.text.data());
        if (!token.text.empty() &&
            (begin < file.data() || begin + token.text.size() > file.data() + file.size()))
            std::abort();
    }
    return 0;
}
