#pragma once

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/evaluator.h"
#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/loop.h"
#include "engine/chat/jinja/macro.h"
#include "engine/chat/jinja/parser.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/scope.h"

#include <string>

namespace engine::jinja {

/// Carries out the statements of one template, once.
class Interpreter final : public MacroHost, public LoopHost {
public:
    /// All must outlive the interpreter.
    Interpreter(const ParsedTemplate& parsed, Runtime& runtime, const Dict& variables);

    Outcome<std::string> run();

private:
    enum class Flow : std::uint8_t { Next, Break, Continue };

    Outcome<Value> callMacro(const MacroDefinition& macro, Scope& closure,
                             const Arguments& arguments) override;
    Outcome<Value> repeatLoop(const For& node, Scope& scope, Value iterable, int depth) override;
    Outcome<bool> passesFilter(const For& node, Scope& scope, Value item) override;

    Outcome<Flow> execute(const Body& body, Scope& scope);
    Outcome<Flow> executeOne(const Statement& statement, Scope& scope);
    Outcome<Flow> executeScoped(const ScopedBody& body, Scope& scope);
    Outcome<Flow> output(const Output& node, Scope& scope);
    Outcome<Flow> branch(const If& node, Scope& scope);
    Outcome<Flow> loop(const For& node, Scope& scope, Value iterable, int depth);
    /// Whether any iteration reached its end: if none did, `else` follows, as in Jinja2.
    Outcome<bool> iterateBody(const For& node, Scope& scope, LoopContext& context);
    Outcome<Flow> set(const Set& node, Scope& scope);
    Outcome<Flow> setBlock(const SetBlock& node, Scope& scope);
    Outcome<Flow> defineMacro(const MacroStatement& node, Scope& scope);
    Outcome<Flow> callBlock(const CallBlock& node, Scope& scope);
    Outcome<Flow> filterBlock(const FilterBlock& node, Scope& scope);
    Outcome<Flow> generation(const Generation& node, Scope& scope);
    Outcome<Flow> with(const With& node, Scope& scope);
    Outcome<Flow> autoescape(const Autoescape& node, Scope& scope);

    Outcome<void> emit(Value value);
    Outcome<void> emitText(Value value);
    Outcome<void> checkOutput() const;
    Outcome<void> assign(const Target& target, Value value, Scope& scope);
    Outcome<void> assignParts(const Target& target, Value value, Scope& scope);
    Outcome<void> bindParameters(const MacroDefinition& macro, const Arguments& arguments,
                                 Scope& scope);
    Scope& newScope(const ScopedBody& body, Scope* parent);
    void enter(const ScopedBody& body, Scope& scope);

    /// The text that `body` would have printed; Flow where it jumped out instead.
    struct Captured {
        Flow flow = Flow::Next;
        Value text;
    };
    Outcome<Captured> capture(const ScopedBody& body, Scope& scope);

    const ParsedTemplate& m_template;
    Runtime& m_runtime;
    Evaluator m_evaluator;
    TextBuilder* m_out = nullptr;
    NameId m_loopName;
    NameId m_callerName;
    NameId m_varargsName;
    NameId m_kwargsName;
};

} // namespace engine::jinja
