#include "tests/support/engine/fixtures.h"
#include "tests/support/engine/jinja_render.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json readJson(const fs::path& path)
{
    std::ifstream file(path);
    return Json::parse(file);
}

/// One case by the rules of the fixtures' INDEX.md.
void check(const std::string& name, const Json& expectation, const std::string& source,
           const Json& variables)
{
    const auto text = test::renderJinja(source, variables.dump());
    if (expectation.contains("expected")) {
        EXPECT_TRUE(text) << name << ": " << (text ? "" : text.error().message);
        if (text) {
            EXPECT_EQ(*text, expectation["expected"].get<std::string>()) << name;
        }
        return;
    }
    if (text) {
        const bool isAlternative =
            expectation.contains("expected_if_lists_mutable") &&
            *text == expectation["expected_if_lists_mutable"].get<std::string>();
        EXPECT_TRUE(isAlternative) << name << ": no error, but " << *text;
        return;
    }
    const Json& error = expectation["error"];
    if (error["type"] == "TemplateError") {
        EXPECT_EQ(text.error().message, error["message"].get<std::string>()) << name;
        EXPECT_EQ(text.error().kind, engine::jinja::FailureKind::Raised) << name;
    }
    EXPECT_GT(text.error().at.line, 0U) << name;
}

TEST(JinjaFixturesTest, SmallCases)
{
    REQUIRE_FIXTURES();
    const Json file = readJson(test::fixturesFolder() / "templates/unit.json");
    for (const Json& entry : file["cases"]) {
        Json variables = file["context"];
        if (entry.contains("context")) variables.update(entry["context"]);
        check(entry["id"].get<std::string>(), entry, entry["template"].get<std::string>(),
              variables);
    }
}

TEST(JinjaFixturesTest, TemplatesOfModels)
{
    REQUIRE_FIXTURES();
    const fs::path folder = test::fixturesFolder() / "templates";
    const Json contexts = readJson(folder / "contexts.json");
    int checked = 0;
    for (const auto& entry : fs::directory_iterator(folder / "golden")) {
        const Json file = readJson(entry.path());
        for (const Json& expectation : file["cases"]) {
            const auto context = expectation["context"].get<std::string>();
            Json variables = file["special_tokens"];
            variables.update(contexts[context]);
            check(file["name"].get<std::string>() + " / " + context, expectation,
                  file["template"].get<std::string>(), variables);
            ++checked;
        }
    }
    EXPECT_GT(checked, 1000);
}

} // namespace
