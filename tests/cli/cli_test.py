#!/usr/bin/env python3
"""The contract of inglenook-cli, as scripts rely on it: cli_test.py PROGRAM FIXTURES. Exit 77 where there are no fixtures."""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = sys.argv[1]
FIXTURES = pathlib.Path(os.environ.get('INGLENOOK_FIXTURES', sys.argv[2]))
MODEL = str(FIXTURES / 'tiny/stories260K-f32.gguf')
GOLDEN = json.loads((FIXTURES / 'tiny/golden/stories260K-f32.json').read_text()) if FIXTURES.exists() else None


def run(*arguments, text=None):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False)


def run_json(*arguments):
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


class Usage(unittest.TestCase):
    def test_exit_codes(self):
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run('--help').returncode, 0)
        self.assertEqual(run('no-such-command').returncode, 2)
        for command in ('inspect', 'generate', 'chat', 'logits', 'tokenize', 'detokenize', 'trace', 'bench', 'render', 'embed'):
            self.assertEqual(run(command, '--help').returncode, 0, command)
            self.assertEqual(run(command, '--no-such-option').returncode, 2, command)

    def test_errors_are_sentences_on_stderr(self):
        with tempfile.TemporaryDirectory() as folder:
            empty, text = pathlib.Path(folder, 'empty.gguf'), pathlib.Path(folder, 'text.gguf')
            empty.write_bytes(b'')
            text.write_text('Dear diary')
            cut = pathlib.Path(folder, 'cut.gguf')
            cut.write_bytes(pathlib.Path(MODEL).read_bytes()[:500_000])
            for path in (empty, text, cut, folder, pathlib.Path(folder, 'none.gguf')):
                result = run('inspect', str(path))
                self.assertEqual(result.returncode, 1, path)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, r'^error: .{20,}\n$')


    def test_a_slip_is_one_sentence(self):
        for arguments, expected in {('generate', MODEL, '--prompt', 'x', '--tmep', '3'): 'no option --tmep; did you mean --temp?',
                                    ('generate', '--tmep=3', MODEL): 'no option --tmep; did you mean --temp?',
                                    ('generate', MODEL, '--promt', 'x'): 'no option --promt; did you mean --prompt?',
                                    ('bench', MODEL, '--xyz'): 'no option --xyz\n',
                                    ('generate', MODEL, '--prompt', 'Once', 'upon'): '"upon" is one argument too many',
                                    ('generate',): 'MODEL',
                                    ('generate', MODEL): 'expected one of --prompt and --prompt-file, found none; add',
                                    ('generate', MODEL, '--prompt', 'x', '--prompt-file', 'y'): 'expected one of --prompt and --prompt-file, found both; leave out',
                                    ('embed', MODEL, '--text', 'x', '--tokens', '1'): 'found both; leave out',
                                    ('generate', MODEL, '--prompt', 'x', '-n'): '-n: a value is missing',
                                    ('generate', MODEL, '--prompt', 'x', '-n', '1', '-n', '2'): '-n was given twice',
                                    ('genrate',): 'no command "genrate"; did you mean generate?', ('xyzzy',): 'no command "xyzzy"\n'}.items():
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(expected, result.stderr)
            self.assertLessEqual(result.stderr.count('\n'), 2, result.stderr)
            self.assertIn('--help', result.stderr)

    def test_a_folder_is_named_with_its_path(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in ('inspect', 'tokenize'):
                self.assertIn(f'{folder}: expected a GGUF file, or a folder with', run(command, folder).stderr)

    def test_what_was_given_is_not_repeated_at_length(self):
        long = 'a' * 5000
        for arguments, code in {('inspect', long): 1, ('inspect', 'é' * 2500): 1, ('generate', MODEL, '--raw', '--prompt-file', long): 1,
                                ('render', '--template', long, '--context', 'x'): 1, ('generate', MODEL, '--prompt', 'x', '-n', '9' * 5000): 2,
                                ('generate', MODEL, '--' + long): 2, (long,): 2}.items():
            result = run(*arguments)
            self.assertEqual(result.returncode, code)
            self.assertLess(len(result.stderr), 500)
            self.assertIn('error: ', result.stderr)
        self.assertEqual(run('inspect', '/nosuch/\x1b[31mred').stderr, 'error: /nosuch/\\x1b[31mred: no such file or folder; expected a GGUF file or a folder with a model, check the path\n')

        self.assertIn('no command "\\x1b[31mred"', run('\x1b[31mred').stderr)

    def test_an_error_is_all_that_is_said(self):
        for arguments in (('--prompt-file', '/nosuch'), ('--prompt', 'x', '--draft', '/nosuch'), ('--prompt', 'x', '--ctx', '1')):
            result = run('generate', MODEL, *arguments)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertRegex(result.stderr, r'^error: [^\n]*\n$')
        self.assertRegex(run('generate', MODEL, '--prompt', 'x', '-n', '1').stderr, r'^note: [^\n]*\n$')

    def test_help_for_a_command(self):
        self.assertEqual(run('help', 'bench').stdout, run('bench', '--help').stdout)
        self.assertEqual(run('help', 'bensh').returncode, 2)

    def test_nothing_to_measure(self):
        loading = run('bench', MODEL, '-p', '0', '-n', '0', '-r', '1', '--json')  # how `./dev bench` measures it
        self.assertEqual(loading.returncode, 0, loading.stderr)
        self.assertGreater(json.loads(loading.stdout)['load_seconds'], 0)

    def test_version(self):
        self.assertRegex(run('--version').stdout, r'^inglenook-cli \d+\.\d+\.\d+\n$')

    def test_an_empty_text_is_no_file(self):
        for arguments in (('inspect', ''), ('generate', MODEL, '--prompt', 'x', '--draft', ''), ('generate', MODEL, '--prompt-file', ''),
                          ('generate', MODEL, '--prompt', 'x', '--lora', ''), ('generate', MODEL, '--prompt', 'x', '--stop', ''),
                          ('logits', MODEL, '--tokens', '1', '--out', ''), ('logits', MODEL, '--tokens', '', '--out', 'x.npy'),
                          ('embed', MODEL, '--text', 'x', '--out', ''), ('embed', MODEL, '--tokens', ''),
                          ('render', '--template', '', '--context', 'x'), ('render', '--model', MODEL, '--context', ''),
                          ('render', '--model', MODEL, '--context', 'x', '--now', '')):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, (arguments, result.stderr))

    def test_folders_are_no_texts(self):
        with tempfile.TemporaryDirectory() as folder:
            context = pathlib.Path(folder, 'context.json')
            context.write_text('{}')
            for arguments in (('generate', MODEL, '--raw', '--prompt-file', folder), ('render', '--template', folder, '--context', str(context)),
                              ('render', '--template', str(context), '--context', folder)):
                result = run(*arguments)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(f'{folder}: expected a text file, found a folder', result.stderr)

    @unittest.skipUnless(os.path.exists('/dev/zero'), 'no file without an end')
    def test_input_that_cannot_be_read(self):
        result = run('generate', MODEL, '--raw', '--prompt-file', '/dev/zero')
        self.assertEqual(result.returncode, 1)
        self.assertIn('expected a text of at most', result.stderr)
        for command in ('tokenize', 'detokenize', 'chat'):
            folder = os.open('/', os.O_RDONLY)
            result = subprocess.run([PROGRAM, command, MODEL], stdin=folder, capture_output=True, text=True, timeout=60, check=False)
            os.close(folder)
            self.assertEqual(result.returncode, 1, command)
            self.assertIn('the input could not be read', result.stderr)

    def test_numbers_that_make_no_sense(self):
        for option, values in {'--temp': ('nan', '-1', 'inf'), '--top-p': ('nan', '2', '-1'), '--min-p': ('nan', '2'), '--top-k': ('-3',),
                               '--typical': ('nan', '-1'), '--repeat-penalty': ('nan', '0', '-1'), '--presence-penalty': ('nan',),
                               '--penalty-window': ('-1',), '-n': ('-999', '1.5', '2147483648'), '--threads': ('-1', '100000', '1.5'), '--ctx': ('-1', '999999999', '2147483647'),
                               '--seed': ('-1', '18446744073709551616', 'x'), '--lora': ('f=nan', 'f=inf', 'f=-inf', 'f=1e30')}.items():
            for value in values:
                result = run('generate', MODEL, '--prompt', 'x', option, value)
                self.assertEqual(result.returncode, 2, (option, value, result.stderr))
                self.assertIn(option, result.stderr)

    def test_counts_that_fit_no_context(self):
        for command in (('logits', MODEL, '--tokens', '1,2', '--out', '/tmp/x.npy'), ('bench', MODEL, '-r', '1')):
            options = {'logits': ('--last', '--decode', '--batch', '--ctx', '--threads'), 'bench': ('-p', '-n', '-d', '-r', '-b', '-t')}[command[0]]
            for option in options:
                for value in ('2147483648', '99999999999999999999', '-1', '1.5', '1e3', 'x', ''):
                    result = run(*command, option, value)
                    self.assertEqual(result.returncode, 2, (command, option, value, result.stderr))
                    self.assertIn(f'{option}: expected a whole number', result.stderr.replace('--batch', '-b').replace('--threads', '-t')
                                  if command[0] == 'bench' else result.stderr)
        for arguments in (('logits', MODEL, '--tokens', '1,2', '--out', '/tmp/x.npy', '--decode', '2147483647'), ('bench', MODEL, '-n', '2147483647'),
                          ('bench', MODEL, '-p', '2147483647'), ('bench', MODEL, '-d', '2147483647')):
            self.assertEqual(run(*arguments).returncode, 2)
        for arguments in (('logits', MODEL, '--tokens', '1,2', '--out', '/tmp/x.npy', '--decode', '16777215'),
                          ('bench', MODEL, '-n', '16777216', '-d', '16777216')):
            result = run(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn('a context holds 16777216', result.stderr)
        for tokens in ('1,2147483648', '1,,2', '1,2,', ',1', ',', '1;2', '1, 2'):
            self.assertEqual(run('logits', MODEL, '--tokens', tokens, '--out', '/tmp/x.npy').returncode, 2, tokens)

    def test_what_a_file_is(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            vocabulary = next((FIXTURES / 'tokenizer/vocab').glob('*.gguf'))
            (folder / 'page.gguf').write_text('<html>')
            (folder / 'empty.gguf').write_bytes(b'')
            (folder / 'half.gguf.part').write_bytes(pathlib.Path(MODEL).read_bytes()[:500_000])
            for path, expected in {vocabulary: 'a vocabulary without weights', folder / 'page.gguf': 'a web page', folder / 'empty.gguf': 'is empty',
                                   folder / 'half.gguf.part': 'has not finished', folder: 'found 2 GGUF files', folder / 'none': 'no such file',
                                   Embed.BERT: 'vectors'}.items():
                for command in (('generate', str(path), '--prompt', 'x'), ('chat', str(path)), ('logits', str(path), '--tokens', '1', '--out', '/tmp/x.npy')):
                    result = run(*command)
                    self.assertEqual(result.returncode, 1, (path, result.stderr))
                    self.assertIn(expected, result.stderr)
            result = run('generate', MODEL, '--prompt', 'x', '--lora', MODEL)
            self.assertEqual(result.returncode, 1)
            self.assertIn('stories260K-f32.gguf: expected a LoRA adapter in GGUF, found a', result.stderr)
            self.assertEqual(run('inspect', str(vocabulary)).returncode, 0)

    @unittest.skipUnless(os.path.exists('/dev/full'), 'no disk that is always full')
    def test_output_that_is_lost_is_a_failure(self):
        for arguments in (('generate', MODEL, '--prompt', 'x', '--raw', '-n', '3'), ('inspect', MODEL), ('inspect', MODEL, '--json'), ('--help',),
                          ('--version',), ('chat', '--help')):
            with open('/dev/full', 'w', encoding='utf-8') as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertIn('could not be written', result.stderr)

    def test_an_array_that_cannot_be_written_says_why(self):
        for path, reason in (('/dev/full', 'No space left'), ('/nowhere/x.npy', 'No such file'), ('/', 'Is a directory')):
            result = run('embed', MODEL, '--text', 'x', '--out', path)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f'{path}: the file could not be written ({reason}', result.stderr)


class Inspect(unittest.TestCase):
    def test_json(self):
        info = run_json('inspect', MODEL, '--json')
        self.assertEqual(info['architecture'], 'llama')
        self.assertEqual(info['vocabulary_size'], 512)
        self.assertGreater(info['parameters'], 200_000)
        self.assertGreater(info['kv_bytes_per_token_f16'], 0)
        self.assertGreater(info['multiply_adds_per_token'], 0)
        self.assertGreater(info['weight_bytes_per_token'], 0)

    def test_text(self):
        self.assertIn('llama', run('inspect', MODEL).stdout)


class Generate(unittest.TestCase):
    def test_greedy_text_is_golden(self):
        for expected in GOLDEN['runs']:
            got = run_json('generate', MODEL, '--raw', '--prompt', expected['prompt'], '-n', '120', '--temp', '0', '--json')
            self.assertEqual(got['text'], expected['text'])
            self.assertEqual(got['ids'], expected['greedy'])
            self.assertEqual(got['prompt_ids'], expected['ids'])
            self.assertEqual(got['timings']['generated_tokens'], 120)

    def test_several_prompts_are_answered_as_each_alone(self):
        options = ('generate', MODEL, '--raw', '-n', '40', '--seed', '5', '--json')
        prompts = ('Once upon a time', 'Lily', 'The big dog was very')
        together = run(*options, *(word for prompt in prompts for word in ('--prompt', prompt)))
        self.assertEqual(together.returncode, 0, together.stderr)
        lines = [json.loads(line) for line in together.stdout.splitlines()]
        self.assertEqual([line['ids'] for line in lines], [run_json(*options, '--prompt', prompt)['ids'] for prompt in prompts])
        text = run('generate', MODEL, '--raw', '-n', '5', '--temp', '0', '--prompt', 'Once', '--prompt', 'Lily').stdout
        self.assertEqual([line for line in text.splitlines() if line.startswith('> ')], ['> Once', '> Lily'], text)
        partly = run(*options, '--prompt', 'Once', '--prompt', 'a ' * 600, '--prompt', 'Lily')
        self.assertEqual(partly.returncode, 1)
        self.assertEqual([list(json.loads(line))[0] for line in partly.stdout.splitlines()], ['text', 'error', 'text'])
        refused = run(*options, '--prompt', 'a', '--prompt', 'b', '--draft', MODEL)
        self.assertEqual(refused.returncode, 2)
        self.assertIn('--draft', refused.stderr)

    def test_streamed_text_is_the_same(self):
        options = ('generate', MODEL, '--raw', '--prompt', 'Once', '-n', '40', '--seed', '5')
        self.assertEqual(run(*options).stdout, run_json(*options, '--json')['text'] + '\n')

    def test_the_seed_decides(self):
        def ids(seed):
            return run_json('generate', MODEL, '--raw', '--prompt', 'Once', '-n', '30', '--temp', '1.5', '--seed', seed, '--json')['ids']
        self.assertEqual(ids('7'), ids('7'))
        self.assertNotEqual(ids('7'), ids('8'))

    def test_prompt_file_and_stop_string(self):
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
            file.write('Once upon a time')
            file.flush()
            got = run_json('generate', MODEL, '--raw', '--prompt-file', file.name, '-n', '60', '--temp', '0', '--stop', 'girl', '--json')
        self.assertEqual(got['text'], ', there was a little ')
        self.assertEqual(got['stop_reason'], 'stop-string')

    def test_a_prompt_file_holds_a_text(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, 'prompt.txt')
            for content, expected in {b'a\0b': 'a NUL at byte 1', 'Zürich'.encode('latin-1'): 'expected UTF-8, found something else at byte 1',
                                      b'\xed\xa0\x80': 'expected UTF-8'}.items():
                file.write_bytes(content)
                result = run('generate', MODEL, '--raw', '--prompt-file', str(file), '-n', '1')
                self.assertEqual(result.returncode, 1, content)
                self.assertIn(expected, result.stderr)
            file.write_bytes('\ufeffZürich \ufffd'.encode())
            self.assertEqual(run('generate', MODEL, '--raw', '--prompt-file', str(file), '-n', '1').returncode, 0)

    def test_an_empty_prompt_is_one_however_it_is_given(self):
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
            for prompt in (('--prompt', ''), ('--prompt-file', file.name)):
                result = run('generate', MODEL, *prompt, '-n', '3')
                self.assertEqual(result.returncode, 1, prompt)
                self.assertEqual(result.stderr, 'error: expected a prompt, found an empty text; give a text, or --raw to let the model write from nothing\n')
                self.assertEqual(run_json('generate', MODEL, '--raw', *prompt, '-n', '3', '--temp', '0', '--json')['prompt_ids'], [1])
        result = run('generate', MODEL, '--prompt', 'x', '--prompt', '')
        self.assertEqual(result.returncode, 1)
        self.assertIn('found an empty text', result.stderr)

    def test_what_is_not_there_is_told_with_what_to_do(self):
        for arguments in (('inspect', '/nosuch'), ('generate', '/nosuch', '--prompt', 'x'), ('chat', '/nosuch'), ('tokenize', '/nosuch'), ('detokenize', '/nosuch'),
                          ('logits', '/nosuch', '--tokens', '1', '--out', '/tmp/x.npy'), ('trace', '/nosuch', '--tokens', '1'), ('bench', '/nosuch'),
                          ('embed', '/nosuch', '--text', 'x'), ('render', '--model', '/nosuch', '--context', '/nosuch')):
            result = run(*arguments)
            self.assertEqual(result.returncode, 1, (arguments, result.stderr))
            self.assertEqual(result.stderr, 'error: /nosuch: no such file or folder; expected a GGUF file or a folder with a model, check the path\n', arguments)
        for arguments in (('render', '--template', '/nosuch', '--context', 'x'), ('generate', MODEL, '--raw', '--prompt-file', '/nosuch')):
            self.assertEqual(run(*arguments).stderr, 'error: /nosuch: no such file; check the path\n')

    def test_raw_text_needs_no_template(self):
        self.assertEqual(run('generate', MODEL, '--raw', '--prompt', 'Once', '-n', '3').stderr, '')
        self.assertIn('note: ', run('generate', MODEL, '--prompt', 'Once', '-n', '3').stderr)

    def test_a_prompt_is_needed(self):
        self.assertEqual(run('generate', MODEL).returncode, 2)


class Embed(unittest.TestCase):
    BERT = str(FIXTURES / 'arch/models/bert.gguf')

    def test_a_vector_as_json_or_npy(self):
        vector = run_json('embed', self.BERT, '--tokens', '2,171,348,3', '--normalize')['embedding']
        self.assertEqual(len(vector), 64)
        self.assertAlmostEqual(sum(x * x for x in vector), 1, places=5)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'e.npy')
            self.assertEqual(run('embed', self.BERT, '--tokens', '2,171,348,3', '--normalize', '--out', str(path)).returncode, 0)
            np.testing.assert_allclose(np.load(path).ravel(), vector, rtol=1e-6)

    def test_a_text_gets_its_special_tokens(self):
        tokens = run_json('embed', self.BERT, '--text', 'hello')['tokens']
        self.assertEqual((tokens[0], tokens[-1]), (2, 3))

    def test_wrong_usage(self):
        self.assertEqual(run('embed', self.BERT).returncode, 2)
        self.assertEqual(run('embed', self.BERT, '--tokens', '1,x').returncode, 2)
        self.assertEqual(run('embed', self.BERT, '--tokens', '1', '--pooling', 'best').returncode, 2)
        self.assertEqual(run('embed', self.BERT, '--tokens', '1', '--pooling', 'rank').returncode, 1)


class Logits(unittest.TestCase):
    def logits(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'l.npy')
            result = run('logits', MODEL, '--tokens', '1,403,407,261,378', '--out', out, *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            return np.load(out)

    def test_shapes(self):
        self.assertEqual(self.logits().shape, (1, 512))
        self.assertEqual(self.logits('--last', '3').shape, (3, 512))
        self.assertEqual(self.logits('--last', '2', '--decode', '4').shape, (6, 512))
        self.assertEqual(self.logits('--last', '0', '--decode', '4').shape, (4, 512))
        self.assertEqual(self.logits('--last', '0').shape, (0, 512))
        self.assertEqual(self.logits().dtype, np.float32)

    def test_the_same_bits_in_any_batch(self):
        first = self.logits('--last', '5', '--decode', '3', '--threads', '1')
        for options in (('--batch', '1'), ('--batch', '2', '--threads', '2'), ('--threads', '3')):
            self.assertEqual(self.logits('--last', '5', '--decode', '3', *options).tobytes(), first.tobytes())
        self.assertEqual(self.logits('--last', '0', '--decode', '3').tobytes(), first[5:].tobytes())

    def test_more_rows_than_tokens(self):
        result = run('logits', MODEL, '--tokens', '1,403', '--last', '3', '--out', '/tmp/x.npy')
        self.assertEqual(result.returncode, 2)
        self.assertIn('--last: expected at most as many rows as there are tokens, 2', result.stderr)

    def test_wrong_tokens(self):
        self.assertEqual(run('logits', MODEL, '--tokens', '1,x', '--out', '/tmp/x.npy').returncode, 2)
        self.assertEqual(run('logits', MODEL, '--tokens', '1,99999', '--out', '/tmp/x.npy').returncode, 1)
        self.assertEqual(run('logits', MODEL, '--tokens', '1', '--kv', 'q3', '--out', '/tmp/x.npy').returncode, 2)


class Tokens(unittest.TestCase):
    def test_lines(self):
        def line(text):
            return json.dumps({'text_b64': base64.b64encode(text).decode(), 'add_special': True, 'parse_special': False})
        requests = [line(b'Once upon a time'), 'not json', '{"text_b64": 5}', line(b'\xff\x00bytes')]
        replies = [json.loads(reply) for reply in run('tokenize', MODEL, text='\n'.join(requests) + '\n').stdout.splitlines()]
        self.assertEqual(replies[0], {'ids': [1, 403, 407, 261, 378]})
        self.assertIn('error', replies[1])
        self.assertIn('error', replies[2])
        back = '\n'.join(json.dumps({'ids': replies[i]['ids'], 'remove_special': True, 'unparse_special': False}) for i in (0, 3))
        texts = [base64.b64decode(json.loads(reply)['text_b64']) for reply in run('detokenize', MODEL, text=back + '\n').stdout.splitlines()]
        self.assertEqual([text.lstrip() for text in texts], [b'Once upon a time', b'\xff\x00bytes'])
        self.assertIn('error', json.loads(run('detokenize', MODEL, text='{"ids": [-1]}\n').stdout))

    def test_a_line_that_failed_is_a_failure(self):
        for command, good, bad in (('tokenize', '{"text_b64": ""}', '{"text_b64": 5}'), ('detokenize', '{"ids": []}', '{"ids": [-1]}')):
            self.assertEqual(run(command, MODEL, text=f'{good}\n{good}\n').returncode, 0)
            partly = run(command, MODEL, text=f'{good}\n{bad}\n{good}\n')
            self.assertEqual((partly.returncode, len(partly.stdout.splitlines())), (1, 3))
            self.assertIn('1 of 3 lines', partly.stderr)
        self.assertEqual(run('tokenize', MODEL, text='{"text_b64": "", "add_special": false}\n').stdout, '{"ids":[]}\n')


class Trace(unittest.TestCase):
    def test_every_intermediate_has_a_shape_and_a_checksum(self):
        lines = [json.loads(line) for line in run('trace', MODEL, '--tokens', '1,403,407', '--json').stdout.splitlines()]
        names = [(line['layer'], line['name']) for line in lines]
        self.assertEqual(names[0], (-1, 'embedding'))
        self.assertEqual(names[-1], (-1, 'logits'))
        self.assertEqual(lines[-1]['shape'], [1, 512])
        self.assertEqual(len({line['checksum'] for line in lines}), len(lines))
        slow = run('trace', MODEL, '--tokens', '1,403,407', '--reference', '--json').stdout.splitlines()
        self.assertEqual([(json.loads(line)['layer'], json.loads(line)['name']) for line in slow], names)


class Bench(unittest.TestCase):
    def test_json(self):
        figures = run_json('bench', MODEL, '-p', '32', '-n', '8', '-t', '2', '-r', '1', '-d', '16', '--json')
        for key in ('prefill_tokens_per_s', 'decode_tokens_per_s', 'read_gb_per_s', 'bandwidth_gb_per_s', 'bandwidth_share'):
            self.assertGreater(figures[key], 0, key)


class Chat(unittest.TestCase):
    def test_a_conversation_ends_with_its_input(self):
        result = run('chat', MODEL, '-n', '8', '--temp', '0', text='Hello\n\nMore\n')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(len(result.stdout.strip()), 10)
        self.assertEqual(run('chat', MODEL, '-n', '8', text='').returncode, 0)
        self.assertIn('note: ', result.stderr)  # the model has no chat template, and that is said

    def test_a_turn_that_failed_is_a_failure(self):
        result = run('chat', MODEL, '-n', '8', '--temp', '0', '--ctx', '64', text='word ' * 500 + '\nHello\n')
        self.assertEqual(result.returncode, 1)
        self.assertIn('error: the prompt has', result.stderr)
        self.assertGreater(len(result.stdout.strip()), 10)  # the other turn was answered


if not (FIXTURES / 'INDEX.md').exists():
    if os.environ.get('INGLENOOK_REQUIRE_FIXTURES'):
        sys.exit(f'fixtures must be at {FIXTURES}')
    print(f'no fixtures at {FIXTURES}')
    sys.exit(77)
unittest.main(argv=sys.argv[:1], verbosity=1)
