#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cli {

/// The path that stands for a model on the command line: "starter" is the built-in model, wherever
/// this program is; anything else is a path already.
std::string modelPath(const std::string& argument);

/// The positional MODEL of a command, with "starter" resolved.
void addModel(CLI::App& program, std::string& model,
              const std::string& kinds = "a GGUF file or a Hugging Face folder");

} // namespace cli
