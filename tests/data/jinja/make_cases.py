#!/usr/bin/env python3
"""Writes cases.json: what Jinja2, set up as Transformers sets it up for chat templates, makes of our templates.

usage: make_cases.py (needs python3-jinja2, as ./dev shell has it). The templates: a line each of expressions.txt (wrapped in {{ }}) and
statements.txt, and the strings of layouts.json. A template that fails is expected to fail, with whatever message.
"""
import datetime
import json
import pathlib

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

HERE = pathlib.Path(__file__).parent
NOW = datetime.datetime(2024, 7, 26, 13, 5, 9)


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.TemplateError(message)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = to_json
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def paired(text):
    """Surrogates that belong together joined, others replaced: what is printed is UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def lines(name):
    return (HERE / name).read_text(encoding="utf-8").splitlines()


def main():
    env = environment()
    variables = json.loads((HERE / "variables.json").read_text(encoding="utf-8"))
    templates = ["{{ " + line + " }}" for line in lines("expressions.txt")]
    templates += lines("statements.txt")
    templates += json.loads((HERE / "layouts.json").read_text(encoding="utf-8"))
    cases = []
    for template in dict.fromkeys(templates):
        try:
            text = env.from_string(template).render(**variables)
        except Exception:
            cases.append({"template": template})
        else:
            if " at 0x" not in text:  # an address is another one every time
                cases.append({"template": template, "text": paired(text)})
    out = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"
    (HERE / "cases.json").write_text(out, encoding="utf-8")


if __name__ == "__main__":
    main()
