// Any bytes as a safetensors file: an error, or tensors that lie within it and cover its data.

#include "engine/huggingface/safetensors.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::span file(reinterpret_cast<const std::byte*>(data), size);
    const auto tensors = engine::readSafetensors(file);
    if (!tensors) {
        if (tensors.error().message.empty()) std::abort();
        return 0;
    }
    for (const engine::SafetensorsEntry& tensor : *tensors) {
        if (tensor.data.empty()) continue;
        if (tensor.data.data() < file.data() ||
            tensor.data.data() + tensor.data.size() > file.data() + file.size())
            std::abort();
    }
    return 0;
}
