#!/usr/bin/env python3
"""Makes up tokenizer.json files of every kind of step and asks inglenook-cli for the ids and texts the tokenizers library gives.

usage: tokenizer_steps.py CLI [NAME...]      compares
       tokenizer_steps.py --golden FILE [NAME...]
                                             writes the small cases the default tests hold their own against, or those alone anew
Needs python3 with tokenizers; exit 77 where it is not there."""
import base64, json, os, subprocess, sys, tempfile

try:
    import tokenizers
    from tokenizers import AddedToken, Tokenizer, models, trainers
except ImportError as missing:
    print(f'skipped: {missing}')
    sys.exit(77)

TEXTS = ['Hello, world!', '  two  spaces ', 'a\nb\n\n c\t\r\nd', "it's 12345 or 3.14, IT'S 1234567", 'naïve café ÉCOLE e\u0301a\u0308', '你好，世界。こんにちは カタカナー',
         '🦙 emoji 👩‍👩‍👧', '<s>special</s> <mask> x', 'x <mask>  y', '', " don't STOP-me_now (ok)", 'مرحبا بالعالم', 'ſtraße ﬁne ½ Ⅷ ² ①', 'camelCaseWordsHTTPServer',
         'İstanbul ΑΣ', '\u00a0nb\u2003sp\u200bzw\u200dj', 'word wordy sword word', 'tag<TAG>tag <TAG> x', 'ﾊﾝｶｸ ｶﾞ 각 \u1100\u1161\u11a8', 'x' * 130 + ' y',
         'under_score__x \u203f y', '+-*/=<>|~^`$', '\u0001\u007f\ufeffq', 'ａｂｃ　ＡＢＣ', '日本語とEnglishと한국어', '12 ٣٤ ५६', '....!!!???', '▁mark▁ here', 'Ġbyte Ċ', '<0x41>', '\n\n \n\n\n x', 'a  \t\t  b    c']
CORPUS = TEXTS * 6 + ['The quick brown fox jumps over the lazy dog and the dog sleeps.', 'Once upon a time there was a small model.',
                      'Numbers 1 22 333 4444, words and wordings, sleeping and slept.', 'naïve café ÉCOLE déjà vu'] * 8
SPECIAL = ['<unk>', '<s>', '</s>']
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
         r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def seq(kind, *steps):
    return dict(type='Sequence', **{kind: list(steps)})


def split(pattern, behavior='Isolated', invert=False, kind='Regex'):
    return dict(type='Split', pattern={kind: pattern}, behavior=behavior, invert=invert)


def byte_level(prefix=False, regex=True):
    return dict(type='ByteLevel', add_prefix_space=prefix, trim_offsets=True, use_regex=regex)


def meta(scheme='always', cut=True, mark='▁'):
    return dict(type='Metaspace', replacement=mark, prepend_scheme=scheme, split=cut)


def replace(pattern, content, kind='String'):
    return dict(type='Replace', pattern={kind: pattern}, content=content)


def bert(**changes):
    return {**dict(type='BertNormalizer', clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True), **changes}


def charsmap(pairs):
    """SentencePiece's map of texts: a double array of their bytes, and the texts they become."""
    units, used, texts, places = {0: 0}, {0}, b'', {}
    for text in pairs.values():
        places[text] = len(texts)
        texts += text.encode() + b'\0'

    def place(node, entries):
        labels = sorted({key[0] if key else 0 for key, _ in entries})
        base = next(b for b in range(1, 1 << 20) if all(b ^ label not in used for label in labels))
        used.update(base ^ label for label in labels)
        units[node] |= (node ^ base) << 10 | (1 << 8 if labels[0] == 0 else 0)
        for label in labels:
            rest = [(key[1:], value) for key, value in entries if key and key[0] == label]
            if label:
                units[base] = units.get(base, 0)
                units[base ^ label] = label
                place(base ^ label, rest)
            else:
                units[base] = 1 << 31 | next(value for key, value in entries if not key)

    place(0, [(key.encode(), places[value]) for key, value in pairs.items()])
    array = b''.join(units.get(i, 0).to_bytes(4, 'little') for i in range(max(units) + 256))
    return base64.b64encode(len(array).to_bytes(4, 'little') + array + texts).decode()


PRECOMPILED = charsmap({'①': '1', 'Ⅷ': 'VIII', 'ｶ': 'カ', 'ｶﾞ': 'ガ', '\n': ' ', '\t': ' ', '\u200b': ' ', 'e\u0301': 'é', '\ufeff': ' ', 'ａ': 'a', 'ﬁ': 'fi', '\u00a0': ' '})
PLAIN = dict(type='ByteLevel', add_prefix_space=True, trim_offsets=True, use_regex=True)
LLAMA2 = seq('decoders', replace('▁', ' '), dict(type='ByteFallback'), dict(type='Fuse'), dict(type='Strip', content=' ', start=1, stop=0))
WORDS = dict(type='WordPiece', prefix='##', cleanup=True)
NAME = lambda name, **more: {**dict(type=name), **more}

# name: (model, normalizer, pre-tokenizer, decoder)
CASES = {
    'byte-pattern': ('BPE', None, seq('pretokenizers', split(r'\p{L}+[0-9]?|\s|[^\s\p{L}]+'), byte_level(False, False)), PLAIN),
    'byte-prefix': ('BPE', None, byte_level(True), PLAIN),
    'byte-nfc': ('BPE', NAME('NFC'), byte_level(), PLAIN),
    'byte-gpt4o-more': ('BPE', None, seq('pretokenizers', split(GPT4O + r'|\p{Sc}'), byte_level(False, False)), PLAIN),
    'byte-removed': ('BPE', None, seq('pretokenizers', split(GPT4O, 'Removed', True), byte_level(False, False)), PLAIN),
    'byte-digits-prefix': ('BPE', None, seq('pretokenizers', NAME('Digits', individual_digits=False), byte_level(True)), PLAIN),
    'byte-three-digits': ('BPE', None, seq('pretokenizers', split(r'\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))'), split(r'(?=(\d{3})+(?!\d))'), byte_level(False, False)), PLAIN),
    'byte-camel': ('BPE', None, seq('pretokenizers', split(r'(?=[A-Z])'), split(r'(?<=[a-z])(?=[^a-z])'), byte_level()), PLAIN),
    'byte-bloom': ('BPE', None, seq('pretokenizers', split(' ?[^(\\s|[.,!?…。，、।۔،])]+'), byte_level(False, False)), PLAIN),
    'byte-sets': ('BPE', None, seq('pretokenizers', split(r'[\w&&[^\d_]]+|[^\w\s[é]]|\h{2}|(?m:a.b)|^ +|\S$'), byte_level(False, False)), PLAIN),
    'byte-literal': ('BPE', None, seq('pretokenizers', split(' ', 'MergedWithNext', kind='String'), byte_level(False, False)), PLAIN),
    'byte-previous': ('BPE', None, seq('pretokenizers', split('[ .,]', 'MergedWithPrevious'), byte_level(False, False)), PLAIN),
    'byte-contiguous': ('BPE', None, seq('pretokenizers', split('[ .,!?]', 'Contiguous'), byte_level(False, False)), PLAIN),
    'byte-removed-spaces': ('BPE', None, seq('pretokenizers', split(r'\s+', 'Removed'), byte_level(False, False)), PLAIN),
    'byte-normalizer': ('BPE', NAME('ByteLevel'), None, PLAIN),
    'byte-whole': ('BPE-whole', None, seq('pretokenizers', split(r'\w+|\W'), byte_level(False, False)), PLAIN),
    'byte-fallback': ('BPE-bytes', None, byte_level(), PLAIN),
    'llama2': ('BPE-bytes', seq('normalizers', NAME('Prepend', prepend='▁'), replace(' ', '▁')), None, LLAMA2),
    'gemma': ('BPE-bytes', replace(' ', '▁'), split(' ', 'MergedWithPrevious', kind='String'), seq('decoders', replace('▁', ' '), NAME('ByteFallback'), NAME('Fuse'))),
    'meta-first': ('BPE-bytes', None, meta('first', False), LLAMA2),
    'meta-split': ('BPE', None, meta(), meta()),
    'meta-never': ('BPE-fused', None, meta('never'), meta('never')),
    'meta-other': ('BPE', None, meta('always', True, '_'), meta('always', True, '_')),
    'suffix': ('BPE-suffix', seq('normalizers', NAME('NFC'), replace(r'\s+', ' ', 'Regex'), NAME('Lowercase')), seq('pretokenizers', split(r"'s|'t|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+", 'Removed', True)), NAME('BPEDecoder', suffix='</w>')),
    'bpe-whitespace': ('BPE', None, NAME('Whitespace'), None),
    'bpe-nothing': ('BPE', None, None, None),
    'unigram-t5': ('Unigram', seq('normalizers', replace(' {2,}', ' ', 'Regex')), seq('pretokenizers', NAME('WhitespaceSplit'), meta()), meta()),
    'unigram-nmt': ('Unigram', seq('normalizers', NAME('Nmt'), NAME('NFKC'), replace(' {2,}', ' ', 'Regex')), meta(), meta()),
    'unigram-bytes': ('Unigram-bytes', NAME('Strip', strip_left=True, strip_right=False), meta('first'), LLAMA2),
    'unigram-precompiled': ('Unigram', seq('normalizers', NAME('Precompiled', precompiled_charsmap=PRECOMPILED), replace(' {2,}', ' ', 'Regex')), meta(), meta()),
    'unigram-albert': ('Unigram', seq('normalizers', replace('``', '"'), NAME('NFKD'), NAME('StripAccents'), NAME('Lowercase')), seq('pretokenizers', NAME('WhitespaceSplit'), meta()), meta()),
    'wordpiece-bert': ('WordPiece', bert(), NAME('BertPreTokenizer'), WORDS),
    'wordpiece-cased': ('WordPiece', bert(lowercase=False), NAME('BertPreTokenizer'), WORDS),
    'wordpiece-bare': ('WordPiece', bert(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False), NAME('BertPreTokenizer'), WORDS),
    'wordpiece-punctuation': ('WordPiece', seq('normalizers', NAME('NFD'), NAME('Lowercase'), NAME('StripAccents')), seq('pretokenizers', NAME('WhitespaceSplit'), NAME('Punctuation', behavior='Isolated'), NAME('Digits', individual_digits=True)), WORDS),
    'wordlevel-whitespace': ('WordLevel', NAME('NFKC'), NAME('Whitespace'), None),
    'wordlevel-delimiter': ('WordLevel', None, NAME('CharDelimiterSplit', delimiter=' '), None),
    'wordlevel-punctuation': ('WordLevel', None, seq('pretokenizers', NAME('Punctuation', behavior='MergedWithPrevious'), NAME('WhitespaceSplit')), None),
    'wordlevel-scripts': ('WordLevel', None, NAME('UnicodeScripts'), None),
    'wordlevel-fixed': ('WordLevel', None, NAME('FixedLength', length=3), None),
    'wordpiece-meta': ('WordPiece', None, meta('always', False), WORDS),
    'wordpiece-joined': ('WordPiece', None, NAME('Whitespace'), NAME('Fuse')),
    'normalizer-empty': ('BPE', replace('', '-'), None, NAME('Fuse')),
    'split-empty': ('BPE', None, seq('pretokenizers', split('', kind='String'), byte_level(False, False)), PLAIN),
    'bpe-suffix-bytes': ('BPE-suffix-bytes', None, NAME('WhitespaceSplit'), NAME('BPEDecoder', suffix='</w>')),
    'split-script': ('BPE', None, split(r'\p{Han}+|\P{^Hiragana}+', 'MergedWithPrevious'), NAME('Fuse')),
    'decode-ctc': ('BPE', replace(' ', '|'), NAME('Punctuation', behavior='Isolated'), NAME('CTC', pad_token='<unk>', word_delimiter_token='|', cleanup=True)),
    'decode-ctc-raw': ('Unigram', None, None, NAME('CTC', pad_token='x', word_delimiter_token='|', cleanup=False)),
    'decode-words': ('BPE', None, NAME('Whitespace'), NAME('WordPiece', prefix='@@', cleanup=False)),
    'decode-meta-first': ('WordLevel', None, NAME('Digits', individual_digits=True), meta('first')),
    'decode-meta-behind': ('BPE-bytes', None, NAME('FixedLength', length=2), seq('decoders', NAME('ByteFallback'), meta('always'))),
    'decode-strip-each': ('BPE-suffix', None, None, seq('decoders', dict(type='Strip', content='>', start=0, stop=1), NAME('Fuse'))),
    'decode-strip-letters': ('BPE-bytes', None, None, seq('decoders', NAME('ByteFallback'), NAME('Fuse'), dict(type='Strip', content='x', start=2, stop=0))),
    'decode-suffix': ('Unigram-bytes', None, split(r'\s+', 'MergedWithPrevious'), NAME('BPEDecoder', suffix='e')),
    'decode-bytes-replaced': ('BPE', None, byte_level(), seq('decoders', replace('o', '*'), PLAIN, replace('\n', '+'))),
}
TOKENS = {  # name: added tokens and their rules
    'added-strip': [('<mask>', dict(special=True, lstrip=True)), ('<TAG>', dict(rstrip=True, normalized=False))],
    'added-word': [('word', dict(single_word=True, normalized=False)), ('<TAG>', dict(single_word=True, lstrip=True, rstrip=True, normalized=False))],
    'added-normalized': [('CAFÉ', dict(normalized=True)), ('ÉCOLE', dict(normalized=True)), ('word', dict(normalized=True))],
    'added-spaces': [('\n', dict(rstrip=True, normalized=False)), ('\t', dict(lstrip=True, rstrip=True, normalized=False)), ('  ', dict(rstrip=True, normalized=False))],
    'added-apart-wordpiece': [('word', dict(single_word=True, normalized=False)), ('好', dict(single_word=True, normalized=False)), ('12', dict(single_word=True, normalized=False))],
    'added-apart-unigram': [('word', dict(single_word=True, normalized=False)), ('好', dict(single_word=True)), ('Hello', dict(single_word=True))],
    'added-apart-whole': [('word', dict(single_word=True, normalized=False)), ('wordy', dict(single_word=True)), ('x', dict(single_word=True))],
    'added-longest': [('wor', dict(normalized=False)), ('word', dict(normalized=False)), ('ordy', dict(normalized=False)), ('  ', dict(normalized=False))],
}
BASES = {'added-normalized': 'byte-nfc', 'added-apart-wordpiece': 'wordpiece-bert', 'added-apart-unigram': 'unigram-bytes', 'added-apart-whole': 'byte-whole'}
AROUND = {
    'around-two': dict(type='TemplateProcessing', single=[dict(SpecialToken=dict(id='<s>', type_id=0)), dict(SpecialToken=dict(id='<unk>', type_id=0)), dict(Sequence=dict(id='A', type_id=0)),
                                                           dict(SpecialToken=dict(id='</s>', type_id=0))],
                       pair=[dict(Sequence=dict(id='A', type_id=0)), dict(Sequence=dict(id='B', type_id=1))],
                       special_tokens={t: dict(id=t, ids=[i], tokens=[t]) for i, t in enumerate(SPECIAL)}),
    'around-sequence': seq('processors', PLAIN, dict(type='RobertaProcessing', sep=['</s>', 2], cls=['<s>', 1], trim_offsets=True, add_prefix_space=False)),
}


def trained(kind, steps, size):
    """The vocabulary that the steps lead to, as `model` of a file."""
    name = kind.split('-')[0]
    tok = Tokenizer(getattr(models, name)())
    state = json.loads(tok.to_str())
    state.update(steps)
    tok = Tokenizer.from_str(json.dumps(state))
    more = dict(BPE=dict(end_of_word_suffix='</w>' if 'suffix' in kind else None), Unigram=dict(unk_token='<unk>'), WordPiece={}, WordLevel={})[name]
    special = SPECIAL + ([f'<0x{i:02X}>' for i in range(256)] if 'bytes' in kind else [])
    trainer = getattr(trainers, name.replace('BPE', 'Bpe') + 'Trainer')(vocab_size=size + len(special) + (100 if name == 'Unigram' else 0), show_progress=False, special_tokens=special, **{k: v for k, v in more.items() if v})
    few = 'bytes' in kind or name == 'Unigram'  # leave texts for the unknown
    tok.train_from_iterator([t for t in CORPUS if t.isascii() or not few], trainer)
    model = json.loads(tok.to_str())['model']
    changes = {'BPE': dict(unk_token=None), 'BPE-fused': dict(unk_token='<unk>', fuse_unk=True), 'BPE-bytes': dict(unk_token='<unk>', fuse_unk=True, byte_fallback=True),
               'BPE-whole': dict(ignore_merges=True), 'BPE-suffix': dict(unk_token='<unk>'), 'BPE-suffix-bytes': dict(unk_token='<unk>', byte_fallback=True), 'Unigram-bytes': dict(byte_fallback=True)}.get(kind, {})
    if name in ('WordPiece', 'WordLevel'):
        changes = dict(unk_token='<unk>')
    return {**model, **changes}


def file_of(name, size):
    base = name if name in CASES else BASES.get(name, 'byte-pattern')
    kind, normalizer, pre, decoder = CASES[base]
    if name == 'added-normalized':
        normalizer = seq('normalizers', NAME('NFD'), NAME('Lowercase'))
    steps = dict(normalizer=normalizer, pre_tokenizer=pre, decoder=decoder)
    state = json.loads(Tokenizer(models.BPE()).to_str())
    state.update(steps)
    state['model'] = trained(kind, steps, size)
    tok = Tokenizer.from_str(json.dumps(state))
    tok.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    for text, rules in TOKENS.get(name, []):
        (tok.add_special_tokens if rules.get('special') else tok.add_tokens)([AddedToken(text, **rules)])
    state = json.loads(tok.to_str())
    if name in AROUND:
        state['post_processor'] = AROUND[name]
    return state


def cli(*arguments, text):
    run = subprocess.run([sys.argv[1], *arguments], input=text.encode(), capture_output=True, timeout=300)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors='replace').strip()[-300:])
    return [json.loads(line) for line in run.stdout.decode().splitlines()]


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def texts_for(name):
    """Without what only the library's age decides, whose table of scripts has no llama."""
    return [t for t in TEXTS if not (name == 'wordlevel-scripts' and '🦙' in t)]


def check(name):
    state = file_of(name, 400)
    tok = Tokenizer.from_str(json.dumps(state))
    texts_of_case = texts_for(name)
    expected = [tok.encode(t).ids for t in texts_of_case]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'tokenizer.json'), 'w') as file:
            json.dump(state, file)
        found = cli('tokenize', folder, text=''.join(json.dumps(dict(text_b64=encoded(t), parse_special=True, add_special=True)) + '\n' for t in texts_of_case))
        plain = [tok.encode(t, add_special_tokens=False).ids for t in texts_of_case]
        texts = cli('detokenize', folder, text=''.join(json.dumps(dict(ids=ids, unparse_special=False, remove_special=False)) + '\n' for ids in plain))
    wrong = [f'{t!r}: expected {[tok.id_to_token(i) for i in e]}, found {[tok.id_to_token(i) for i in f["ids"]]}' for t, e, f in zip(texts_of_case, expected, found, strict=True) if f['ids'] != e]
    for ids, answer in zip(plain, texts, strict=True):
        text, other = tok.decode(ids), base64.b64decode(answer['text_b64']).decode(errors='replace')
        if text != other:
            wrong.append(f'decoding {ids}: expected {text!r}, found {other!r}')
    return f'{len(wrong)} wrong: ' + '; '.join(wrong[:3]) if wrong else None


def golden(path, names):
    cases = []
    if names:
        with open(path) as file:
            cases = [case for case in json.load(file) if case['name'] not in names]
    for name in names or [*CASES, *TOKENS, *AROUND]:
        state = file_of(name, 60)
        tok = Tokenizer.from_str(json.dumps(state))
        cases.append(dict(name=name, tokenizer=state, texts=[dict(text=t, ids=tok.encode(t).ids, decoded=tok.decode(tok.encode(t, add_special_tokens=False).ids)) for t in texts_for(name)]))
    with open(path, 'w') as file:
        json.dump(cases, file, ensure_ascii=False, separators=(',', ':'))
    return 0


def main():
    if sys.argv[1] == '--golden':
        return golden(sys.argv[2], sys.argv[3:])
    failures = 0
    for name in sys.argv[2:] or [*CASES, *TOKENS, *AROUND]:
        try:
            problem = check(name)
        except Exception as error:  # one file's failure is not the run's
            problem = f'{type(error).__name__}: {error}'
        failures += problem is not None
        print(f'{name}: {problem or "ok"}', flush=True)
    return 1 if failures else 0


sys.exit(main())
