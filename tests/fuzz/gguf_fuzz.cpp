// Any bytes as a GGUF file: an error or a header whose every tensor can be read.

#include "engine/gguf/gguf_reader.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::span file(reinterpret_cast<const std::byte*>(data), size);
    const auto header = engine::readGgufHeader(file);
    if (!header) {
        if (header.error().message.empty()) std::abort();
        return 0;
    }
    for (const engine::GgufTensorInfo& tensor : header->tensors) {
        const auto bytes = file.subspan(header->dataOffset + tensor.offset, tensor.sizeBytes);
        const engine::DTypeInfo& info = engine::dtypeInfo(tensor.dtype);
        float values[256];
        info.dequantize(bytes.data(), values, info.blockElements);
        info.dequantize(bytes.data() + bytes.size() - info.blockBytes, values, info.blockElements);
    }
    return 0;
}
