#pragma once

#include "engine/base/result.h"
#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <memory>
#include <string>
#include <string_view>

namespace engine::jinja {

struct ParsedTemplate;

struct RenderOptions {
    Limits limits;
    Clock clock; ///< none: the system's local time
};

/// A parsed template. Renders as Jinja2 3.1 does in Transformers: in the immutable sandbox, with
/// trim_blocks, lstrip_blocks and loop controls, and with that library's tojson, raise_exception,
/// strftime_now and generation blocks. It sees its variables and nothing else. Immutable; any
/// thread may render.
class Template {
public:
    /// Fails with kind Syntax, or Limit where it is too long or too deeply nested.
    static Outcome<Template> parse(std::string_view source);

    Template(Template&&) noexcept;
    Template& operator=(Template&&) noexcept;
    ~Template();

    /// `variables` live in `heap`, which grows by what rendering needs.
    Outcome<std::string> render(Heap& heap, const Dict& variables,
                                const RenderOptions& options) const;

private:
    explicit Template(std::unique_ptr<const ParsedTemplate> parsed);

    std::unique_ptr<const ParsedTemplate> m_parsed;
};

/// The subject of an error that the template raised itself.
inline constexpr std::string_view kRaised = "raise_exception";

/// BadTemplate, its message with line and column: "line 3, column 7: 'x' is undefined".
Error toError(const Failure& failure);

} // namespace engine::jinja
