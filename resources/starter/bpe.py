"""A small byte-level BPE: trained on the starter's own text, stored as GGUF's tokenizer keys want it.

Words are cut as GGUF's pre-tokenizer "qwen2" cuts them. The same text gives the same merges: ties go to the pair
that is first in alphabetical order.
"""
import collections
import re

LETTER = r"[^\W\d_]"
OTHER = r"(?:[^\w\s]|_)"
WORDS = re.compile(rf"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|(?:[^\w\r\n]|_)?{LETTER}+|\d| ?{OTHER}+[\r\n]*|"
                   r"\s*[\r\n]+|\s+(?!\S)|\s+")
SPECIALS = ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]


def byte_characters():
    """GPT-2's printable character for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in plain}
    rest = [byte for byte in range(256) if byte not in table]
    return table | {byte: chr(256 + i) for i, byte in enumerate(rest)}


BYTES = byte_characters()


def words_of(text):
    return ["".join(BYTES[byte] for byte in word.encode("utf-8")) for word in WORDS.findall(text)]


def merged(parts, pair):
    result, i = [], 0
    while i < len(parts):
        if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
            result.append(parts[i] + parts[i + 1])
            i += 2
        else:
            result.append(parts[i])
            i += 1
    return result


def train(texts, vocabulary_size):
    """The merges, most frequent first."""
    counts = collections.Counter(word for text in texts for word in words_of(text))
    words = {word: list(word) for word in counts}
    merges = []
    pairs = collections.Counter()
    where = collections.defaultdict(set)
    for word, parts in words.items():
        for pair in zip(parts, parts[1:]):
            pairs[pair] += counts[word]
            where[pair].add(word)
    while len(BYTES) + len(merges) + len(SPECIALS) < vocabulary_size:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        merges.append(best)
        for word in sorted(where[best]):
            before = words[word]
            for pair in zip(before, before[1:]):
                pairs[pair] -= counts[word]
                where[pair].discard(word)
            words[word] = merged(before, best)
            for pair in zip(words[word], words[word][1:]):
                pairs[pair] += counts[word]
                where[pair].add(word)
        del pairs[best]
    return merges


class Tokenizer:
    """Tokens: 256 bytes, one per merge, then the specials."""

    def __init__(self, merges):
        self.merges = [tuple(merge) for merge in merges]
        self.tokens = [BYTES[byte] for byte in range(256)] + [a + b for a, b in self.merges] + SPECIALS
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.rank = {merge: i for i, merge in enumerate(self.merges)}
        self.cache = {}

    def encode(self, text):
        return [i for word in words_of(text) for i in self._word(word)]

    def _word(self, word):
        if word not in self.cache:
            parts = list(word)
            while len(parts) > 1:
                best = min(zip(parts, parts[1:]), key=lambda pair: self.rank.get(pair, len(self.rank)))
                if best not in self.rank:
                    break
                parts = merged(parts, best)
            self.cache[word] = [self.ids[part] for part in parts]
        return self.cache[word]

    def encode_chat(self, turns):
        """Ids and, for each, its place in an answer (1, 2, ...; 0 where it is none that the model writes) and the intent
        of the question it belongs to, or None: not for its first three tokens, which rarely say what it is about, but
        for the mark after it."""
        ids, places, intents, before = [], [], [], None
        for role, text, intent in turns:
            body = self.encode(text) + [self.ids["<|end|>"]]
            ids += [self.ids[f"<|{role}|>"], *body]
            places += [0, *(range(1, len(body) + 1) if role == "assistant" else [0] * len(body))]
            intents += [before, *[intent if i >= min(3, len(body) - 1) else None for i in range(len(body))]]
            before = intent
        return ids, places, intents

    def decode(self, ids):
        back = {character: byte for byte, character in BYTES.items()}
        return bytes(back[c] for i in ids if i < len(self.tokens) - len(SPECIALS) for c in self.tokens[i]).decode("utf-8", "replace")
