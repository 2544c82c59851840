#include "engine/chat/jinja/parser.h"

#include "engine/chat/jinja/expression_parser.h"
#include "engine/chat/jinja/lexer.h"
#include "engine/chat/jinja/scope_analysis.h"
#include "engine/chat/jinja/token_stream.h"

#include <algorithm>
#include <array>
#include <format>
#include <initializer_list>
#include <span>
#include <unordered_set>

namespace engine::jinja {

namespace {

constexpr std::size_t kMostSourceBytes = 1U << 20U;

class Parser {
public:
    Parser(std::vector<Token> tokens, Heap& literals, NameTable& names)
        : m_tokens(std::move(tokens))
        , m_expressions(m_tokens, literals, names)
    {
    }

    Outcome<Body> run();

private:
    using EndNames = std::initializer_list<std::string_view>;
    using Parse = Outcome<StatementPtr> (Parser::*)(Position at);
    struct Row {
        std::string_view name;
        Parse parse;
    };
    static std::span<const Row> rows();

    Outcome<Body> bodyUntil(EndNames ends);
    Outcome<Body> statements(EndNames ends);
    Outcome<ScopedBody> scopedUntil(EndNames ends);
    Outcome<void> printed(Body& body);
    void data(Body& body);
    Output& outputAtEnd(Body& body, Position at);
    Outcome<StatementPtr> statement();
    bool atEnd(EndNames ends) const;
    std::unexpected<Failure> failUnknown(bool templateEnded) const;

    Outcome<StatementPtr> forLoop(Position at);
    Outcome<StatementPtr> ifStatement(Position at);
    Outcome<StatementPtr> set(Position at);
    Outcome<StatementPtr> macro(Position at);
    Outcome<StatementPtr> callBlock(Position at);
    Outcome<StatementPtr> filterBlock(Position at);
    Outcome<StatementPtr> with(Position at);
    Outcome<StatementPtr> autoescape(Position at);
    Outcome<StatementPtr> generation(Position at);
    Outcome<StatementPtr> block(Position at);
    Outcome<StatementPtr> print(Position at);
    Outcome<StatementPtr> breakLoop(Position at);
    Outcome<StatementPtr> continueLoop(Position at);
    Outcome<StatementPtr> jump(Position at, StatementKind kind);
    Outcome<StatementPtr> otherTemplate(Position at);
    Outcome<void> signature(MacroDefinition& macro);
    Outcome<void> macroBody(MacroDefinition& macro, std::string_view end);

    TokenStream m_tokens;
    ExpressionParser m_expressions;
    std::vector<std::vector<std::string_view>> m_ends; // what closes the open blocks
    std::vector<std::string_view> m_openTags;          // their names
    std::unordered_set<std::string> m_blocks;          // every block's name
    int m_scopes = 0;                                  // around this place
    int m_loops = 0;                                   // around this place, within the macro
};

std::span<const Parser::Row> Parser::rows()
{
    static constexpr std::array kRows = {
        Row{"for", &Parser::forLoop},
        Row{"if", &Parser::ifStatement},
        Row{"set", &Parser::set},
        Row{"macro", &Parser::macro},
        Row{"call", &Parser::callBlock},
        Row{"filter", &Parser::filterBlock},
        Row{"with", &Parser::with},
        Row{"autoescape", &Parser::autoescape},
        Row{"block", &Parser::block},
        Row{"print", &Parser::print},
        Row{"break", &Parser::breakLoop},
        Row{"continue", &Parser::continueLoop},
        Row{"extends", &Parser::otherTemplate},
        Row{"include", &Parser::otherTemplate},
        Row{"import", &Parser::otherTemplate},
        Row{"from", &Parser::otherTemplate},
        Row{"generation", &Parser::generation},
    };
    return kRows;
}

Outcome<Body> Parser::run()
{
    TRY_ASSIGN(Body body, statements({}));
    TRY(m_expressions.checkBuiltins());
    return body;
}

bool Parser::atEnd(EndNames ends) const
{
    return m_tokens.is(TokenType::Name) && std::ranges::contains(ends, m_tokens.current().text);
}

/// Up to, but not including, the name of the tag that closes.
Outcome<Body> Parser::bodyUntil(EndNames ends)
{
    m_tokens.skipOperator(":");
    TRY(m_tokens.expect(TokenType::BlockEnd));
    m_ends.push_back(ends);
    TRY_ASSIGN(Body body, statements(ends));
    if (m_tokens.is(TokenType::End)) return failUnknown(true);
    m_ends.pop_back();
    return body;
}

Outcome<ScopedBody> Parser::scopedUntil(EndNames ends)
{
    ScopedBody scoped;
    const bool conditional = m_expressions.isConditional();
    m_expressions.setConditional(false);
    ++m_scopes;
    TRY_ASSIGN(scoped.statements, bodyUntil(ends));
    --m_scopes;
    m_expressions.setConditional(conditional);
    return scoped;
}

Outcome<Body> Parser::statements(EndNames ends)
{
    TRY_ASSIGN(const Nesting nesting, m_expressions.nest());
    Body body;
    for (;;) {
        switch (m_tokens.current().type) {
        case TokenType::Data:
            data(body);
            break;
        case TokenType::VariableBegin:
            TRY(printed(body));
            break;
        case TokenType::BlockBegin: {
            m_tokens.take();
            if (atEnd(ends)) return body;
            TRY_ASSIGN(StatementPtr parsed, statement());
            body.push_back(std::move(parsed));
            TRY(m_tokens.expect(TokenType::BlockEnd));
            break;
        }
        default:
            return body; // the lexer gives nothing else between tags
        }
    }
}

Output& Parser::outputAtEnd(Body& body, Position at)
{
    if (body.empty() || body.back()->kind != StatementKind::Output)
        body.push_back(std::make_unique<Output>(at));
    return static_cast<Output&>(*body.back());
}

void Parser::data(Body& body)
{
    const Token& token = m_tokens.take();
    outputAtEnd(body, token.at).parts.push_back({std::string(token.text), nullptr});
}

Outcome<void> Parser::printed(Body& body)
{
    const Position at = m_tokens.take().at;
    TRY_ASSIGN(ExpressionPtr expression, m_expressions.tuple());
    outputAtEnd(body, at).parts.push_back({{}, std::move(expression)});
    return m_tokens.expect(TokenType::VariableEnd);
}

Outcome<StatementPtr> Parser::statement()
{
    const Token& token = m_tokens.current();
    if (token.type != TokenType::Name) return m_tokens.fail("tag name expected");
    const auto found = std::ranges::find(rows(), token.text, &Row::name);
    if (found == rows().end()) return failUnknown(false);
    m_openTags.push_back(token.text);
    m_tokens.take();
    TRY_ASSIGN(StatementPtr parsed, (this->*found->parse)(token.at));
    m_openTags.pop_back();
    return parsed;
}

std::unexpected<Failure> Parser::failUnknown(bool templateEnded) const
{
    const std::string_view name = m_tokens.current().text;
    std::string message = templateEnded ? "Unexpected end of template."
                                        : std::format("Encountered unknown tag '{}'.", name);
    if (!m_ends.empty()) {
        std::string looking;
        for (const std::string_view end : m_ends.back())
            looking += std::format("{}'{}'", looking.empty() ? "" : " or ", end);
        const bool misplaced = !templateEnded && std::ranges::any_of(m_ends, [&](const auto& ends) {
            return std::ranges::contains(ends, name);
        });
        message += misplaced
                       ? std::format(" You probably made a nesting mistake. Jinja is expecting "
                                     "this tag, but currently looking for {}.",
                                     looking)
                       : std::format(" Jinja was looking for the following tags: {}.", looking);
    }
    if (!m_openTags.empty())
        message +=
            std::format(" The innermost block that needs to be closed is '{}'.", m_openTags.back());
    return m_tokens.fail(std::move(message));
}

Outcome<StatementPtr> Parser::forLoop(Position at)
{
    auto node = std::make_unique<For>(at);
    const SpecialReads outer = std::exchange(m_expressions.reads(), {});
    TRY_ASSIGN(node->target, m_expressions.target(false));
    TRY(m_tokens.expectName("in"));
    TRY_ASSIGN(node->iterable, m_expressions.tuple(false));
    if (m_tokens.skipName("if")) {
        TRY_ASSIGN(node->filter, m_expressions.expression());
    }
    node->recursive = m_tokens.skipName("recursive");

    const SpecialReads head = std::exchange(m_expressions.reads(), {});
    ++m_loops;
    TRY_ASSIGN(node->body, scopedUntil({"endfor", "else"}));
    --m_loops;
    node->usesLoop = node->recursive || m_expressions.reads().loop;
    m_expressions.reads().merge(head);
    if (m_tokens.take().text == "else") {
        TRY_ASSIGN(node->otherwise, scopedUntil({"endfor"}));
        m_tokens.take();
    }
    if (m_expressions.reads().assignsLoop)
        return m_tokens.failAt(at, "Can't assign to special loop variable in for-loop target");
    m_expressions.reads().merge(outer);
    return node;
}

Outcome<StatementPtr> Parser::ifStatement(Position at)
{
    auto node = std::make_unique<If>(at);
    const bool conditional = m_expressions.isConditional();
    m_expressions.setConditional(true);
    for (;;) {
        TRY_ASSIGN(ExpressionPtr condition, m_expressions.tuple(false));
        TRY_ASSIGN(Body body, bodyUntil({"elif", "else", "endif"}));
        node->branches.push_back({std::move(condition), std::move(body)});
        const std::string_view next = m_tokens.take().text;
        if (next == "elif") continue;
        if (next == "else") {
            TRY_ASSIGN(node->otherwise, bodyUntil({"endif"}));
            m_tokens.take();
        }
        m_expressions.setConditional(conditional);
        return node;
    }
}

Outcome<StatementPtr> Parser::set(Position at)
{
    TRY_ASSIGN(Target target, m_expressions.target(true));
    if (m_tokens.skipOperator("=")) {
        auto node = std::make_unique<Set>(at);
        node->target = std::move(target);
        TRY_ASSIGN(node->value, m_expressions.tuple());
        return node;
    }
    auto node = std::make_unique<SetBlock>(at);
    node->target = std::move(target);
    const bool conditional = m_expressions.isConditional();
    m_expressions.setConditional(false);
    if (m_tokens.isOperator("|")) {
        TRY_ASSIGN(node->filter, m_expressions.filters());
    }
    TRY_ASSIGN(node->body, scopedUntil({"endset"}));
    m_expressions.setConditional(conditional);
    m_tokens.take();
    return node;
}

Outcome<void> Parser::signature(MacroDefinition& macro)
{
    TRY(m_tokens.expectOperator("("));
    while (!m_tokens.isOperator(")")) {
        if (!macro.parameters.empty()) TRY(m_tokens.expectOperator(","));
        const Position at = m_tokens.current().at;
        std::string text(m_tokens.current().text);
        if (std::ranges::contains(macro.parameters, text, &MacroDefinition::Parameter::text))
            return m_tokens.failAt(at,
                                   std::format("duplicate argument '{}' in a definition", text));
        TRY_ASSIGN(const Target name, m_expressions.nameTarget());
        ExpressionPtr fallback;
        if (m_tokens.skipOperator("=")) {
            TRY_ASSIGN(fallback, m_expressions.expression());
        } else if (!macro.parameters.empty() && macro.parameters.back().fallback) {
            return m_tokens.failAt(at, "non-default argument follows default argument");
        }
        macro.parameters.push_back({name.name, std::move(text), std::move(fallback)});
    }
    return m_tokens.expectOperator(")");
}

Outcome<void> Parser::macroBody(MacroDefinition& macro, std::string_view end)
{
    const SpecialReads outer = std::exchange(m_expressions.reads(), {});
    const int loops = std::exchange(m_loops, 0);
    TRY_ASSIGN(macro.body, scopedUntil({end}));
    m_tokens.take();
    m_loops = loops;
    const SpecialReads reads = m_expressions.reads();
    m_expressions.reads().merge(outer);

    const auto parameter = [&](std::string_view name) {
        return std::ranges::find(macro.parameters, name, &MacroDefinition::Parameter::text);
    };
    const auto isParameter = [&](std::string_view name) {
        return parameter(name) != macro.parameters.end();
    };
    if (reads.caller && isParameter("caller") && !parameter("caller")->fallback)
        return m_tokens.fail("When defining macros or call blocks the special \"caller\" argument "
                             "must be omitted or be given a default.");
    macro.readsCaller = reads.caller;
    macro.usesCaller = reads.caller && !isParameter("caller");
    macro.usesVarargs = reads.varargs && !isParameter("varargs");
    macro.usesKwargs = reads.kwargs && !isParameter("kwargs");
    return {};
}

Outcome<StatementPtr> Parser::macro(Position at)
{
    auto node = std::make_unique<MacroStatement>(at);
    const std::string_view name = m_tokens.current().text;
    TRY_ASSIGN(const Target target, m_expressions.nameTarget());
    node->name = target.name;
    node->macro.name = name;
    TRY(signature(node->macro));
    TRY(macroBody(node->macro, "endmacro"));
    return node;
}

Outcome<StatementPtr> Parser::callBlock(Position at)
{
    auto node = std::make_unique<CallBlock>(at);
    node->caller.name = "caller";
    if (m_tokens.isOperator("(")) TRY(signature(node->caller));
    const Position callAt = m_tokens.current().at;
    TRY_ASSIGN(ExpressionPtr call, m_expressions.expression());
    if (call->kind != ExpressionKind::Call) return m_tokens.failAt(callAt, "expected call");
    node->call.reset(static_cast<Call*>(call.release()));
    TRY(macroBody(node->caller, "endcall"));
    return node;
}

Outcome<StatementPtr> Parser::filterBlock(Position at)
{
    auto node = std::make_unique<FilterBlock>(at);
    const bool conditional = m_expressions.isConditional();
    m_expressions.setConditional(false);
    TRY_ASSIGN(node->filter, m_expressions.filters(false));
    TRY_ASSIGN(node->body, scopedUntil({"endfilter"}));
    m_expressions.setConditional(conditional);
    m_tokens.take();
    return node;
}

Outcome<StatementPtr> Parser::with(Position at)
{
    auto node = std::make_unique<With>(at);
    while (!m_tokens.is(TokenType::BlockEnd)) {
        if (!node->variables.empty()) TRY(m_tokens.expectOperator(","));
        TRY_ASSIGN(Target target, m_expressions.target(false, true));
        TRY(m_tokens.expectOperator("="));
        TRY_ASSIGN(ExpressionPtr value, m_expressions.expression());
        node->variables.emplace_back(std::move(target), std::move(value));
    }
    TRY_ASSIGN(node->body, scopedUntil({"endwith"}));
    m_tokens.take();
    return node;
}

Outcome<StatementPtr> Parser::autoescape(Position at)
{
    auto node = std::make_unique<Autoescape>(at);
    TRY_ASSIGN(node->condition, m_expressions.expression());
    TRY_ASSIGN(node->body, scopedUntil({"endautoescape"}));
    m_tokens.take();
    return node;
}

/// Transformers marks with it what the assistant said; the text is not changed.
Outcome<StatementPtr> Parser::generation(Position at)
{
    auto node = std::make_unique<Generation>(at);
    TRY(macroBody(node->macro, "endgeneration"));
    return node;
}

Outcome<StatementPtr> Parser::block(Position at)
{
    auto node = std::make_unique<ScopeStatement>(at);
    TRY_ASSIGN(const std::string name, m_tokens.expectAnyName());
    if (!m_blocks.insert(name).second)
        return m_tokens.failAt(at, std::format("block '{}' defined twice", name));
    m_tokens.skipName("scoped");
    const bool isRequired = m_tokens.skipName("required");
    const int loops = std::exchange(m_loops, 0);
    TRY_ASSIGN(node->body, scopedUntil({"endblock"}));
    m_tokens.take();
    m_tokens.skipName(name);
    m_loops = loops;
    if (!isRequired) return node;
    auto missing = std::make_unique<Fail>(at); // another template would have it
    missing->message = std::format("Required block '{}' not found", name);
    return missing;
}

Outcome<StatementPtr> Parser::print(Position at)
{
    auto node = std::make_unique<Output>(at);
    while (!m_tokens.is(TokenType::BlockEnd)) {
        if (!node->parts.empty()) TRY(m_tokens.expectOperator(","));
        TRY_ASSIGN(ExpressionPtr expression, m_expressions.expression());
        node->parts.push_back({{}, std::move(expression)});
    }
    return node;
}

Outcome<StatementPtr> Parser::jump(Position at, StatementKind kind)
{
    if (m_loops == 0)
        return m_tokens.failAt(at, kind == StatementKind::Break
                                       ? "'break' outside loop"
                                       : "'continue' not properly in loop");
    return std::make_unique<Jump>(kind, at);
}

Outcome<StatementPtr> Parser::breakLoop(Position at)
{
    return jump(at, StatementKind::Break);
}

Outcome<StatementPtr> Parser::continueLoop(Position at)
{
    return jump(at, StatementKind::Continue);
}

/// extends, include, import: there is no other template to load.
Outcome<StatementPtr> Parser::otherTemplate(Position at)
{
    if (m_openTags.back() == "extends" && m_scopes > 0)
        return m_tokens.failAt(at, "cannot use extend from a non top-level scope");
    auto node = std::make_unique<Fail>(at);
    node->message = "no loader for this environment specified";
    TRY(m_expressions.expression()); // its name
    while (!m_tokens.is(TokenType::BlockEnd) && !m_tokens.is(TokenType::End))
        m_tokens.take();
    return node;
}

} // namespace

Outcome<std::unique_ptr<ParsedTemplate>> parse(std::string_view source)
{
    if (source.size() > kMostSourceBytes)
        return std::unexpected(Failure{FailureKind::Limit,
                                       std::format("a template may have {} bytes, this one has {}",
                                                   kMostSourceBytes, source.size()),
                                       {1, 1}});
    auto parsed = std::make_unique<ParsedTemplate>();
    parsed->source = normalizeNewlines(source);
    TRY_ASSIGN(std::vector<Token> tokens, tokenize(parsed->source));
    NameTable names;
    TRY_ASSIGN(parsed->root.statements, Parser(std::move(tokens), parsed->literals, names).run());
    hideNames(parsed->root);
    parsed->names = names.names();
    return parsed;
}

} // namespace engine::jinja
