#pragma once

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/scope.h"

#include <string>

namespace engine::jinja {

/// Who carries out a macro's body.
class MacroHost {
public:
    virtual ~MacroHost() = default;
    virtual Outcome<Value> callMacro(const MacroDefinition& macro, Scope& closure,
                                     const Arguments& arguments) = 0;
};

/// A macro, or the body of a call block, as a value.
class Macro final : public Instance {
public:
    /// `closure`: where it was defined. All must outlive the macro.
    Macro(MacroHost& host, const MacroDefinition& definition, Scope& closure, bool isAnonymous)
        : m_host(host)
        , m_definition(definition)
        , m_closure(closure)
        , m_isAnonymous(isAnonymous)
    {
    }

    std::string_view typeName() const override { return "jinja2.runtime.Macro"; }
    Outcome<std::string> represent(Runtime& runtime) override;
    bool isCallable() const override { return true; }
    Outcome<Value> call(Runtime& runtime, const Arguments& arguments) override;
    Outcome<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;

private:
    MacroHost& m_host;
    const MacroDefinition& m_definition;
    Scope& m_closure;
    bool m_isAnonymous;
};

} // namespace engine::jinja
