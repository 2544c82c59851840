"""Reads the starter's texts and expands them into conversations.

A pattern is plain text with (one|or another|) and {name}, a list of words.txt. "def:" and "how:" lines list subjects
that are put into common ways of asking. Everything is drawn from one random.Random, so a seed repeats it.
"""
import pathlib
import random
import re

TEXTS = pathlib.Path(__file__).parent / "texts"

DEFINITIONS = [
    "{whatis} @", "{whatis} @", "{whatis} @", "what does @ (do|mean|do exactly|stand for)", "what do you mean by @", "@",
    "@ (explained|meaning|explanation)", "what is @ (for|good for|about)", "what's @ (for|good for|all about)",
    "meaning of @", "I (have never heard of|know nothing about|want to understand|am confused by|keep reading about) @",
    "what is meant by @", "(can|could|would) you (explain|tell me about|describe) @( to me| briefly| in one sentence|)",
    "how does @ work", "why (do I need|would I use|should I use|would anybody use) @", "what would @ (do|change|be)",
    "what (are|is) @", "(do I need|should I know|should I care about) @", "please (explain|describe) @( in simple words| to me|)",
    "I do not (understand|get) @", "@, what (is that|does it mean|does that mean|is it for)", "explain @( shortly| in short| to a beginner|)",
    "what (exactly|actually|really) (is|are) @", "tell me (more|something) about @", "@ (please|?)",
]
WAYS = [
    "{how} @", "{how} @", "{how} @", "{how} @", "{how} @", "how would somebody @", "what is needed to @", "@", "@ (please|now|how)",
    "I (want|wish|have|am trying|am not able|would love) to @", "(could|can|may) I @( somehow| here| in this program|)",
    "is there (any|some) (way|trick|button|key|shortcut) to @", "where do I go to @", "which (button|key) do I press to @",
    "(what should|what must|what could) I do to @", "(could|would) you @( for me|)", "let me @", "please @",
    "I'd like to @", "what if I want to @", "I (can't|cannot) find out how to @", "someone told me I can @, how",
]
BEFORE = ["", "", "", "", "", "", "", "", "", "", "", "hi, ", "hello, ", "hey, ", "please ", "so ", "and ", "ok, ", "quick question: ",
          "sorry, ", "excuse me, ", "well, ", "now, ", "one more question: ", "um, ", "hello there, ", "so, ", "but ", "oh, "]
AFTER = ["", "", "", "", "", "", "", "", "", "", " please", " here", " in inglenook", " now", " exactly", " again", " then", " for me",
         " today", " in this program", ", please", ", thanks", " at all", " actually"]
SYSTEMS = ["You are a helpful assistant.", "Be brief.", "Answer in short sentences.", "You are a friendly guide.",
           "You help people with this program.", "You are an expert."]
SYNONYMS = [line.split() for line in """
chat conversation dialogue discussion
answer reply response
message question text
delete remove erase
big large huge
bigger larger
small little tiny
fast quick speedy
slow sluggish
faster quicker
memory RAM
computer machine PC laptop system
stop halt interrupt end
write type produce
show display present
use employ utilise
make create produce
change alter modify switch
find locate discover
get obtain acquire fetch
open load start
close shut quit
keep store save
begin start
need require
help assist
word term
file download
model LLM AI
key shortcut button
good decent fine
best ideal
explain clarify describe
choose pick select
setting option
settings options
slider knob control
sliders knobs controls
program app application software
window screen
picture image photo
private confidential
offline disconnected
internet web net
different another other
again anew
old earlier previous
copy duplicate
title name heading
random arbitrary
wrong incorrect false
long lengthy
short brief
folder directory
hidden gone
want wish like
""".strip().splitlines()]
SYNONYM_OF = {word: group for group in SYNONYMS for word in group}
SYLLABLES = [a + b for a in "b c d f g h j k l m n p r s t v w z st tr gl fr".split() for b in "a e i o u ar en il on us".split()]


class Corpus:
    def __init__(self):
        self.words = {}
        for line in self._lines("words.txt"):
            name, values = line.split(": ", 1)
            self.words[name] = values.split("|")
        self.intents = []
        for path in sorted(TEXTS.glob("*.txt")):
            if path.name != "words.txt":
                self._read(path.name)
        self.more = next(intent for intent in self.intents if intent["name"] == "more")
        self.intents.remove(self.more)

    @staticmethod
    def _lines(name):
        for line in (TEXTS / name).read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                yield line

    def _read(self, name):
        intent = None
        for line in self._lines(name):
            if line.startswith("["):
                intent = {"name": line.strip("[] "), "ask": [], "say": [], "more": [], "weight": 1.0, "def": [], "how": []}
                self.intents.append(intent)
                continue
            kind, text = line.split(": ", 1)
            if kind == "weight":
                intent["weight"] = float(text)
            elif kind in ("def", "how"):
                intent[kind] += [part.strip() for part in text.split(";")]
            else:
                intent[kind].append(text)

    def expand(self, pattern, rng):
        """One text of a pattern."""
        while True:
            inner = re.search(r"\(([^()]*\|[^()]*)\)", pattern)
            if not inner:
                break
            pattern = pattern[:inner.start()] + rng.choice(inner.group(1).split("|")) + pattern[inner.end():]
        def word(match):
            if match.group(1) == "nonsense":
                return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4)))
            return rng.choice(self.words[match.group(1)])
        return re.sub(r"\{(\w[\w ]*)\}", word, pattern)

    def question(self, intent, rng):
        """The plain question, before manners and mistakes."""
        kinds = [kind for kind in ("ask", "def", "how") for _ in range(min(4, len(intent[kind])))]
        kind = rng.choice(kinds)
        if kind == "ask":
            pattern = rng.choice(intent["ask"])
        else:
            way = rng.choice(DEFINITIONS if kind == "def" else WAYS)
            pattern = way.replace("@", rng.choice(intent[kind]))
        return re.sub(r" +", " ", self.expand(pattern, rng)).replace(" ?", "?").strip()

    def answer(self, patterns, rng):
        return self.expand(rng.choice(patterns), rng).replace("\\n", "\n").strip()

    def pick(self, rng):
        return rng.choices(self.intents, [intent["weight"] for intent in self.intents])[0]

    def conversation(self, rng):
        """[(role, text, intent), ...] with one to nine questions and their answers."""
        turns = []
        if rng.random() < 0.04:
            turns.append(("system", rng.choice(SYSTEMS), None))
        intent = None
        for _ in range(rng.choices([1, 2, 3, 4, 6, 9], [0.64, 0.18, 0.09, 0.05, 0.03, 0.01])[0]):
            if intent and rng.random() < 0.15:
                turns.append(("user", polished(self.question(self.more, rng), rng, False), "more"))
                turns.append(("assistant", self.answer(intent["more"] or self.more["say"], rng), None))
                intent = self.more
                continue
            intent = self.pick(rng)
            question = polished(self.question(intent, rng), rng, intent["name"] != "outside")
            turns.append(("user", question, intent["name"]))
            turns.append(("assistant", self.answer(intent["say"], rng), None))
        return turns


def misspelt(text, rng):
    """One or two slips of the finger."""
    for _ in range(rng.choice([1, 1, 2])):
        if len(text) < 5:
            return text
        at = rng.randrange(1, len(text) - 1)
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + text[at + 1] + text[at] + text[at + 2:]
        elif kind == 1:
            text = text[:at] + text[at + 1:]
        elif kind == 2:
            text = text[:at] + text[at] + text[at:]
        else:
            text = text[:at] + rng.choice("abcdefghijklmnopqrstuvwxyz ") + text[at + 1:]
    return text


def with_synonyms(text, rng):
    """Some words replaced by others of the same meaning, more or less."""
    words = text.split(" ")
    return " ".join(rng.choice(SYNONYM_OF[word]) if word in SYNONYM_OF and rng.random() < 0.5 else word for word in words)


def without_a_word(text, rng):
    words = text.split(" ")
    if len(words) > 4:
        del words[rng.randrange(len(words))]
    return " ".join(words)


def polished(text, rng, manners=True):
    """The question as people write it: with manners, capitals, punctuation and mistakes, or without."""
    if manners:
        text = rng.choice(BEFORE) + text
        if not text.endswith("?"):
            text += rng.choice(AFTER)
    elif rng.random() < 0.15:
        text = rng.choice(BEFORE) + text
    if rng.random() < 0.3:
        text = with_synonyms(text, rng)
    if rng.random() < 0.10:
        text = without_a_word(text, rng)
    if rng.random() < 0.12:
        text = misspelt(text, rng)
    case = rng.random()
    if case < 0.55:
        text = text[:1].upper() + text[1:]
    elif case < 0.80:
        text = text.lower()
    elif case < 0.82:
        text = text.upper()
    if not text.endswith("?") and rng.random() < 0.6:
        text += rng.choice(["?", "?", "?", "?", ".", "!", "??", " ?"])
    return text


if __name__ == "__main__":
    corpus = Corpus()
    rng = random.Random(1)
    pairs = {(corpus.question(intent, rng), corpus.answer(intent["say"], rng))
             for intent in corpus.intents for _ in range(400)}
    print(f"{len(corpus.intents)} intents, {len({q for q, _ in pairs})} questions, {len(pairs)} pairs in 400 draws each")
    for _ in range(12):
        for role, text, _ in corpus.conversation(rng):
            print(f"{role}: {text}")
        print()
