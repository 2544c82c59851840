#include "app/cli/command.h"
#include "app/cli/model_argument.h"
#include "engine/chat/jinja/json.h"
#include "engine/chat/jinja/template.h"
#include "engine/engine.h"

#include <chrono>
#include <cstdio>
#include <format>

namespace cli {

namespace {

namespace jinja = engine::jinja;

/// "2024-07-26T13:05:09"; nothing where it is no such time.
std::optional<std::tm> parseTime(const std::string& text)
{
    std::tm time{};
    int year = 0;
    int month = 0;
    int end = 0;
    const int read = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month,
                                 &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &end);
    if (read != 6 || static_cast<std::size_t>(end) != text.size()) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(time.tm_mday))};
    if (!date.ok() || time.tm_hour > 23 || time.tm_min > 59 || time.tm_sec > 59)
        return std::nullopt;
    const std::chrono::sys_days day = date;
    time.tm_year = year - 1900;
    time.tm_mon = month - 1;
    time.tm_wday = static_cast<int>(std::chrono::weekday(day).c_encoding());
    time.tm_yday = static_cast<int>((day - std::chrono::sys_days(date.year() / 1 / 1)).count());
    time.tm_isdst = -1;
    return time;
}

std::string checkTime(const std::string& text)
{
    return parseTime(text) ? std::string() : "expected a time such as 2024-07-26T13:05:09";
}

engine::Result<std::string> templateText(const std::string& path, const std::string& model)
{
    if (!model.empty()) {
        TRY_ASSIGN(engine::ModelInfo info, engine::inspectModel(modelPath(model)));
        if (!info.hasChatTemplate)
            return engine::fail(engine::ErrorCode::MissingMetadata,
                                "the model has no chat template");
        return std::move(info.chatTemplate);
    }
    return readFile(path);
}

engine::Result<std::string> render(const std::string& source, const std::string& contextPath,
                                   const std::optional<std::tm>& now)
{
    TRY_ASSIGN(const std::string json, readFile(contextPath));
    jinja::Heap heap;
    const auto context = jinja::readJson(heap, json);
    if (!context || !context->is(jinja::Kind::Dict))
        return engine::fail(
            engine::ErrorCode::InvalidArgument,
            contextPath + (context ? ": expected a JSON object" : ": " + context.error().message),
            contextPath);
    const auto parsed = jinja::Template::parse(source);
    if (!parsed) return std::unexpected(jinja::toError(parsed.error()));
    jinja::RenderOptions options;
    if (now) options.clock = [now] { return *now; };
    auto text = parsed->render(heap, context->dict(), options);
    if (!text) return std::unexpected(jinja::toError(text.error()));
    return std::move(*text);
}

} // namespace

int runRender(Arguments arguments)
{
    std::string templatePath;
    std::string model;
    std::string contextPath;
    std::string now;
    CLI::App program("Renders a chat template with the members of a JSON object as its variables.",
                     "inglenook-cli render");
    auto* group = program.add_option_group("template");
    group->add_option("--template", templatePath, "a file with Jinja")->check(someText("a file"));
    group->add_option("--model", model, "a model that has a chat template")
        ->check(someText("a file or a folder"));
    group->require_option(1);
    program.add_option("--context", contextPath, "a file with a JSON object")
        ->required()
        ->check(someText("a file"));
    program.add_option("--now", now, "the time strftime_now shows, as 2024-07-26T13:05:09")
        ->check(CLI::Validator(checkTime, ""));
    if (const auto stop = parse(program, arguments)) return *stop;
    const std::optional<std::tm> time = now.empty() ? std::nullopt : parseTime(now);
    const auto source = templateText(templatePath, model);
    if (!source) return failed(source.error());
    const auto text = render(*source, contextPath, time);
    if (!text) return failed(text.error());
    std::fwrite(text->data(), 1, text->size(), stdout);
    return std::fflush(stdout) == 0 ? kOk : kFailed;
}

} // namespace cli
