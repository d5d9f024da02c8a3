"""How does a model on this machine write a text, or tell how probable one is?

Any causal or sequence-to-sequence model that transformers can load: a folder, a name on the hub, a
GGUF file, with a LoRA adapter or without. Only safetensors are read, and no code of a model is run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitnotes.draft.models.gguf import is_gguf, unpack_gguf
from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Completion, Request, Token, Tuning, Turn
from gitnotes.guard.text import shorten
from gitnotes.records import Signature

if TYPE_CHECKING:
    import torch

_PLAIN_END = "\n\nCommit message:\n"
"""What a model without a chat template is asked with."""
_BATCH_TOKENS = 4096
"""Tokens that are read together when probabilities are asked for."""
_INSTALL = "Run: pip install 'gitnotes[local]'"


class LocalModel:
    """A model on this machine; see `gitnotes.generation.Generator` and `Likelihood`."""

    def __init__(
        self,
        source: str,
        *,
        adapter: str | Path | None = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        """Loads tokenizer and weights, which takes seconds.

        Raises UsageError: transformers or torch missing, no such folder; ModelError: it cannot be
        loaded, the adapter is another model's, out of memory.
        """
        self.source = source
        self.adapter = None if adapter is None else Path(adapter)
        self._tuning: Tuning | None = None
        self._torch = _import_torch()
        self._torch.set_num_threads(threads or _spare_cores())
        self._device = self._choose_device(device)
        with _quiet(), _explained(f"The model '{shorten(source)}'"):
            self._load()
        self._watched: Callable[[str], None] | None = None

    @property
    def signature(self) -> Signature:
        from gitnotes import __version__

        settings = {"model": Path(self.source).name or self.source, "device": self._device}
        if self.adapter is not None:
            settings["adapter"] = self.adapter.name
        return Signature("local", __version__, settings)

    @property
    def context(self) -> int:
        """See Generator."""
        return int(getattr(self._model.config, "max_position_embeddings", 0) or 2048)

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def encode_question(self, turns: Sequence[Turn]) -> list[int]:
        """The tokens that the model is given for `turns`; its answer begins behind them."""
        text = self._as_text(turns)
        found: list[int] = self._tokenizer(text, add_special_tokens=not self._has_template)["input_ids"]
        return found

    def encode_answer(self, text: str) -> list[int]:
        """The tokens of an answer and the one that ends it."""
        own: list[int] = list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        return [*own, *self._ends[:1]]

    @property
    def network(self) -> Any:
        """The torch module, for training; with an adapter, its weights are merged."""
        return self._model

    @property
    def pad(self) -> int:
        """The token that fills rows of a batch."""
        return self._pad

    @property
    def tuning(self) -> Tuning | None:
        """How its adapter wants to be asked; None without one, or when it does not say."""
        return self._tuning

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        """See Generator. Several answers are written in one batch."""
        torch = self._torch
        ids = torch.tensor([self.encode_question(request.turns)], device=self._device)
        given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        size = int(ids.shape[1])
        if size + request.max_tokens > self.context and not self._is_seq2seq:
            raise ModelError(
                f"The question has {size} tokens, and the model reads {self.context - request.max_tokens}.",
                "Choose a model with a longer context.",
            )
        deadline = time.monotonic() + request.timeout
        if request.seed is not None:
            torch.manual_seed(request.seed)
        sampled = bool(request.temperature) and request.count >= 1
        options: dict[str, Any] = {
            "max_new_tokens": request.max_tokens,
            "num_return_sequences": request.count if sampled else 1,
            "do_sample": sampled,
            "max_time": request.timeout,
            "pad_token_id": self._pad,
            "eos_token_id": list(self._ends) or None,
            "return_dict_in_generate": True,
            "output_scores": bool(request.top_logprobs),
        }
        if sampled:
            options |= {"temperature": request.temperature, "top_p": 0.95}
        if request.stop:
            options |= {"stop_strings": list(request.stop), "tokenizer": self._tokenizer}
        if watch is not None:
            options["streamer"] = self._streamer(watch)
            options["num_return_sequences"] = 1
        with _quiet(), _explained("The model"), torch.inference_mode():
            out = self._model.generate(**given, **options)
        if time.monotonic() > deadline:
            raise ModelError("The model did not answer in time.", "Give it longer, or use a smaller one.")
        start = 0 if self._is_seq2seq else size
        return [
            self._completion(
                sequence[start:], request, out.scores if options["output_scores"] else None, at, size
            )
            for at, sequence in enumerate(out.sequences)
        ]

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """See Likelihood. The end of the text counts; contexts that are too long lose their middle."""
        torch = self._torch
        encoded = [self._encode_pair(context, text) for context, text in pairs]
        order = sorted(range(len(encoded)), key=lambda at: len(encoded[at][0]))
        found = [0.0] * len(encoded)
        while order:
            batch = [order.pop()]  # the longest first, so that memory fails at once or not at all
            while order and (len(batch) + 1) * len(encoded[batch[0]][0]) <= _BATCH_TOKENS:
                batch.append(order.pop())
            longest = len(encoded[batch[0]][0])
            ids = torch.full((len(batch), longest), self._pad, device=self._device)
            mask = torch.zeros_like(ids)
            for row, at in enumerate(batch):
                tokens = torch.tensor(encoded[at][0], device=self._device)
                ids[row, : len(tokens)] = tokens
                mask[row, : len(tokens)] = 1
            with _quiet(), _explained("The model"), torch.inference_mode():
                logits = self._model(input_ids=ids, attention_mask=mask).logits
                for row, at in enumerate(batch):
                    tokens, start = encoded[at]
                    own = torch.log_softmax(logits[row, start - 1 : len(tokens) - 1].float(), dim=-1)
                    wanted = ids[row, start : len(tokens)].unsqueeze(1)
                    found[at] = float(own.gather(1, wanted).sum())
        return found

    def _load(self) -> None:
        from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

        source = self.source
        if is_gguf(source):
            source = str(unpack_gguf(Path(source)))
        looks_like_path = source.startswith((".", "/", "~")) or os.sep in source.rstrip(os.sep)[1:3]
        if looks_like_path and not Path(source).expanduser().is_dir():
            raise UsageError(
                f"There is no model folder '{shorten(source)}'.",
                "Run `gitnotes models list` to see what there is.",
            )
        source = str(Path(source).expanduser()) if Path(source).expanduser().is_dir() else source
        known: dict[str, Any] = {"trust_remote_code": False}
        try:
            config = AutoConfig.from_pretrained(source, **known)
        except OSError:
            if Path(source).is_dir():
                raise
            raise ModelError(
                f"The model '{shorten(source)}' is not on this machine.",
                "Fetch it with `gitnotes models pull`, or see what is here: gitnotes models",
            ) from None
        self._is_seq2seq = bool(config.is_encoder_decoder)
        kind = AutoModelForSeq2SeqLM if self._is_seq2seq else AutoModelForCausalLM
        self._tokenizer: Any = AutoTokenizer.from_pretrained(source, **known)
        # bf16 halves time and memory on a CPU as well; older ones lack it, and compute it slowly.
        dtype = self._torch.bfloat16 if self._has_bf16() else self._torch.float32
        model = kind.from_pretrained(source, dtype=dtype, use_safetensors=True, **known)
        if self.adapter is not None:
            from gitnotes.draft.models.adapters import add_adapter, read_tuning

            model = add_adapter(model, self.adapter)
            self._tuning = read_tuning(self.adapter)
        self._model: Any = model.to(self._device).eval()
        self._has_template = bool(getattr(self._tokenizer, "chat_template", None))
        self._ends = self._find_ends()
        pad = self._tokenizer.pad_token_id
        self._pad = int(pad if pad is not None else self._ends[0] if self._ends else 0)

    def _find_ends(self) -> tuple[int, ...]:
        """The tokens that end an answer, the model's own first: a tokenizer that was read from a GGUF
        file may take the token that begins a turn for the one that ends it."""
        found: list[int] = []
        for told in (
            getattr(self._model.generation_config, "eos_token_id", None),
            getattr(self._model.config, "eos_token_id", None),
            self._tokenizer.eos_token_id,
        ):
            found += told if isinstance(told, list | tuple) else [] if told is None else [told]
        return tuple(dict.fromkeys(int(token) for token in found))

    def _choose_device(self, wanted: str) -> str:
        torch = self._torch
        there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if wanted == "auto":
            return next(name for name in ("cuda", "mps", "cpu") if there[name])
        if not there.get(wanted.partition(":")[0], False):
            raise UsageError(f"There is no device '{shorten(wanted)}' here.", "Choose cpu, cuda or mps.")
        return wanted

    def _has_bf16(self) -> bool:
        if self._device.startswith("cuda"):
            return bool(self._torch.cuda.is_bf16_supported())
        if self._device == "mps":
            return True
        capability = getattr(self._torch.backends.cpu, "get_cpu_capability", lambda: "")()
        return capability in ("AVX512", "AMX")

    def _as_text(self, turns: Sequence[Turn]) -> str:
        if not self._has_template:
            return "\n\n".join(turn.text for turn in turns) + _PLAIN_END
        told = [{"role": turn.role, "content": turn.text} for turn in turns]
        try:
            text = self._tokenizer.apply_chat_template(told, tokenize=False, add_generation_prompt=True)
        except Exception:
            # Some templates know no system role.
            first = {"role": "user", "content": "\n\n".join(turn.text for turn in turns)}
            text = self._tokenizer.apply_chat_template([first], tokenize=False, add_generation_prompt=True)
        return str(text)

    def _encode_pair(self, context: str, text: str) -> tuple[list[int], int]:
        """The tokens of both, and where those of the text begin."""
        before: list[int] = list(self._tokenizer(context, add_special_tokens=False)["input_ids"])
        own: list[int] = list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        if not own:
            raise ModelError("A text without words has no probability.", "Leave it out.")
        own += self._ends[:1]
        begin = self._tokenizer.bos_token_id
        head = [begin] if begin is not None else list(self._ends[:1]) or [self._pad]
        room = self.context - len(own) - 1
        if room < 1:
            raise ModelError(f"The text has {len(own)} tokens, more than the model reads.", "Shorten it.")
        if len(before) > room:
            half = room // 2
            before = before[:half] + before[len(before) - (room - half) :]
        return [*head, *before, *own], 1 + len(before)

    def _completion(
        self, tokens: torch.Tensor, request: Request, scores: Any, row: int, prompt_tokens: int
    ) -> Completion:
        ids = [int(token) for token in tokens if int(token) != self._pad]
        stopped = len(ids) < len(tokens) or len(tokens) < request.max_tokens or bool({*self._ends} & {*ids})
        text = str(self._tokenizer.decode(ids, skip_special_tokens=True))
        for stop in request.stop:
            text = text.partition(stop)[0]
        told = None
        if scores is not None:
            told = tuple(
                self._token(step[row], token, request) for step, token in zip(scores, ids, strict=False)
            )
        return Completion(
            text=text,
            model=Path(self.source).name or self.source,
            finish="stop" if stopped else "length",
            prompt_tokens=prompt_tokens,
            completion_tokens=len(ids),
            tokens=told,
        )

    def _token(self, scores: torch.Tensor, token: int, request: Request) -> Token:
        logprobs = self._torch.log_softmax(scores.float(), dim=-1)
        values, places = logprobs.topk(request.top_logprobs)
        others = tuple(
            (str(self._tokenizer.decode([int(place)])), float(value))
            for value, place in zip(values, places, strict=True)
        )
        return Token(str(self._tokenizer.decode([token])), float(logprobs[token]), others)

    def _streamer(self, watch: Callable[[str], None]) -> Any:
        from transformers import TextStreamer

        class Watcher(TextStreamer):  # type: ignore[misc]
            """Hands on the whole text so far."""

            def __init__(self, tokenizer: Any) -> None:
                super().__init__(tokenizer, skip_prompt=True, skip_special_tokens=True)
                self.so_far = ""

            def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
                self.so_far += text
                watch(self.so_far)

        return Watcher(self._tokenizer)


def _import_torch() -> Any:
    # Nothing is fetched unless somebody asked for it: `gitnotes models pull` does.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError:
        raise UsageError("Local models need torch, which is not installed.", _INSTALL) from None
    return torch


def _spare_cores() -> int:
    """Half of the cores: waiting threads burn the others when somebody else works too."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    return max(1, cores // 2)


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Turns what torch and transformers raise into one sentence."""
    try:
        yield
    except (ModelError, UsageError):
        raise
    except MemoryError:
        raise ModelError(f"{what} does not fit into memory.", "Use a smaller one.") from None
    except Exception as problem:
        told = shorten(" ".join(str(problem).split())).rstrip(".") or type(problem).__name__
        if "out of memory" in told.lower() or "can't allocate memory" in told.lower():
            raise ModelError(f"{what} does not fit into memory.", "Use a smaller one.") from None
        raise ModelError(
            f"{what} failed: {told}.", "Run `gitnotes models list` to see what is on this machine."
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the progress bars and advice that the libraries write."""
    import warnings

    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
