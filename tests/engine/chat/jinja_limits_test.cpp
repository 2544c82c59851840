#include "tests/support/engine/jinja_render.h"
#include "tests/support/engine/processor_time.h"

#include "engine/chat/jinja/stack_budget.h"

#include <functional>
#include <gtest/gtest.h>

#ifdef __linux__
#include <pthread.h>
#endif

namespace {

using engine::jinja::FailureKind;

std::string repeated(std::string_view part, std::size_t times)
{
    std::string text;
    for (std::size_t i = 0; i < times; ++i)
        text += part;
    return text;
}

struct Hostile {
    const char* name;
    std::string source;
};

std::vector<Hostile> hostileTemplates()
{
    const std::string loop = "{% for i in range(100000) %}{% for j in range(100000) %}";
    const std::string ends = "{% endfor %}{% endfor %}";
    const auto repeatedly = [&](const std::string& body) {
        return "{% set ns = namespace(s='ab', l=[1], t=(1,), d={}, g=[1]) %}" + loop + body + ends;
    };
    return {
        {"a range beyond the sandbox", "{{ range(10**9) }}"},
        {"a text repeated", "{{ 'x' * 10**9 }}"},
        {"a list repeated", "{{ [1] * 10**9 }}"},
        {"a list repeated in turns", repeatedly("{% set ns.l = ns.l * 10 %}")},
        {"nested loops", "{% for i in range(25000) %}{% for j in range(25000) %}x{% endfor %}"
                         "{% endfor %}"},
        {"loops that print nothing", loop + ends},
        {"a macro that calls itself", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"},
        {"macros that call each other", "{% macro f() %}{{ g() }}{% endmacro %}"
                                        "{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}"},
        {"a caller that calls",
         "{% macro f() %}{% call f() %}{% endcall %}{% endmacro %}{{ f() }}"},
        {"a recursive loop without end", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}"},
        {"parentheses", repeated("{{ ", 1) + repeated("(", 100'000)},
        {"closed parentheses",
         "{{ " + repeated("(", 100'000) + "1" + repeated(")", 100'000) + " }}"},
        {"lists", "{{ " + repeated("[", 100'000) + repeated("]", 100'000) + " }}"},
        {"dicts", "{{ " + repeated("{1:", 50'000) + "1" + repeated("}", 50'000) + " }}"},
        {"signs", "{{ " + repeated("-", 100'000) + "1 }}"},
        {"negations", "{{ " + repeated("not ", 100'000) + "1 }}"},
        {"conditions", "{{ " + repeated("1 if 1 else ", 50'000) + "1 }}"},
        {"attributes", "{{ x" + repeated(".x", 100'000) + " }}"},
        {"items", "{{ x" + repeated("[0]", 100'000) + " }}"},
        {"items inside", "{{ " + repeated("x[", 100'000) + "0" + repeated("]", 100'000) + " }}"},
        {"calls", "{{ f" + repeated("()", 100'000) + " }}"},
        {"filters", "{{ x" + repeated("|e", 100'000) + " }}"},
        {"tests", "{{ x" + repeated(" is in(x", 50'000) + " }}"},
        {"ifs", repeated("{% if 1 %}", 50'000)},
        {"fors", repeated("{% for i in x %}", 50'000)},
        {"macros", repeated("{% macro m() %}", 50'000)},
        {"targets", "{% set " + repeated("(", 100'000) + "x = 1 %}"},
        {"a text that doubles", repeatedly("{% set ns.s = ns.s + ns.s %}")},
        {"a text joined with itself", repeatedly("{% set ns.s = ns.s ~ ns.s %}")},
        {"a text that replace doubles", repeatedly("{% set ns.s = ns.s|replace('a', 'aa') %}")},
        {"a text that joins itself", repeatedly("{% set ns.s = ns.s.join([ns.s, ns.s]) %}")},
        {"a text centred ever wider", "{{ 'x'.center(10**9) }}"},
        {"a text filled with zeros", "{{ 'x'.zfill(10**18) }}"},
        {"tabs as wide as can be", "{{ ('\t' * 1000).expandtabs(10**9) }}"},
        {"an indentation", "{{ 'a\nb'|indent(10**9) }}"},
        {"a number formatted wide", "{{ '%1000000000d' % 1 }}"},
        {"a number formatted wide again", "{{ '{:>1000000000}'.format(1) }}"},
        {"a number formatted long", "{{ '%.1000000000f' % 1 }}"},
        {"a large power", "{{ 10 ** (10 ** 9) }}"},
        {"a larger power", "{{ (9 ** 9) ** (9 ** 9) }}"},
        {"a number that squares itself", repeatedly("{% set ns.n = (ns.n or 3) ** 2 %}")},
        {"a list in a list", repeatedly("{% set ns.l = [ns.l, ns.l] %}") + "{{ ns.l }}"},
        {"a list printed twice as long each time",
         "{% set ns = namespace(l=[1]) %}{% for i in range(64) %}{% set ns.l = [ns.l, ns.l] %}"
         "{% endfor %}{{ ns.l }}"},
        {"the same as JSON",
         "{% set ns = namespace(l=[1]) %}{% for i in range(64) %}{% set ns.l = [ns.l, ns.l] %}"
         "{% endfor %}{{ ns.l|tojson }}"},
        {"the same compared", "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(64) %}{% "
                              "set ns.a = [ns.a, ns.a] %}"
                              "{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}"},
        {"the same as a key",
         "{% set ns = namespace(t=(1,)) %}{% for i in range(64) %}{% set ns.t = (ns.t, ns.t) %}"
         "{% endfor %}{{ {ns.t: 1} }}"},
        {"a deep list printed",
         "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}"
         "{% endfor %}{{ ns.l }}"},
        {"a deep tuple as a key",
         "{% set ns = namespace(t=()) %}{% for i in range(99999) %}{% set ns.t = (ns.t,) %}"
         "{% endfor %}{{ {ns.t: 1} }}"},
        {"a deep list compared",
         "{% set ns = namespace(a=[], b=[]) %}{% for i in range(99999) %}{% set ns.a = [ns.a] %}"
         "{% set ns.b = [ns.b] %}{% endfor %}{{ ns.a == ns.b }}"},
        {"a namespace in itself", "{% set ns = namespace() %}{% set ns.ns = ns %}{{ ns }}"},
        {"a generator over generators",
         "{% set ns = namespace(g=[1]) %}{% for i in range(99999) %}"
         "{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list }}"},
        {"a search that a plain one is slow at",
         "{% set h = 'a' * 8000000 %}{% set n = 'a' * 4000000 + 'b' %}"
         "{% for i in range(99999) %}{% if n in h %}{% endif %}{% endfor %}"},
        {"a long text compared again and again",
         "{% set a = 'a' * 8000000 %}{% set b = 'a' * 7999999 + 'b' %}"
         "{% for i in range(99999) %}{% if a == b %}{% endif %}{% endfor %}"},
        {"a long text indexed again and again",
         "{% set a = 'é' * 4000000 %}{% for i in range(99999) %}{% if a[3999999] %}{% endif %}"
         "{% endfor %}"},
        {"a long text trimmed again and again",
         "{% set a = ' ' * 8000000 %}{% for i in range(99999) %}{% if a.strip() %}{% endif %}"
         "{% endfor %}"},
        {"words wrapped one by one", "{{ ('x' * 8000000)|wordwrap(1) }}"},
        {"a dict of many keys", repeatedly("{% set ns.d = dict(ns.d, **{'k' ~ (i * j): 1}) %}")},
        {"lists sliced again and again",
         "{% set l = [1] * 100000 %}{% for i in range(99999) %}{% set x = l[:] %}{% endfor %}"},
    };
}

TEST(JinjaLimitsTest, HostileTemplatesEndSoonWithAnError)
{
    for (const Hostile& hostile : hostileTemplates()) {
        SCOPED_TRACE(hostile.name);
        const test::ProcessorTime time;
        const auto text = test::renderJinja(hostile.source);
        const double seconds = time.seconds();
        EXPECT_FALSE(text.has_value());
        if (!text) {
            EXPECT_GT(text.error().at.line, 0U) << text.error().message;
        }
        EXPECT_LT(seconds, 1.0);
    }
}

#ifdef __linux__
/// Runs `work` on a thread with so small a stack.
void* callFunction(void* function)
{
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
}

TEST(JinjaLimitsTest, AStackOf256KibSuffices)
{
    std::function<void()> work = [] {
        for (const Hostile& hostile : hostileTemplates())
            if (hostile.source.find("range(") == std::string::npos) {
                EXPECT_FALSE(test::renderJinja(hostile.source).has_value()) << hostile.name;
            }
    };
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes,
                                        engine::jinja::StackBudget::kFrameGrowth * (256U << 10U)),
              0);
    pthread_t thread = {};
    ASSERT_EQ(pthread_create(&thread, &attributes, &callFunction, &work), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}
#endif

TEST(JinjaLimitsTest, WhatIsReasonableStaysWithinThem)
{
    const auto ok = [](const std::string& source) {
        const auto text = test::renderJinja(source);
        EXPECT_TRUE(text) << source.substr(0, 80) << ": " << (text ? "" : text.error().message);
    };
    ok("{{ " + repeated("(", 50) + "1" + repeated(")", 50) + " }}");
    ok("{{ 1" + repeated(" + 1", 20'000) + " }}");
    ok("{{ 'a'" + repeated(" ~ 'a'", 20'000) + " }}");
    ok("{{ 1" + repeated(" and 1", 20'000) + " }}");
    ok("{{ 'a'" + repeated("|upper", 100) + " }}");
    ok(repeated("{% if 1 %}", 50) + repeated("{% endif %}", 50));
    ok("{% if 0 %}" + repeated("{% elif 0 %}", 5'000) + "{% endif %}");
    ok("{% macro f(n) %}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}");
    ok("{% for i in range(100000) %}x{% endfor %}");
    ok("{{ 'x' * 8000000 }}");
}

TEST(JinjaLimitsTest, EachLimitIsItsOwn)
{
    using engine::jinja::Limits;
    const auto kindOf = [](std::string_view source, const Limits& limits) {
        const auto text = test::renderJinja(source, "{}", limits);
        return text ? std::string("none") : text.error().message;
    };
    EXPECT_EQ(kindOf("{% for i in range(100) %}{% endfor %}", {.steps = 50}),
              "the template takes more than 50 steps");
    EXPECT_EQ(kindOf("{% for i in range(100) %}{% endfor %}", {.steps = 5'000}), "none");
    EXPECT_EQ(kindOf("{{ 'x' * 1048577 }}", {.textBytes = 1U << 20U}),
              "a text is longer than 1 MiB");
    EXPECT_EQ(kindOf("{{ 'x' * 1048576 }}", {.textBytes = 1U << 20U}), "none");
    EXPECT_EQ(kindOf("{% set x = 'x' * 1048576 %}{{ x }}{{ x }}", {.textBytes = 1U << 20U}),
              "the template writes more than 1 MiB");
    EXPECT_EQ(kindOf("{% set a = 'x' * 700000 %}{% set b = a ~ a %}", {.memoryBytes = 1U << 20U}),
              "the template needs more than 1 MiB of memory");
}

TEST(JinjaLimitsTest, ASourceOfOneMebibyteIsTheLongest)
{
    EXPECT_TRUE(test::renderJinja(std::string(1U << 20U, 'x')));
    const auto text = test::renderJinja(std::string((1U << 20U) + 1, 'x'));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, FailureKind::Limit);
}

} // namespace
