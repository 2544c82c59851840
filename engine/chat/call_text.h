#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the ways of writing calls of tools have in common.
namespace engine::call_text {

using Json = nlohmann::ordered_json;

std::string_view trimmed(std::string_view text);
/// What stands before `mark`, which is taken too; nothing where there is none.
std::optional<std::string_view> takeUntil(std::string_view& text, std::string_view mark);
/// Discarded where it is no JSON, or far too long.
Json parseJson(std::string_view text);
std::string dump(const Json& json);
/// A value written between tags: JSON where it is some, else the text.
Json valueOf(std::string_view text);
/// The JSON objects of a text that has nothing else but white space, commas and semicolons; nothing
/// where it has.
std::optional<std::vector<std::string_view>> objectsIn(std::string_view text);

} // namespace engine::call_text
