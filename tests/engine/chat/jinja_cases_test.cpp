// Our own templates against what Jinja2 makes of them; tests/data/jinja/make_cases.py asks it.

#include "tests/support/engine/jinja_render.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;

std::string read(const char* name)
{
    std::ifstream file(std::filesystem::path(INGLENOOK_SOURCE_DIR) / "tests/data/jinja" / name);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(JinjaCasesTest, RendersAsJinja2Does)
{
    const std::string variables = read("variables.json");
    for (const Json& entry : Json::parse(read("cases.json"))) {
        const auto source = entry["template"].get<std::string>();
        const auto text = test::renderJinja(source, variables);
        if (!entry.contains("text")) {
            EXPECT_FALSE(text) << source << "\ngives " << (text ? *text : "");
        } else if (text) {
            EXPECT_EQ(*text, entry["text"].get<std::string>()) << source;
        } else {
            ADD_FAILURE() << source << "\nfails: " << text.error().message;
        }
    }
}

} // namespace
