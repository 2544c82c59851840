#include "engine/chat/jinja/template.h"

#include "engine/chat/jinja/interpreter.h"
#include "engine/chat/jinja/parser.h"
#include "engine/chat/jinja/unicode.h"

#include <ctime>
#include <format>

namespace engine::jinja {

namespace {

std::tm localTime()
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
#ifdef _WIN32
    localtime_s(&local, &now);
#else
    localtime_r(&now, &local);
#endif
    return local;
}

} // namespace

Template::Template(std::unique_ptr<const ParsedTemplate> parsed)
    : m_parsed(std::move(parsed))
{
}

Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

Outcome<Template> Template::parse(std::string_view source)
{
    TRY_ASSIGN(std::unique_ptr<const ParsedTemplate> parsed, jinja::parse(source));
    return Template(std::move(parsed));
}

Outcome<std::string> Template::render(Heap& heap, const Dict& variables,
                                      const RenderOptions& options) const
{
    Runtime runtime(heap, options.limits, options.clock ? options.clock : Clock(&localTime));
    return Interpreter(*m_parsed, runtime, variables).run().transform(unicode::withoutSurrogates);
}

Error toError(const Failure& failure)
{
    return Error{
        ErrorCode::BadTemplate,
        std::format("line {}, column {}: {}", failure.at.line, failure.at.column, failure.message),
        std::string(failure.kind == FailureKind::Raised ? kRaised : std::string_view()), 0, 0};
}

} // namespace engine::jinja
