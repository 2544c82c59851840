#pragma once

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/infix_operator.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/stack_budget.h"
#include "engine/chat/jinja/token_stream.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine::jinja {

/// The names of a template's variables, numbered.
class NameTable {
public:
    NameId idOf(std::string_view name);
    const std::vector<std::string>& names() const { return m_names; }

private:
    std::vector<std::string> m_names;
    std::unordered_map<std::string, NameId> m_ids;
};

/// What a body does with names that mean something special around it.
struct SpecialReads {
    bool caller = false;
    bool varargs = false;
    bool kwargs = false;
    bool loop = false;
    bool assignsLoop = false;

    void merge(const SpecialReads& other)
    {
        caller |= other.caller;
        varargs |= other.varargs;
        kwargs |= other.kwargs;
        loop |= other.loop;
        assignsLoop |= other.assignsLoop;
    }
};

/// Parses expressions by precedence. Nesting is bounded.
class ExpressionParser {
public:
    ExpressionParser(TokenStream& tokens, Heap& literals, NameTable& names)
        : m_tokens(tokens)
        , m_literals(literals)
        , m_names(names)
    {
    }

    Outcome<ExpressionPtr> expression(bool allowConditional = true);
    /// One expression, or several with commas between them: then a tuple.
    Outcome<ExpressionPtr> tuple(bool allowConditional = true);
    /// `name(arguments) | name ...` with no subject, behind a bar or not.
    Outcome<ExpressionPtr> filters(bool behindBar = true);
    /// For `{% call %}`.
    Outcome<ExpressionPtr> primary();
    Outcome<ExpressionPtr> postfix(ExpressionPtr node);
    /// What an assignment writes to; `single`: no tuple without parentheses.
    Outcome<Target> target(bool allowNamespace, bool single = false);
    Outcome<Target> nameTarget();

    /// Where true, a filter or test that does not exist fails only when it is used.
    void setConditional(bool conditional) { m_conditional = conditional; }
    bool isConditional() const { return m_conditional; }
    /// The first filter or test elsewhere that does not exist.
    Outcome<void> checkBuiltins() const;
    SpecialReads& reads() { return m_reads; }
    /// Counts against the bound on nesting, which statements share.
    Outcome<Nesting> nest();

    Value literalText(std::string_view text);

private:
    Outcome<ExpressionPtr> operation(Precedence least);
    Outcome<ExpressionPtr> joined(ExpressionPtr first, const InfixOperator& next);
    Outcome<ExpressionPtr> negation();
    Outcome<ExpressionPtr> group(ExpressionKind kind, ExpressionPtr first);
    Outcome<ExpressionPtr> comparison(ExpressionPtr first);
    Outcome<ExpressionPtr> arithmetic(ExpressionPtr first);
    Outcome<ExpressionPtr> sign(bool allowFilters);
    Outcome<ExpressionPtr> applied(ExpressionPtr node);

    Outcome<ExpressionPtr> string();
    Outcome<ExpressionPtr> number();
    Outcome<ExpressionPtr> parenthesized();
    Outcome<ExpressionPtr> list();
    Outcome<ExpressionPtr> dict();
    Outcome<ExpressionPtr> name();
    Outcome<ExpressionPtr> step(ExpressionPtr owner);
    Outcome<ExpressionPtr> attribute(ExpressionPtr owner);
    Outcome<ExpressionPtr> item(ExpressionPtr owner);
    Outcome<ExpressionPtr> itemKey();
    Outcome<ExpressionPtr> call(ExpressionPtr callee);
    Outcome<ExpressionPtr> filter(ExpressionPtr subject);
    Outcome<ExpressionPtr> test(ExpressionPtr subject);
    Outcome<CallArguments> arguments();
    Outcome<void> argument(CallArguments& arguments);
    Outcome<std::string> dottedName();
    bool endsTuple() const;
    bool beginsTestArgument() const;
    void reportMissing(const Application& node, std::string_view what);
    /// Sets the height, and fails where it is too much.
    Outcome<ExpressionPtr> finished(ExpressionPtr node, int childHeight);

    TokenStream& m_tokens;
    Heap& m_literals;
    NameTable& m_names;
    std::unordered_map<std::string, Value> m_texts; // equal literals are one object
    SpecialReads m_reads;
    std::vector<Failure> m_missing;
    bool m_conditional = false;
    StackBudget m_stack{192U << 10U};
    int m_depth = 0;
};

} // namespace engine::jinja
