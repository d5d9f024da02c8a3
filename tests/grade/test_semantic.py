"""Does the encoder compute what its description says, and fail in sentences without its files?"""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gitnotes.errors import InputError, UsageError
from gitnotes.grade import semantic
from gitnotes.grade.metric import make_metric

WORDS = ["[CLS]", "[SEP]", "[UNK]", "fix", "the", "parser", "remove", "bug"]
SIZE, WIDE = 24, 48


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A folder with a model of the same build and random weights, and the weights."""
    numpy = pytest.importorskip("numpy")
    save = pytest.importorskip("safetensors.numpy").save_file
    tokenizers = pytest.importorskip("tokenizers")
    chance = numpy.random.default_rng(5)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": (256, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        "embeddings.LayerNorm.weight": (SIZE,),
        "embeddings.LayerNorm.bias": (SIZE,),
    }
    for number in range(2):
        prefix = f"encoder.layer.{number}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value"):
            shapes |= {f"{prefix}{name}.weight": (SIZE, SIZE), f"{prefix}{name}.bias": (SIZE,)}
        for name, ends in (
            ("attention.output.dense", (SIZE, SIZE)),
            ("intermediate.dense", (WIDE, SIZE)),
            ("output.dense", (SIZE, WIDE)),
        ):
            shapes |= {f"{prefix}{name}.weight": ends, f"{prefix}{name}.bias": ends[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{prefix}{name}.weight": (SIZE,), f"{prefix}{name}.bias": (SIZE,)}
    weights = {name: (chance.normal(size=shape) * 0.7).astype("float32") for name, shape in shapes.items()}
    save(weights, tmp_path / "model.safetensors")
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    monkeypatch.setenv(semantic.FOLDER, str(tmp_path))
    semantic.load_encoder.cache_clear()
    yield weights
    semantic.load_encoder.cache_clear()


def slow_vectors(weights: Any, ids: list[int]) -> list[list[float]]:
    """The last layer of BERT in plain Python, one number at a time."""

    def norm(row: list[float], name: str) -> list[float]:
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-12)
        scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [(x - mean) / spread * float(a) + float(b) for x, a, b in zip(row, scale, shift, strict=True)]

    def linear(row: list[float], name: str) -> list[float]:
        rows, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            sum(float(w) * x for w, x in zip(line, row, strict=True)) + float(b)
            for line, b in zip(rows, shift, strict=True)
        ]

    def add(one: list[float], other: list[float]) -> list[float]:
        return [a + b for a, b in zip(one, other, strict=True)]

    prefix = "embeddings."
    hidden = []
    for place, number in enumerate(ids):
        word = weights[f"{prefix}word_embeddings.weight"][number]
        position = weights[f"{prefix}position_embeddings.weight"][place]
        kind = weights[f"{prefix}token_type_embeddings.weight"][0]
        row = [float(a) + float(b) + float(c) for a, b, c in zip(word, position, kind, strict=True)]
        hidden.append(norm(row, f"{prefix}LayerNorm"))
    width = SIZE // semantic.HEADS
    for number in range(2):
        layer = f"encoder.layer.{number}."
        query, key, value = (
            [linear(row, f"{layer}attention.self.{name}") for row in hidden]
            for name in ("query", "key", "value")
        )
        mixed: list[list[float]] = [[] for _ in hidden]
        for head in range(semantic.HEADS):
            part = slice(head * width, (head + 1) * width)
            for place in range(len(ids)):
                scores = [
                    sum(a * b for a, b in zip(query[place][part], other[part], strict=True))
                    / math.sqrt(width)
                    for other in key
                ]
                total = sum(map(math.exp, scores))
                for column in range(width):
                    mixed[place].append(
                        sum(
                            math.exp(score) / total * other[part][column]
                            for score, other in zip(scores, value, strict=True)
                        )
                    )
        for place, row in enumerate(hidden):
            row = add(row, linear(mixed[place], f"{layer}attention.output.dense"))
            row = norm(row, f"{layer}attention.output.LayerNorm")
            wide = linear(row, f"{layer}intermediate.dense")
            wide = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in wide]
            hidden[place] = norm(add(row, linear(wide, f"{layer}output.dense")), f"{layer}output.LayerNorm")
    return hidden


def test_the_encoder_is_that_of_bert(model: Any) -> None:
    encoder = semantic.load_encoder()
    wanted = slow_vectors(model, [0, 3, 4, 5, 1])
    found = encoder.vectors("Fix the parser")
    assert found.shape == (5, SIZE)
    for row, other in zip(found, wanted, strict=True):
        assert [float(x) for x in row] == pytest.approx(other, abs=2e-4)


def test_scores(model: Any) -> None:
    for name in ("minilm", "bertscore"):
        metric = make_metric(name)
        assert metric.score("fix the parser", ["Fix the parser"]) == pytest.approx(1, abs=1e-5)
        near, far = (metric.score("fix the parser", [text]) for text in ("fix the bug", "remove zzz"))
        assert near is not None and far is not None and 1 > near > far
        assert metric.score("fix", ["zzz", "fix"]) == pytest.approx(1, abs=1e-5)
        assert metric.score("", ["fix"]) == metric.score("fix", [" "]) == 0.0
        assert metric.score("fix", []) is None
        for text in ("\ud800", "fix " * 100_000, "\x00", "名前"):
            value = metric.score(text, ["fix the parser"])
            assert value is not None and math.isfinite(value)
        assert "model:all-MiniLM-L6-v2" in str(metric.signature)


def test_bertscore_by_hand(model: Any) -> None:
    encoder = semantic.load_encoder()
    one, other = encoder.tokens("fix the"), encoder.tokens("parser fix bug")
    assert (len(one), len(other)) == (2, 3)
    near = [[float(a @ b) for b in other] for a in one]
    precision = sum(map(max, near)) / 2
    recall = sum(max(row[place] for row in near) for place in range(3)) / 3
    wanted = 2 * precision * recall / (precision + recall)
    assert make_metric("bertscore").score("fix the", ["parser fix bug"]) == pytest.approx(wanted, abs=1e-6)


def test_missing_files_and_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("numpy", "safetensors", "tokenizers"):
        pytest.importorskip(package)
    semantic.load_encoder.cache_clear()
    monkeypatch.setenv(semantic.FOLDER, str(tmp_path))
    with pytest.raises(UsageError, match=r"model\.safetensors"):
        make_metric("minilm")
    for name in semantic.FILES:
        (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(InputError, match="cannot be read"):
        make_metric("minilm")
    monkeypatch.delenv(semantic.FOLDER)
    monkeypatch.setattr(semantic, "find_spec", lambda name: None)
    with pytest.raises(UsageError) as caught:
        make_metric("bertscore")
    assert "--no-deps" in caught.value.hint
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(UsageError) as caught:
        make_metric("minilm")
    assert "gitnotes[semantic]" in caught.value.hint


@pytest.mark.slow
def test_the_real_model() -> None:
    if find_spec(semantic.PACKAGE) is None:
        pytest.skip("the model is not installed")
    pytest.importorskip("tokenizers")
    semantic.load_encoder.cache_clear()
    metric = make_metric("minilm")
    near, far = (
        metric.score("Fix a crash in the parser", [text])
        for text in ("Parser no longer crashes", "Bump the version to 2.1")
    )
    assert near is not None and far is not None and near > 0.6 > 0.3 > far
    semantic.load_encoder.cache_clear()
