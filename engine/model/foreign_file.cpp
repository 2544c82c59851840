#include "engine/model/foreign_file.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace engine {

namespace {

struct Beginning {
    std::string_view bytes; ///< letters in lower case
    std::string_view description;
};

constexpr std::array kBeginnings = {
    Beginning{"<!doctype html", "a web page"},
    Beginning{"<html", "a web page"},
    Beginning{"version https://git-lfs", "a Git LFS pointer; the file itself was not downloaded"},
    Beginning{"lmgg", "a GGML file of the old format"},
    Beginning{"tjgg", "a GGML file of the old format"},
    Beginning{"fmgg", "a GGML file of the old format"},
    Beginning{"algg", "a GGML file of the old format"},
    Beginning{"ggml", "a GGML file of the old format"},
    Beginning{"ggjt", "a GGML file of the old format"},
    Beginning{"ggmf", "a GGML file of the old format"},
    Beginning{"pk\x03\x04", "a ZIP archive, perhaps a PyTorch checkpoint"},
    Beginning{"\x80\x02", "a Python pickle, perhaps a PyTorch checkpoint"},
    Beginning{"\x1f\x8b", "a gzip archive"},
    Beginning{"{", "a JSON file"},
};

} // namespace

std::string_view describeForeignFile(std::span<const std::byte> file)
{
    constexpr std::size_t kCompared = 64;
    std::array<char, kCompared> lower{};
    const std::size_t count = std::min(file.size(), kCompared);
    for (std::size_t i = 0; i < count; ++i)
        lower[i] = static_cast<char>(std::tolower(std::to_integer<int>(file[i])));
    const std::string_view begin(lower.data(), count);
    for (const Beginning& row : kBeginnings) {
        if (begin.starts_with(row.bytes)) return row.description;
    }
    // A safetensors file begins with the length of its JSON header.
    if (count > 8 && begin[8] == '{') return "a safetensors file; open its folder";
    return {};
}

} // namespace engine
