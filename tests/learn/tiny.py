"""A model with a few thousand weights, made here, and rows that it can learn."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from gitnotes.learn.sizing import Row

WORDS = 64
PAD = 0


def make_model(seed: int = 0, *, layers: int = 2) -> Any:
    """A causal model with weights drawn by `seed`."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        pad_token_id=PAD,
        bos_token_id=1,
        eos_token_id=2,
    )
    return LlamaForCausalLM(config)


def make_rows(count: int, seed: int = 0) -> list[Row]:
    """Questions of some words, whose answer is the first of them twice and the end."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        question = [draw.randrange(3, WORDS) for _ in range(draw.randrange(4, 12))]
        answer = [question[0], question[0], 2]
        rows.append(Row((*question, *answer), len(question)))
    return rows


def save_model(folder: Path, seed: int = 0, *, layers: int = 2) -> Path:
    """A model with a tokenizer of bytes and a chat template, as a folder that transformers loads."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    special = ["<|pad|>", "<|start|>", "<|end|>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {token: place for place, token in enumerate([*special, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=words, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=special[0], bos_token=special[1], eos_token=special[2]
    )
    fast.chat_template = (
        "{% for message in messages %}<|start|>{{ message['role'] }}\n{{ message['content'] }}<|end|>\n"
        "{% endfor %}{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
    )
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = LlamaForCausalLM(config)
    for weight in model.parameters():
        if weight.dim() == 1:  # norms, which differ from model to model once they are trained
            weight.data += 0.1 * torch.randn_like(weight)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
