"""What is asked of a language model, and what does it answer, wherever it runs?

The drafters and the judge ask through these records; a local model and a server answer them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from gitnotes.records import Signature

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation; only text of our own may be the system's."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model."""

    turns: tuple[Turn, ...]
    count: int = 1
    """Answers wanted; more than one needs a temperature above 0."""
    temperature: float | None = 0.0
    """None leaves it to the server, for models that refuse to be told."""
    max_tokens: int = 300
    stop: tuple[str, ...] = ()
    seed: int | None = None
    schema: dict[str, Any] | None = None
    """JSON schema that the answer is asked to follow; what comes must be checked all the same."""
    top_logprobs: int = 0
    """Alternatives a token to report; 0 asks for none."""
    timeout: float = 60.0
    """Seconds for the whole call, retries included."""
    once: str = ""
    """The same for a question that was asked before, perhaps by a process that was killed since.

    Sent as the header Idempotency-Key, by which a gateway that knows it answers without a new charge
    (draft-ietf-httpapi-idempotency-key-header); empty sends none.
    """


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an answer with the log-probabilities of what could have stood there."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer."""

    text: str
    model: str
    """As the server names itself; for a local model its name and revision."""
    finish: Literal["stop", "length", "other"] = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: tuple[Token, ...] | None = None
    """None when the model gives no log-probabilities."""
    without: tuple[str, ...] = ()
    """Options of the question that the server refused, so that it answered without them."""


class Generator(Protocol):
    """A model that can be asked."""

    @property
    def signature(self) -> Signature:
        """Which model, where it runs, and what else changes its answers."""

    @property
    def context(self) -> int:
        """Tokens that question and answer may have together."""

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        """The answers, at least one; `watch` is given the text of the first one as it grows.

        Raises ModelError: no answer in time, refused, no such model, out of memory.
        """

    def count_tokens(self, text: str) -> int:
        """The tokens of `text`, or an estimate that is rather too high."""


class Wrapped:
    """What a model is asked through: all but `complete` is as the model has it."""

    def __init__(self, inner: Generator) -> None:
        self._inner = inner

    @property
    def signature(self) -> Signature:
        return self._inner.signature

    @property
    def context(self) -> int:
        return self._inner.context

    def count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)


class Likelihood(Protocol):
    """A model that can tell how probable a text is."""

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """ln p(text | context) for each pair (context, text), summed over the tokens of the text.

        Raises ModelError: out of memory, a text without tokens.
        """


class LocalGenerator(Generator, Likelihood, Protocol):
    """A model whose weights are at hand, so that it can do both."""


CARD = "gitnotes.json"
"""The file of an adapter's folder that holds its `Tuning`, as JSON under the key `tuning`."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What an adapter must be asked to answer as it was taught to."""

    base: str
    """The name of the model that it was made for."""
    fingerprint: str
    """Of the weights of that model, as `gitnotes.draft.models.adapters.fingerprint` tells it."""
    budget: int
    """Tokens of the change, as the short prompt counts them."""
    answer_tokens: int = 64
    drafts: int = 0
    """Subjects made without a model that it wants to be shown."""
