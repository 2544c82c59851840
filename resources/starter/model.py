"""The starter's architecture in PyTorch: qwen3 as GGUF describes it, small."""
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class Shape:
    vocabulary: int = 1536
    width: int = 160
    layers: int = 4
    heads: int = 5
    kv_heads: int = 5
    head_width: int = 32
    feed_forward: int = 416
    context: int = 1024
    rope_base: float = 10000.0
    epsilon: float = 1e-6


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.epsilon)


def rotated(x, cos, sin):
    """Pairs are an element of the first half and one of the second."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        linear = lambda rows, columns: nn.Linear(columns, rows, bias=False)
        self.attention_norm = Norm(shape.width, shape.epsilon)
        self.q = linear(shape.heads * shape.head_width, shape.width)
        self.k = linear(shape.kv_heads * shape.head_width, shape.width)
        self.v = linear(shape.kv_heads * shape.head_width, shape.width)
        self.o = linear(shape.width, shape.heads * shape.head_width)
        self.q_norm = Norm(shape.head_width, shape.epsilon)
        self.k_norm = Norm(shape.head_width, shape.epsilon)
        self.feed_forward_norm = Norm(shape.width, shape.epsilon)
        self.gate = linear(shape.feed_forward, shape.width)
        self.up = linear(shape.feed_forward, shape.width)
        self.down = linear(shape.width, shape.feed_forward)

    def forward(self, x, cos, sin):
        shape = self.shape
        batch, length, _ = x.shape
        normed = self.attention_norm(x)
        split = lambda y, heads: y.view(batch, length, heads, shape.head_width).transpose(1, 2)
        q = rotated(self.q_norm(split(self.q(normed), shape.heads)), cos, sin)
        k = rotated(self.k_norm(split(self.k(normed), shape.kv_heads)), cos, sin)
        v = split(self.v(normed), shape.kv_heads)
        if (group := shape.heads // shape.kv_heads) > 1:
            k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(mixed.transpose(1, 2).reshape(batch, length, -1))
        normed = self.feed_forward_norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Starter(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = Norm(shape.width, shape.epsilon)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                deep = name.endswith(("o.weight", "down.weight"))
                nn.init.normal_(weight, std=0.02 / (2 * shape.layers) ** 0.5 if deep else 0.02)
        frequencies = shape.rope_base ** -(torch.arange(0, shape.head_width, 2) / shape.head_width)
        angles = torch.outer(torch.arange(shape.context).float(), frequencies)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, ids):
        """(batch, length) ids to (batch, length, width); logits are its product with the embedding."""
        x = self.embedding(ids)
        cos, sin = self.cos[:ids.shape[1]], self.sin[:ids.shape[1]]
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.norm(x)

    def logits(self, hidden):
        return hidden @ self.embedding.weight.T
