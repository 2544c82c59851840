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
    Beginning{"<head", "a web page"},
    Beginning{"<script", "a web page"},
    Beginning{"<!--", "a web page"},
    Beginning{"<?xml", "an XML file"},
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
    Beginning{"\x28\xb5\x2f\xfd", "a Zstandard archive"},
    Beginning{"\xfd"
              "7zxz",
              "an xz archive"},
    Beginning{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
    Beginning{"rar!", "a RAR archive"},
    Beginning{"bzh", "a bzip2 archive"},
    Beginning{"\x89hdf", "an HDF5 file, perhaps a Keras checkpoint"},
    Beginning{"\x93numpy", "a NumPy array"},
    Beginning{"%pdf", "a PDF"},
    Beginning{"\x7f"
              "elf",
              "a program"},
    Beginning{"mz", "a program"},
    Beginning{"{", "a JSON file"},
};

/// What a page or a text may begin with: a byte order mark, white space.
std::string_view withoutSpace(std::string_view begin)
{
    if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
    return begin.substr(std::min(begin.size(), begin.find_first_not_of(" \t\r\n")));
}

bool isText(std::string_view begin)
{
    return std::ranges::all_of(begin, [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r' || c == '\n';
    });
}

} // namespace

std::string_view describeForeignFile(std::span<const std::byte> file)
{
    constexpr std::size_t kCompared = 64;
    std::array<char, kCompared> lower{};
    const std::size_t count = std::min(file.size(), kCompared);
    for (std::size_t i = 0; i < count; ++i)
        lower[i] = static_cast<char>(std::tolower(std::to_integer<int>(file[i])));
    const std::string_view begin(lower.data(), count);
    const std::string_view text = withoutSpace(begin);
    for (const Beginning& row : kBeginnings) {
        if (text.starts_with(row.bytes)) return row.description;
    }
    // A safetensors file begins with the length of its JSON header.
    if (count > 8 && begin[8] == '{') return "a safetensors file; open its folder";
    const bool zeros = std::ranges::all_of(begin, [](char c) { return c == 0; });
    if (zeros) return "zeros, as a download leaves them that has not finished";
    return isText(begin) ? "a text file" : std::string_view();
}

} // namespace engine
