"""Trains the starter. See README.md for the command; everything is drawn from --seed.

The rate follows the share of the run that is over: a warm-up, a plateau, a decline to zero. With --steps that share is
counted in steps, so a run can be repeated; with --minutes or --until it is the clock's, for a machine that is shared.
"""
import argparse
import datetime
import json
import math
import pathlib
import random
import time

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F

import bpe
from corpus import Corpus
from model import Shape, Starter

TOKENS_A_BATCH = 2048   # of each worker
INTENT_WEIGHT = 0.6     # of the side task: telling what a question is about, at each of its tokens
QUESTION_WEIGHT = 0.03  # the questions are read, hardly learned
BEGINNING = (5, 4.0)    # the first tokens of an answer decide which one it is: how many, and their weight
CUT = 8                 # where most answers are cut: they are learned by heart soon, choosing the right one takes long
CUT_SHARE = (0.9, 0.6) # how many of them, at first and in the last quarter
MEMORY = 0.97           # of the mean of the weights over the steps, which is what is shipped
POOL = 384              # conversations sorted by length together, so that little is padded


def make_tokenizer(corpus, folder, size):
    path = folder / "tokenizer.json"
    if path.exists():
        return bpe.Tokenizer(json.loads(path.read_text()))
    rng = random.Random(7)
    texts = [text for _ in range(30000) for _, text, _ in corpus.conversation(rng)]
    merges = bpe.train(texts, size)
    path.write_text(json.dumps(merges))
    return bpe.Tokenizer(merges)


def weight_of(place):
    if place == 0:
        return QUESTION_WEIGHT
    return BEGINNING[1] if place <= BEGINNING[0] else 1.0


def example(corpus, tokenizer, rng, late):
    ids, places, intents = tokenizer.encode_chat(corpus.conversation(rng))
    end = len(ids)
    if rng.random() < CUT_SHARE[late] and CUT in places:
        end = places.index(CUT) + 1
    return ids[:end], places[:end], intents[:end]


def batches(corpus, tokenizer, rng, context, late):
    """(ids, weights, topics) without end; `late` tells whether the run is. A topic is the number of the question's intent, -1 where there is none."""
    number = {intent["name"]: i for i, intent in enumerate([*corpus.intents, corpus.more])}
    while True:
        pool = sorted((example(corpus, tokenizer, rng, late()) for _ in range(POOL)), key=lambda c: len(c[0]))
        groups, group = [], []
        for ids, places, intents in pool:
            if group and (len(group) + 1) * len(ids) > TOKENS_A_BATCH:
                groups.append(group)
                group = []
            group.append((ids[:context], places[:context], intents[:context]))
        groups.append(group)
        rng.shuffle(groups)
        for group in groups:
            length = max(len(ids) for ids, _, _ in group)
            ids = torch.zeros(len(group), length, dtype=torch.long)
            weights = torch.zeros(len(group), length)
            topics = torch.full((len(group), length), -1)
            for row, (tokens, places, intents) in enumerate(group):
                ids[row, :len(tokens)] = torch.tensor(tokens)
                weights[row, :len(tokens)] = torch.tensor([weight_of(place) for place in places])
                topics[row, :len(tokens)] = torch.tensor([number.get(intent, -1) for intent in intents])
            yield ids, weights, topics


def orthogonal(matrix):
    """Newton-Schulz: the matrix with its singular values brought near 1."""
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.T if tall else x


class Muon(torch.optim.Optimizer):
    """Momentum whose steps are made orthogonal, for the matrices inside the layers. The workers share the work."""

    def __init__(self, weights, lr, momentum=0.95):
        super().__init__(weights, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        group = self.param_groups[0]
        steps = []
        for i, weight in enumerate(group["params"]):
            state = self.state[weight]
            if not state:
                state["mean"] = torch.zeros_like(weight)
            state["mean"].lerp_(weight.grad, 1 - group["momentum"])
            mine = i % distributed.get_world_size() == distributed.get_rank()
            steps.append(orthogonal(weight.grad.lerp(state["mean"], group["momentum"])) if mine else torch.zeros_like(weight))
        for weight, step in zip(group["params"], together(steps)):
            weight.mul_(1 - group["lr"] * 0.1)
            weight.add_(step, alpha=-group["lr"] * max(1, step.shape[0] / step.shape[1]) ** 0.5)


def together(tensors):
    """The sums over all workers."""
    flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
    distributed.all_reduce(flat)
    parts = flat.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors)]


def rate(share, step):
    warm = min(1.0, (step + 1) / 15)
    fall = 1.0 if share < 0.35 else 0.5 * (1 + math.cos(math.pi * (share - 0.35) / 0.65))
    return warm * max(fall, 0.01)


class Clock:
    """How much of the run is over."""

    def __init__(self, options, spent):
        self.steps = options.steps
        self.begin = time.time() - spent
        self.end = self.begin + options.minutes * 60
        if options.until:
            hour, minute = map(int, options.until.split(":"))
            end = datetime.datetime.now().replace(hour=hour, minute=minute, second=0)
            if end < datetime.datetime.now():
                end += datetime.timedelta(days=1)
            self.end = end.timestamp()

    def share(self, step):
        if self.steps:
            return step / self.steps
        return (time.time() - self.begin) / (self.end - self.begin)

    def spent(self):
        return time.time() - self.begin


def sample(model, tokenizer, question, most=90):
    ids, _, _ = tokenizer.encode_chat([("user", question, None)])
    ids.append(tokenizer.ids["<|assistant|>"])
    begin = len(ids)
    with torch.no_grad():
        while len(ids) - begin < most:
            token = int(model.logits(model(torch.tensor([ids]))[0, -1]).argmax())
            if token == tokenizer.ids["<|end|>"]:
                break
            ids.append(token)
    return tokenizer.decode(ids[begin:]).replace("\n", "\\n")


PROBES = ["hello who are you", "can you tell me what the temp slider does?", "How do I load a model from my disk?",
          "what is the biggest lake in Finland", "stop it from writing", "why does my PC need so long for an answer?"]


class Run:
    """Model, optimizers and counters: what a checkpoint holds."""

    def __init__(self, options, tokenizer, intents):
        self.path = options.folder / "checkpoint.pt"
        self.seed = options.seed
        self.shape = Shape(vocabulary=len(tokenizer.tokens))
        torch.manual_seed(options.seed)
        self.model = Starter(self.shape)
        self.guess = torch.nn.Linear(self.shape.width, intents)  # of the side task, not part of the model
        inside = [w for n, w in self.model.named_parameters() if w.ndim == 2 and "embedding" not in n]
        outside = [w for n, w in self.model.named_parameters() if w.ndim == 1 or "embedding" in n]
        self.peaks = [0.006, 0.0015]
        outside += self.guess.parameters()
        self.optimizers = [Muon(inside, lr=self.peaks[0]),
                           torch.optim.AdamW(outside, lr=self.peaks[1], betas=(0.9, 0.98), weight_decay=0.01)]
        self.step, self.seen, self.spent = 0, 0, 0.0
        mean = None
        if self.path.exists():
            saved = torch.load(self.path, weights_only=False)
            self.model.load_state_dict(saved["model"])
            if "guess" in saved:
                self.guess.load_state_dict(saved["guess"])
                for optimizer, state in zip(self.optimizers, saved["optimizers"]):
                    optimizer.load_state_dict(state)
            self.step, self.seen, self.spent = saved["step"], saved["seen"], 0.0 if options.again else saved["spent"]
            mean = saved.get("mean")
        self.mean = mean or {name: tensor.clone() for name, tensor in self.model.state_dict().items()}

    def save(self, spent):
        state = {"model": self.model.state_dict(), "guess": self.guess.state_dict(), "optimizers": [o.state_dict() for o in self.optimizers],
                 "step": self.step, "seen": self.seen, "spent": spent, "shape": vars(self.shape), "seed": self.seed,
                 "mean": self.mean}
        torch.save(state, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def learn(self, ids, weights, topics, share):
        """One step; returns the losses of the text and of the side task."""
        hidden = self.model(ids)
        asked = topics >= 0
        side = F.cross_entropy(self.guess(hidden[asked]), topics[asked])
        hidden = hidden[:, :-1]
        target, weight = ids[:, 1:], weights[:, 1:]
        used = weight > 0
        losses = F.cross_entropy(self.model.logits(hidden[used]), target[used], reduction="none")
        loss = (losses * weight[used]).sum() / weight[used].sum()
        (loss + INTENT_WEIGHT * side).backward()
        workers = distributed.get_world_size()
        parameters = [*self.model.parameters(), *self.guess.parameters()]
        counted = torch.tensor([loss.item(), side.item(), float(used.sum())])
        *gradients, counted = together([p.grad for p in parameters] + [counted])
        for parameter, gradient in zip(parameters, gradients):
            parameter.grad = gradient / workers
        factor = rate(share, self.step)
        for optimizer, peak in zip(self.optimizers, self.peaks):
            optimizer.param_groups[0]["lr"] = peak * factor
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        for name, tensor in self.model.state_dict().items():
            self.mean[name].lerp_(tensor, 1 - MEMORY)
        self.step += 1
        self.seen += int(counted[2])
        return counted[:2] / workers


def work(rank, options):
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{options.folder.resolve()}/rendezvous", rank=rank,
                                   world_size=options.workers)
    corpus = Corpus()
    tokenizer = bpe.Tokenizer(json.loads((options.folder / "tokenizer.json").read_text()))
    run = Run(options, tokenizer, len(corpus.intents) + 1)
    clock = Clock(options, run.spent)
    rng = random.Random(f"{options.seed} {rank} {run.step}")
    source = batches(corpus, tokenizer, rng, run.shape.context, lambda: clock.share(run.step) > 0.75)
    log = open(options.folder / "log.tsv", "a")
    if rank == 0:
        print(f"{sum(w.numel() for w in run.model.parameters()) / 1e6:.2f} million parameters", flush=True)
    mean, saved_at, begin, begin_seen = None, time.time(), time.time(), run.seen

    def report():
        print(f"--- step {run.step}, loss {mean[0]:.4f}, side task {mean[1]:.4f}, {run.seen} tokens")
        for probe in PROBES:
            print(f"{probe} -> {sample(run.model, tokenizer, probe)}", flush=True)

    while True:
        # The first worker's clock counts for all.
        share = torch.tensor([clock.share(run.step)])
        distributed.broadcast(share, 0)
        if share.item() >= 1:
            break
        loss = run.learn(*next(source), share.item())
        mean = loss if mean is None else 0.97 * mean + 0.03 * loss
        if rank == 0 and run.step % 10 == 0:
            speed = (run.seen - begin_seen) / (time.time() - begin)
            print(f"{run.step}\t{share.item():.3f}\t{run.seen}\t{mean[0]:.4f}\t{mean[1]:.4f}\t{speed:.0f}", file=log, flush=True)
        if rank == 0 and time.time() - saved_at > 240:
            run.save(clock.spent())
            saved_at = time.time()
            report()
    if rank == 0:
        run.save(clock.spent())
        report()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path, help="where checkpoints, tokenizer and log are kept; goes on where it ended")
    options.add_argument("--steps", type=int, default=0)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--until", help="HH:MM, in place of --minutes")
    options.add_argument("--again", action="store_true", help="begin the schedule anew, however long the checkpoint was trained")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=2, help="processes, each with one thread")
    options = options.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "rendezvous").unlink(missing_ok=True)
    make_tokenizer(Corpus(), options.folder, Shape().vocabulary)
    multiprocessing.spawn(work, (options,), options.workers)


if __name__ == "__main__":
    main()
