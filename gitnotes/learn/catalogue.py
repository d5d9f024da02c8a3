"""Which base models are worth trying, by size, and what may be done with them?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A causal model with a permissive licence that transformers loads without code of its own."""

    name: str
    hub: str
    """Its name on the hub."""
    parameters: int
    """In millions."""
    disk: int
    """Megabytes of its weights in half precision, about two bytes a parameter."""
    licence: str
    speed: str = ""
    """Measured with gitnotes, and where; empty where it was not."""


ENTRIES = (
    Entry(
        "smollm2-135m",
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        135,
        269,
        "Apache-2.0",
        "0.6 s a subject, 2 cores",
    ),
    Entry("smollm2-360m", "HuggingFaceTB/SmolLM2-360M-Instruct", 362, 724, "Apache-2.0"),
    Entry("qwen2.5-coder-0.5b", "Qwen/Qwen2.5-Coder-0.5B-Instruct", 494, 988, "Apache-2.0"),
    Entry("qwen3-0.6b", "Qwen/Qwen3-0.6B", 596, 1192, "Apache-2.0"),
    Entry("qwen2.5-coder-1.5b", "Qwen/Qwen2.5-Coder-1.5B-Instruct", 1544, 3087, "Apache-2.0"),
    Entry("smollm2-1.7b", "HuggingFaceTB/SmolLM2-1.7B-Instruct", 1711, 3422, "Apache-2.0"),
)

FILES = (
    "*.safetensors",
    "*.safetensors.index.json",
    "*config.json",
    "tokenizer*",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template*",
    "LICENSE*",
)
"""What is fetched of a model: weights that hold no code, and what reads its words."""


def find_entry(name: str) -> Entry | None:
    """The entry of that name, here or on the hub."""
    wanted = name.casefold()
    return next((item for item in ENTRIES if wanted in (item.name, item.hub.casefold())), None)
