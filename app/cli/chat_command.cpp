#include "app/cli/generation_options.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace cli {

namespace {

// Set by the signal handler, which may do nothing else.
volatile std::sig_atomic_t interrupted = 0;

/// While it lives Ctrl+C stops the reply; otherwise it ends the program.
class StopOnInterrupt {
public:
    StopOnInterrupt()
    {
        interrupted = 0;
        std::signal(SIGINT, [](int) { interrupted = 1; });
    }
    ~StopOnInterrupt() { std::signal(SIGINT, SIG_DFL); }
    StopOnInterrupt(const StopOnInterrupt&) = delete;
    StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
};

engine::Result<engine::ChatMessage> reply(engine::Model& model, engine::Session& session,
                                          const std::vector<engine::ChatMessage>& messages,
                                          const GenerationOptions& options)
{
    TRY_ASSIGN(const engine::ChatPrompt prompt, model.encodeChat(messages));
    std::stop_source stop;
    const StopOnInterrupt guard;
    const auto stopIfInterrupted = [&stop] {
        if (interrupted) stop.request_stop();
    };
    engine::GenerationCallbacks callbacks;
    const engine::SamplingSettings settings = options.sampling();
    callbacks.settings = [&settings] { return settings; };
    callbacks.prefill = [&](int, int) { stopIfInterrupted(); };
    callbacks.token = [&](const engine::TokenEvent& event) {
        streamReply(event.text, event.reasoning);
        stopIfInterrupted();
    };
    const engine::ReplyOptions replyOptions{.stopStrings = options.stopStrings,
                                            .format = prompt.reply};
    TRY_ASSIGN(engine::GenerationResult result,
               session.generate(prompt.tokens, replyOptions, callbacks, stop.get_token()));
    streamReply(result.trailing.text + "\n", result.trailing.reasoning);
    const double seconds = result.timings.decodeSeconds;
    std::fprintf(stderr, "[%d tokens, %.1f tok/s, seed %llu%s]\n", result.timings.generatedTokens,
                 seconds > 0 ? result.timings.generatedTokens / seconds : 0.0,
                 static_cast<unsigned long long>(result.seed),
                 result.stopReason == engine::StopReason::Cancelled ? ", stopped" : "");
    return engine::ChatMessage{.role = "assistant",
                               .content = std::move(result.text),
                               .reasoning = std::move(result.reasoning)};
}

/// Leaves out the oldest question with its answer, which the system turn stays before. False where
/// there is none but the last.
bool dropOldest(std::vector<engine::ChatMessage>& messages)
{
    const auto first = std::ranges::find(messages, "user", &engine::ChatMessage::role);
    if (first == messages.end()) return false;
    const auto next = std::find_if(first + 1, messages.end(), [](const engine::ChatMessage& turn) {
        return turn.role == "user";
    });
    if (next == messages.end()) return false;
    messages.erase(first, next);
    return true;
}

/// The reply, without the oldest turns where the context has no room for them.
engine::Result<engine::ChatMessage> replyInContext(engine::Model& model, engine::Session& session,
                                                   std::vector<engine::ChatMessage>& messages,
                                                   const GenerationOptions& options)
{
    std::vector<engine::ChatMessage> left = messages;
    int dropped = 0;
    while (true) {
        auto answer = reply(model, session, left, options);
        const bool full = !answer && answer.error().code == engine::ErrorCode::ContextFull;
        if (full && dropOldest(left)) {
            ++dropped;
            continue;
        }
        if (full) {
            answer.error().message += ". Say less, or start with a longer context (--ctx)";
        } else if (answer && dropped > 0) {
            messages = std::move(left);
            std::fprintf(stderr, "[the context was full: %d of the oldest turns left out]\n",
                         dropped);
        }
        return answer;
    }
}

engine::Result<int> converse(const GenerationOptions& options, const std::string& system)
{
    TRY_ASSIGN(const std::shared_ptr<engine::Model> model, options.openModel());
    TRY_ASSIGN(const std::unique_ptr<engine::Session> session, options.createSession(model));
    sayNotice(*model);
    std::vector<engine::ChatMessage> messages;
    if (!system.empty()) messages.push_back({"system", system});
    bool allAnswered = true;
    std::string line;
    while (std::fputs("> ", stderr), std::getline(std::cin, line)) {
        if (line.empty()) continue;
        messages.push_back({"user", line});
        auto answer = replyInContext(*model, *session, messages, options);
        if (answer) {
            messages.push_back(std::move(*answer));
        } else {
            // The conversation goes on without the turn that could not be answered.
            failed(answer.error());
            messages.pop_back();
            allAnswered = false;
        }
    }
    std::fputc('\n', stderr);
    if (std::ferror(stdin) != 0) return failed("the input could not be read");
    return allAnswered ? kOk : kFailed;
}

} // namespace

int runChat(Arguments arguments)
{
    CLI::App program("A conversation in the terminal. Ctrl+C stops the reply, Ctrl+D ends.",
                     "inglenook-cli chat");
    GenerationOptions options;
    std::string system;
    options.addTo(program);
    program.add_option("--system", system, "what the model is told before the first turn");
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto outcome = converse(options, system);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
