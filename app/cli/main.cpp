#include "app/cli/command.h"
#include "app/cli/usage.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

namespace {

struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(cli::Arguments);
};

constexpr Command kCommands[] = {
    {"inspect", "what a model file says of itself", cli::runInspect},
    {"generate", "write on after a prompt", cli::runGenerate},
    {"chat", "a conversation in the terminal; Ctrl+C stops the reply", cli::runChat},
    {"logits", "logits of given tokens, as .npy", cli::runLogits},
    {"tokenize", "JSON lines of text to token ids", cli::runTokenize},
    {"detokenize", "JSON lines of token ids to text", cli::runDetokenize},
    {"trace", "shape and checksum of every intermediate of one position", cli::runTrace},
    {"bench", "prefill and decode tokens per second", cli::runBench},
    {"render", "a chat template with given variables", cli::runRender},
    {"embed", "a text as one vector, as .npy or JSON", cli::runEmbed},
};

void printUsage(std::FILE* stream)
{
    std::fputs("usage: inglenook-cli COMMAND [ARGS...]\n\n", stream);
    for (const Command& command : kCommands)
        std::fprintf(stream, "  %-11s %s\n", std::string(command.name).c_str(),
                     std::string(command.summary).c_str());
    std::fputs("\ninglenook-cli COMMAND --help says what a command takes, --version what this "
               "program is.\n",
               stream);
}

/// What the libraries throw ends with a sentence too.
int run(const Command& command, cli::Arguments arguments)
{
    try {
        return command.run(arguments);
    } catch (const std::bad_alloc&) {
        return cli::failed("there is not enough memory for this");
    } catch (const std::exception& exception) {
        return cli::failed(exception.what());
    }
}

int answer(const std::vector<std::string>& arguments)
{
    if (arguments.empty()) {
        printUsage(stderr);
        return cli::kWrongUsage;
    }
    if (arguments[0] == "help" && arguments.size() == 2) return answer({arguments[1], "--help"});
    if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        printUsage(stdout);
        return cli::kOk;
    }
    if (arguments[0] == "--version") {
        std::puts("inglenook-cli " INGLENOOK_VERSION);
        return cli::kOk;
    }
    const auto* command =
        std::ranges::find(kCommands, std::string_view(arguments[0]), &Command::name);
    if (command == std::end(kCommands)) {
        std::vector<std::string> names;
        for (const Command& known : kCommands)
            names.emplace_back(known.name);
        const std::string near = cli::suggestion(arguments[0], names);
        const std::string given = cli::printable(arguments[0].substr(0, 80));
        std::fprintf(stderr,
                     "error: there is no command \"%s\"%s\ninglenook-cli --help lists them.\n",
                     given.c_str(), near.c_str());
        return cli::kWrongUsage;
    }
    return run(*command, cli::Arguments(arguments).subspan(1));
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): without memory there is nothing to say it with
int main(int argc, char** argv)
{
    const int code = answer({argv + std::min(argc, 1), argv + argc});
    // A full disk or a closed pipe is only sure to show here.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return code == cli::kOk ? cli::failed("the output could not be written") : code;
}
