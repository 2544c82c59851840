#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace cli {

/// A message as the terminal may show it: the control characters of a file's name written out, and
/// no word of thousands of letters.
std::string printable(std::string_view message);

/// Of `known`, the one that `word` is probably a slip of; empty where none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

/// "; did you mean --temp?" where something is near, else nothing.
std::string suggestion(std::string_view word, std::span<const std::string> known);

/// One sentence on what is wrong with a command's arguments: what the parser threw, or first of all
/// an option that does not exist.
std::string wrongUsage(const CLI::App& program, const CLI::ParseError& error);

} // namespace cli
