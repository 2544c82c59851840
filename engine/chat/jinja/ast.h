#pragma once

#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A template as a tree. Built by the parsers, never changed afterwards.
namespace engine::jinja {

/// A variable's name, numbered per template.
using NameId = std::uint32_t;

enum class ExpressionKind : std::uint8_t {
    Literal,
    Name,
    List,
    Tuple,
    Dict,
    Attribute,
    Item,
    Slice,
    Call,
    Filter,
    Test,
    Not,
    Sign,
    Arithmetic,
    Concatenation,
    Comparison,
    And,
    Or,
    Conditional,
};

struct Expression {
    Expression(ExpressionKind what, Position where)
        : kind(what)
        , at(where)
    {
    }
    virtual ~Expression() = default;
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;

    ExpressionKind kind;
    Position at;
    int height = 1; ///< of the tree from here down; bounded, so that walking it is
};
using ExpressionPtr = std::unique_ptr<Expression>;

struct Literal final : Expression {
    Literal(Position where, Value constant)
        : Expression(ExpressionKind::Literal, where)
        , value(constant)
    {
    }
    Value value; ///< in the template's heap
};

struct Name final : Expression {
    Name(Position where, NameId number)
        : Expression(ExpressionKind::Name, where)
        , id(number)
    {
    }
    NameId id;
};

/// A list, a tuple, `and`, `or` or a concatenation of any number of operands.
struct Group final : Expression {
    using Expression::Expression;
    std::vector<ExpressionPtr> items;
};

struct DictDisplay final : Expression {
    explicit DictDisplay(Position where)
        : Expression(ExpressionKind::Dict, where)
    {
    }
    std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};

/// `owner.name`
struct Attribute final : Expression {
    explicit Attribute(Position where)
        : Expression(ExpressionKind::Attribute, where)
    {
    }
    ExpressionPtr owner;
    Value name; ///< a text in the template's heap
};

/// `owner[key]`
struct Item final : Expression {
    explicit Item(Position where)
        : Expression(ExpressionKind::Item, where)
    {
    }
    ExpressionPtr owner;
    ExpressionPtr key;
};

/// `first:last:step` inside brackets; each part may be null.
struct Slice final : Expression {
    explicit Slice(Position where)
        : Expression(ExpressionKind::Slice, where)
    {
    }
    ExpressionPtr first;
    ExpressionPtr last;
    ExpressionPtr step;
};

struct CallArguments {
    std::vector<ExpressionPtr> positional;
    std::vector<std::pair<std::string, ExpressionPtr>> named;
    ExpressionPtr morePositional; ///< `*sequence`
    ExpressionPtr moreNamed;      ///< `**mapping`
};

struct Call final : Expression {
    explicit Call(Position where)
        : Expression(ExpressionKind::Call, where)
    {
    }
    ExpressionPtr callee;
    CallArguments arguments;
};

/// `subject | name(arguments)` or `subject is name(arguments)`.
struct Application final : Expression {
    using Expression::Expression;
    ExpressionPtr subject;            ///< null at the start of a block's filters
    const Builtin* builtin = nullptr; ///< null where there is none: then evaluating it fails
    std::string name;
    CallArguments arguments;
    bool negated = false; ///< `is not`
};

/// `not operand`, or a sign before it.
struct Prefix final : Expression {
    using Expression::Expression;
    ExpressionPtr operand;
    bool negative = false;
};

/// Operands with arithmetic operators of one precedence between them, from left to right.
struct Arithmetic final : Expression {
    explicit Arithmetic(Position where)
        : Expression(ExpressionKind::Arithmetic, where)
    {
    }
    struct Step {
        BinaryOperator operation;
        Position at;
        ExpressionPtr operand;
        /// Of a power whose base is a constant and its exponent none: a minus of the base's counts
        /// for the result, since Jinja2 writes `-2 ** n` as Python, which takes the power first.
        bool signsResult = false;
    };
    ExpressionPtr first;
    std::vector<Step> steps;
};

/// `a < b <= c`: true where every neighbouring pair is.
struct ComparisonChain final : Expression {
    explicit ComparisonChain(Position where)
        : Expression(ExpressionKind::Comparison, where)
    {
    }
    struct Step {
        Comparison comparison;
        Position at;
        ExpressionPtr operand;
    };
    ExpressionPtr first;
    std::vector<Step> steps;
};

/// `value if condition else otherwise`; `otherwise` may be null.
struct Conditional final : Expression {
    explicit Conditional(Position where)
        : Expression(ExpressionKind::Conditional, where)
    {
    }
    ExpressionPtr value;
    ExpressionPtr condition;
    ExpressionPtr otherwise;
};

enum class StatementKind : std::uint8_t {
    Output,
    If,
    For,
    Set,
    SetBlock,
    Macro,
    CallBlock,
    FilterBlock,
    With,
    Scope,
    Generation,
    Autoescape,
    Break,
    Continue,
    Fail,
};

struct Statement {
    Statement(StatementKind what, Position where)
        : kind(what)
        , at(where)
    {
    }
    virtual ~Statement() = default;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    StatementKind kind;
    Position at;
};
using StatementPtr = std::unique_ptr<Statement>;
using Body = std::vector<StatementPtr>;

/// Statements with variables of their own. `hidden`: names that read as undefined here until they
/// are set, although something outside may be called so (see scope_analysis.h).
struct ScopedBody {
    Body statements;
    std::vector<NameId> hidden;
};

/// Text and printed expressions, in turn.
struct Output final : Statement {
    explicit Output(Position where)
        : Statement(StatementKind::Output, where)
    {
    }
    struct Part {
        std::string text;
        ExpressionPtr expression; ///< null: the text
    };
    std::vector<Part> parts;
};

struct If final : Statement {
    explicit If(Position where)
        : Statement(StatementKind::If, where)
    {
    }
    struct Branch {
        ExpressionPtr condition;
        Body body;
    };
    std::vector<Branch> branches; ///< if, elif ...
    Body otherwise;
};

/// What an assignment writes to: a name, an attribute of a namespace, or several of these.
struct Target {
    Position at;
    NameId name = 0;
    Value attribute;           ///< of the namespace in `name`; None: the variable itself
    std::vector<Target> parts; ///< not empty: unpacked into these
};

struct For final : Statement {
    explicit For(Position where)
        : Statement(StatementKind::For, where)
    {
    }
    Target target;
    ExpressionPtr iterable;
    ExpressionPtr filter; ///< may be null
    bool recursive = false;
    bool usesLoop = false; ///< somewhere inside, `loop` is read
    ScopedBody body;
    ScopedBody otherwise;
};

struct Set final : Statement {
    explicit Set(Position where)
        : Statement(StatementKind::Set, where)
    {
    }
    Target target;
    ExpressionPtr value;
};

/// `{% set name | filters %}...{% endset %}`
struct SetBlock final : Statement {
    explicit SetBlock(Position where)
        : Statement(StatementKind::SetBlock, where)
    {
    }
    Target target;
    ExpressionPtr filter; ///< an Application without a subject at its root; may be null
    ScopedBody body;
};

/// The parameters and body of a macro or of a call block.
struct MacroDefinition {
    struct Parameter {
        NameId name;
        std::string text;
        ExpressionPtr fallback; ///< may be null
    };
    std::string name;
    std::vector<Parameter> parameters;
    ScopedBody body;
    bool readsCaller = false; ///< anywhere inside
    bool usesCaller = false;  ///< and has no parameter called so; the same for the next two
    bool usesVarargs = false;
    bool usesKwargs = false;
};

struct MacroStatement final : Statement {
    explicit MacroStatement(Position where)
        : Statement(StatementKind::Macro, where)
    {
    }
    NameId name = 0;
    MacroDefinition macro;
};

/// `{% call(parameters) callee(...) %}...{% endcall %}`
struct CallBlock final : Statement {
    explicit CallBlock(Position where)
        : Statement(StatementKind::CallBlock, where)
    {
    }
    MacroDefinition caller;
    std::unique_ptr<Call> call;
};

struct FilterBlock final : Statement {
    explicit FilterBlock(Position where)
        : Statement(StatementKind::FilterBlock, where)
    {
    }
    ExpressionPtr filter;
    ScopedBody body;
};

struct With final : Statement {
    explicit With(Position where)
        : Statement(StatementKind::With, where)
    {
    }
    std::vector<std::pair<Target, ExpressionPtr>> variables;
    ScopedBody body;
};

/// `{% block %}`: a scope of its own and nothing more.
struct ScopeStatement final : Statement {
    explicit ScopeStatement(Position where)
        : Statement(StatementKind::Scope, where)
    {
    }
    ScopedBody body;
};

/// `{% generation %}`: in Transformers a call block, so a macro's body that is called at once.
struct Generation final : Statement {
    explicit Generation(Position where)
        : Statement(StatementKind::Generation, where)
    {
    }
    MacroDefinition macro;
};

struct Autoescape final : Statement {
    explicit Autoescape(Position where)
        : Statement(StatementKind::Autoescape, where)
    {
    }
    ExpressionPtr condition;
    ScopedBody body;
};

/// `{% break %}` and `{% continue %}`.
struct Jump final : Statement {
    using Statement::Statement;
};

/// A statement that cannot be carried out where there is nothing but one template.
struct Fail final : Statement {
    explicit Fail(Position where)
        : Statement(StatementKind::Fail, where)
    {
    }
    std::string message;
};

} // namespace engine::jinja
