"""Reads the starter's texts and expands them into conversations.

A pattern is plain text with (one|or another|) and {name}, a list of words.txt. "ask:" lines are patterns of questions, "also:" lines
lists of them; "def:", "how:", "noun:" and "when:" lines list what is put into common ways of asking. Everything is drawn from one random.Random, so a seed repeats it.
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
    "(purpose|point|role|effect|use|definition|sense) of @", "what's the (point|purpose|deal|use|story|idea) (of|with|behind) @",
    "(somebody|my friend|an article|a website|someone) (mentioned|told me about|talks about|recommended) @(, what is it|)",
    "I (keep seeing|saw|read about|stumbled upon|came across|noticed|always hear about) @(, what is it|, what does it mean|)",
    "(teach me|enlighten me|a word|details|info|information|some facts) (about|on) @", "@ in (a nutshell|plain English|short|one line|simple terms)",
    "how would you (explain|describe|define) @", "(define|clarify|outline) @", "@ for (dummies|beginners|a child|newbies)",
    "(I have|I've) no (idea|clue) what @ (is|means|does)", "what's @ in (this|your|the) (program|context|field|window)",
    "(why|when|where) is @ (used|needed|important|useful)", "what (happens|changes) with @", "@ (confuses|puzzles|is new to) me",
]
WAYS = [
    "{how} @", "{how} @", "{how} @", "{how} @", "{how} @", "how would somebody @", "what is needed to @", "@", "@ (please|now|how)",
    "I (want|wish|have|am trying|am not able|would love) to @", "(could|can|may) I @( somehow| here| in this program|)",
    "is there (any|some) (way|trick|button|key|shortcut) to @", "where do I go to @", "which (button|key) do I press to @",
    "(what should|what must|what could) I do to @", "(could|would) you @( for me|)", "let me @", "please @",
    "I'd like to @", "what if I want to @", "I (can't|cannot) find out how to @", "someone told me I can @, how",
    "(trying|wanting|hoping|planning) to @", "(wanna|gotta|have to|must) @", "I (must|have to|should|gotta|wanna|might) @", "@ (where|how)",
    "(steps|instructions|a command|a button|the trick|a hint) to @", "any (chance|way|trick|idea how|option) to @",
    "my (goal|wish|plan|aim) is to @", "it would be (nice|great|good) to @", "(ways|how) to @ (quickly|easily|best)", "(time|I think it is time) to @",
    "what do I (click|press|type|do) (to|if I want to) @", "how can somebody @", "I've tried to @( but failed|, no luck|)",
    "(does|can) (it|inglenook|this program|this) (let me|allow me to) @", "where can (I|one) @", "how would you @", "what's the (quickest|easiest|right|best) way to @",
    "(help me|assist me) to @", "in order to @, what do I do", "am I able to @", "@, how (do I do that|does that work|is it done|is that possible)",
    "my (boss|wife|friend|colleague|son) wants to @", "please (show|tell|teach) me how to @", "I never managed to @", "@ (isn't possible|impossible)",
    "how I can @", "how to can @", "want to @", "need to @", "i need @",
]
FEATURES = [
    "where is @", "where do I find @", "where can I (find|see) @", "is there @", "(does|has) (it|inglenook|this program|this) (have|got|include) @",
    "do you have @", "I am (looking|searching) for @", "I (can't|cannot|can not) (find|see|locate) @", "I (need|want|miss|would like|am missing) @", "@", "@", "@ (please|?)",
    "(what|how) about @", "show me @", "how do I (use|get to|reach|find|open|see) @", "(looking|searching) for @", "any @", "where's @", "@, where",
    "is @ (possible|available|planned|supported|there|included)", "(tell me|something) about @", "can I have @", "give me @", "why is there no @",
    "where did you hide @", "(there should be|I expected|I'd love|I wish there was) @", "how does @ work", "where (on the screen|in the window|exactly) is @",
]
TROUBLES = [
    "@", "@", "@", "@, (what can I do|what now|what should I do|what to do|any idea|why|how come|please help|any advice|help|what does that mean)",
    "(help|hi|hello|problem|trouble), @", "why is it that @", "what (do I do|can I do|should I do|must I do|to do|happens) (when|if) @",
    "(my|the|I have a) problem: @", "@. (How do I fix that|What now|Why|What can I do|How do I change that|Please help|What's the reason)",
    "@, (how do I fix that|how can I fix this|how do I solve that|how can I change that|is that normal|is this normal|is something wrong)",
    "it (happens|happened) that @", "sometimes @", "since yesterday @", "(I noticed|I see|I think|it seems) (that |)@", "what if @", "oh no, @", "ugh, @",
    "is it normal that @", "(what's wrong|what is the matter) when @", "@ and I (don't know why|am lost|need help|want to change that)",
]
BEFORE = [
    *[""] * 24, "hi, ", "hello, ", "hey, ", "please ", "so ", "and ", "ok, ", "quick question: ", "sorry, ", "excuse me, ", "well, ", "now, ",
    "one more question: ", "um, ", "hello there, ", "so, ", "but ", "oh, ", "listen, ", "tell me, ", "question: ", "hm, ", "dear starter, ",
    "another thing: ", "say, ", "also, ", "by the way, ", "I am new here. ", "I like this program. ", "good evening. ", "thanks. ", "and now: ",
    "sorry for my bad English, ", "my colleague asks: ", "I installed this yesterday. ", "not sure if you know: ", "stupid question: ",
]
AFTER = [
    *[""] * 18, " please", " here", " in inglenook", " now", " exactly", " again", " then", " for me", " today", " in this program", ", please",
    ", thanks", " at all", " actually", " quickly", " in this window", " with inglenook", " on my computer", ", anyone", " plz", " I wonder",
    ", do you know", " somehow", " anyway", ", right", " in this app", ", my friend", " or not", ", tell me",
]
# Kinds of lines and what their parts are put into: whole questions as they are, subjects, things to do, parts of the program, troubles.
WAYS_OF = {"also": ["@"], "def": DEFINITIONS, "how": WAYS, "noun": FEATURES, "when": TROUBLES}
LITTLE_WORDS = set("a an the is are do does did i it to of in on for my me you can could would should this that there please how what be".split())
SYSTEMS = ["You are a helpful assistant.", "Be brief.", "Answer in short sentences.", "You are a friendly guide.",
           "You help people with this program.", "You are an expert."]
SYLLABLES = [a + b for a in "b c d f g h j k l m n p r s t v w z st tr gl fr".split() for b in "a e i o u ar en il on us".split()]


class Corpus:
    def __init__(self):
        self.words = {}
        for line in self._lines("words.txt"):
            name, values = line.split(": ", 1)
            self.words[name] = values.split("|")
        self.synonyms = {word: line.split() for line in self._lines("synonyms.txt") for word in line.split()}
        self.intents = []
        for path in sorted(TEXTS.glob("*.txt")):
            if path.name not in ("words.txt", "synonyms.txt"):
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
                intent = {"name": line.strip("[] "), "ask": [], "say": [], "more": [], "weight": 1.0,
                          **{kind: [] for kind in WAYS_OF}}
                self.intents.append(intent)
                continue
            kind, text = line.split(": ", 1)
            if kind == "weight":
                intent["weight"] = float(text)
            elif kind in WAYS_OF:
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
        kinds = ["ask", *WAYS_OF]
        weights = [min(14, len(intent[kind]) ** 0.5) * (2.5 if kind == "ask" else 1) for kind in kinds]
        kind = rng.choices(kinds, weights)[0]
        pattern = rng.choice(intent[kind])
        if kind != "ask":
            pattern = rng.choice(WAYS_OF[kind]).replace("@", pattern)
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
                turns.append(("user", self.polished(self.question(self.more, rng), rng, False), "more"))
                turns.append(("assistant", self.answer(intent["more"] or self.more["say"], rng), None))
                intent = self.more
                continue
            intent = self.pick(rng)
            question = self.polished(self.question(intent, rng), rng, intent["name"] != "outside")
            turns.append(("user", question, intent["name"]))
            turns.append(("assistant", self.answer(intent["say"], rng), None))
        return turns

    def with_synonyms(self, text, rng):
        """Some words replaced by others of the same meaning, more or less."""
        words = text.split(" ")
        return " ".join(rng.choice(self.synonyms[word]) if word in self.synonyms and rng.random() < 0.5 else word for word in words)

    def with_a_strange_word(self, text, rng):
        """What is not known must not decide."""
        words = text.split(" ")
        strange = self.expand(rng.choice(["{nonsense}", "{thing}", "{place}", "{person}", "{subject}"]), rng)
        words.insert(rng.randint(0, len(words)), strange)
        return " ".join(words) if len(words) > 4 else text

    def polished(self, text, rng, manners=True):
        """The question as people write it: with manners, capitals, punctuation and mistakes, or without."""
        if rng.random() < 0.08:
            text = only_the_telling_words(text)
        if manners and rng.random() < (0.75 if " " in text else 0.3):
            text = rng.choice(BEFORE) + text
            if not text.endswith("?"):
                text += rng.choice(AFTER)
        elif rng.random() < 0.15:
            text = rng.choice(BEFORE) + text
        if rng.random() < 0.3:
            text = self.with_synonyms(text, rng)
        if rng.random() < 0.12:
            text = without_a_word(text, rng)
        if manners and rng.random() < 0.06:
            text = self.with_a_strange_word(text, rng)
        if rng.random() < 0.15:
            text = text.replace("'", "")
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


def without_a_word(text, rng):
    words = text.split(" ")
    if len(words) > 4:
        del words[rng.randrange(len(words))]
    return " ".join(words)


def only_the_telling_words(text):
    return " ".join(word for word in text.split(" ") if word.lower() not in LITTLE_WORDS) or text


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
