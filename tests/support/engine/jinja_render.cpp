#include "tests/support/engine/jinja_render.h"

#include "engine/chat/jinja/json.h"

namespace test {

namespace jinja = engine::jinja;

std::tm fixedTime()
{
    std::tm time{};
    time.tm_year = 124;
    time.tm_mon = 6;
    time.tm_mday = 26;
    time.tm_hour = 13;
    time.tm_min = 5;
    time.tm_sec = 9;
    time.tm_wday = 5;
    time.tm_yday = 207;
    return time;
}

jinja::Outcome<std::string> renderJinja(std::string_view source, std::string_view variables,
                                        const jinja::Limits& limits)
{
    jinja::Heap heap;
    TRY_ASSIGN(const jinja::Value context, jinja::readJson(heap, variables));
    TRY_ASSIGN(const jinja::Template parsed, jinja::Template::parse(source));
    jinja::RenderOptions options;
    options.limits = limits;
    options.clock = &fixedTime;
    return parsed.render(heap, context.dict(), options);
}

std::string renderedOrError(std::string_view source, std::string_view variables)
{
    const auto text = renderJinja(source, variables);
    return text ? *text : "error: " + text.error().message;
}

} // namespace test
