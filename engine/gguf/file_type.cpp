#include "engine/gguf/file_type.h"

#include <array>

namespace engine {

namespace {

struct FileType {
    std::int64_t id;
    std::string_view name;
};

constexpr std::array kFileTypes = {
    FileType{0, "F32"},      FileType{1, "F16"},     FileType{2, "Q4_0"},    FileType{3, "Q4_1"},
    FileType{7, "Q8_0"},     FileType{8, "Q5_0"},    FileType{9, "Q5_1"},    FileType{10, "Q2_K"},
    FileType{11, "Q3_K_S"},  FileType{12, "Q3_K_M"}, FileType{13, "Q3_K_L"}, FileType{14, "Q4_K_S"},
    FileType{15, "Q4_K_M"},  FileType{16, "Q5_K_S"}, FileType{17, "Q5_K_M"}, FileType{18, "Q6_K"},
    FileType{19, "IQ2_XXS"}, FileType{20, "IQ2_XS"}, FileType{21, "Q2_K_S"}, FileType{22, "IQ3_XS"},
    FileType{23, "IQ3_XXS"}, FileType{24, "IQ1_S"},  FileType{25, "IQ4_NL"}, FileType{26, "IQ3_S"},
    FileType{27, "IQ3_M"},   FileType{28, "IQ2_S"},  FileType{29, "IQ2_M"},  FileType{30, "IQ4_XS"},
    FileType{31, "IQ1_M"},   FileType{32, "BF16"},   FileType{36, "TQ1_0"},  FileType{37, "TQ2_0"},
    FileType{38, "MXFP4"},   FileType{39, "NVFP4"},  FileType{40, "Q1_0"},   FileType{41, "Q2_0"},
};

} // namespace

std::string_view fileTypeName(std::int64_t fileType)
{
    for (const FileType& row : kFileTypes) {
        if (row.id == fileType) return row.name;
    }
    return {};
}

} // namespace engine
