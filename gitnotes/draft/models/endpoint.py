"""How is a server with the OpenAI interface asked, so that no answer can take longer than agreed?

Works with any of them (Ollama, llama.cpp, vLLM, LM Studio, hosted ones). What a server cannot do
(temperature, JSON schema, log-probabilities) is left out after its first refusal, once a process.
"""

from __future__ import annotations

import math
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Completion, Request, Token
from gitnotes.guard.secrets import mask_error
from gitnotes.guard.text import shorten, show
from gitnotes.records import Signature

if TYPE_CHECKING:
    from openai import OpenAI

MAX_ANSWER = 256 * 1024
"""Characters of an answer that are kept."""
_RETRIES = 3
_LONGEST_WAIT = 20.0
_RESTART_PAUSE = 1.0
"""Seconds between looks at whether a server is back."""
_CHARACTERS_A_TOKEN = 3.0
_CONTEXT = 8192
_MISSHAPEN = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What comes of an answer of another shape, since the client checks no type."""
_HOSTED = "https://api.openai.com/v1"

Watch = Callable[[str], None]


def base_url_of(url: str | None = None) -> str:
    """The address of the server: `url`, else OPENAI_BASE_URL, else that of OpenAI.

    Raises UsageError when it is no http address, or holds a password.
    """
    found = (url or os.environ.get("OPENAI_BASE_URL") or _HOSTED).strip().rstrip("/")
    try:
        parts = urlsplit(found)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"The address of the server, '{shorten(found)}', is no http address.",
            "Set OPENAI_BASE_URL to something like http://localhost:11434/v1.",
        )
    if parts.password or parts.username:
        raise UsageError(
            "The address of the server holds a name or password.", "Give the key in OPENAI_API_KEY."
        )
    return found


def host_of(url: str) -> str:
    """The host, with its port where it has one, that consent is asked for."""
    return urlsplit(url).netloc.casefold()


def is_on_this_machine(url: str) -> bool:
    """Whether what is sent to `url` stays on this machine."""
    import ipaddress

    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Endpoint:
    """A model behind a server; see `gitnotes.generation.Generator`."""

    def __init__(self, model: str, *, base_url: str | None = None, retries: int = _RETRIES) -> None:
        """Nothing is sent yet. Raises UsageError: address unusable, client not installed, no key."""
        self.model = model
        self.base_url = base_url_of(base_url)
        self._key = os.environ.get("OPENAI_API_KEY", "")
        if not self._key:
            if not is_on_this_machine(self.base_url):
                raise UsageError(
                    f"There is no key for {show(host_of(self.base_url))}.", "Set OPENAI_API_KEY."
                )
            self._key = "none"
        self._retries = retries
        self._refused: set[str] = set()
        self._has_answered = False
        self._lock = threading.Lock()
        self._client = self._connect()

    @property
    def signature(self) -> Signature:
        from gitnotes import __version__

        return Signature("endpoint", __version__, {"model": self.model, "host": host_of(self.base_url)})

    @property
    def context(self) -> int:
        """What servers can be trusted to read: none of them says, and small ones cut silently."""
        return _CONTEXT

    def count_tokens(self, text: str) -> int:
        """An estimate on the high side: three characters a token, one for each sign of other scripts."""
        wide = sum(1 for character in text if character > "\u2e7f") if not text.isascii() else 0
        return math.ceil((len(text) - wide) / _CHARACTERS_A_TOKEN) + wide

    def complete(self, request: Request, watch: Watch | None = None) -> list[Completion]:
        """See Generator. Refusals of a parameter are repaired, overload is waited for, within the time.

        So is a server that answered before and is gone: it may be starting anew.
        """
        deadline = time.monotonic() + request.timeout
        wait = 0.5
        busy_times = 0
        while True:
            try:
                found = _in_time(lambda: self._ask(request, deadline, watch), deadline)
                self._has_answered = True
                return found
            except _Refused as refused:
                self._do_without(refused)
            except _Busy as busy:
                pause = busy.seconds if busy.seconds is not None else wait
                wait = min(wait * 2, _LONGEST_WAIT)
                busy_times += 1
                if busy_times > self._retries or time.monotonic() + pause >= deadline:
                    raise ModelError(busy.sentence, "Try again later.") from None
                time.sleep(pause)
            except _Gone as gone:
                if not self._has_answered or time.monotonic() + _RESTART_PAUSE >= deadline:
                    self._has_answered = False  # the next question need not wait as long
                    raise ModelError(gone.sentence, "Start it, or set OPENAI_BASE_URL.") from None
                time.sleep(_RESTART_PAUSE)

    def _do_without(self, refused: _Refused) -> None:
        option = refused.option
        with self._lock:
            if self._refused != refused.without:
                return  # another thread has learned something since this was asked
            if option == "response_format" and option in self._refused:
                option = "json_object"  # the next step: no form at all
            if option in self._refused:
                raise ModelError(refused.sentence, "Try another model.") from None
            self._refused.add(option)

    @property
    def _name(self) -> str:
        return f"The server at {show(host_of(self.base_url))}"

    def _connect(self) -> OpenAI:
        try:
            from openai import DefaultHttpxClient, OpenAI
        except ImportError:
            raise UsageError(
                "The client for servers is not installed.", "Run: pip install 'gitnotes[endpoint]'"
            ) from None
        # A redirect would carry the question to a host that nobody has agreed to, and so would a
        # proxy on the way to this machine.
        return OpenAI(
            api_key=self._key,
            base_url=self.base_url,
            max_retries=0,
            http_client=DefaultHttpxClient(
                follow_redirects=False, trust_env=not is_on_this_machine(self.base_url)
            ),
        )

    def _ask(self, request: Request, deadline: float, watch: Watch | None) -> list[Completion]:
        import openai

        with self._lock:
            refused = frozenset(self._refused)
        arguments = _arguments(self.model, request, refused, stream=watch is not None)
        # A key stands for one body: what the server refused is not in the next one.
        once = {"Idempotency-Key": "-".join([request.once, *sorted(refused)])} if request.once else None
        left = max(deadline - time.monotonic(), 0.1)
        try:
            client = self._client.with_options(timeout=left)
            answer: Any = client.chat.completions.create(**arguments, extra_headers=once)
            return _follow(answer, watch) if watch is not None else _read(answer, refused)
        except openai.APITimeoutError:
            raise _too_late(self._name) from None
        except openai.APIConnectionError as problem:
            raise _Gone(
                f"{self._name} cannot be reached: {self._tell(problem.__cause__ or problem)}."
            ) from None
        except openai.APIStatusError as problem:
            raise self._translate(problem, arguments, refused) from None
        except (openai.OpenAIError, *_MISSHAPEN) as problem:
            # Also what the client raises for an answer of another shape.
            raise ModelError(
                f"{self._name} answers in a form that is not understood: {self._tell(problem)}.",
                "Check that OPENAI_BASE_URL ends in the path of its OpenAI interface, often /v1.",
            ) from None

    def _translate(self, problem: Any, arguments: dict[str, Any], refused: frozenset[str]) -> Exception:
        status: int = problem.status_code
        told = self._tell(problem)
        sentence = f"{self._name} answers {status}: {told}."
        if status in (400, 422):
            option = next(
                (name for name in _OPTIONS if name in arguments and name.partition("_")[0] in told.lower()),
                None,
            ) or next((name for name in _OPTIONS if name in arguments and name not in _LATE), None)
            option = option or next((name for name in _OPTIONS if name in arguments), None)
            return (
                ModelError(sentence, "Try another model.")
                if option is None
                else _Refused(option, sentence, refused)
            )
        if status in (408, 409, 425, 429) or status >= 500:
            return _Busy(sentence, _retry_after(problem.response.headers))
        if status in (401, 403):
            return ModelError(sentence, "Set OPENAI_API_KEY to a key that may use this model.")
        if status == 404:
            return ModelError(sentence, f"Check that it has the model '{show(self.model)}'.")
        if 300 <= status < 400:
            return ModelError(
                f"{self._name} sends us elsewhere, which is not followed.", "Set OPENAI_BASE_URL."
            )
        return ModelError(sentence)

    def _tell(self, problem: object) -> str:
        return shorten(mask_error(" ".join(str(problem).split())[:2000], self._key)).rstrip(".")


class _Refused(Exception):
    """The server does not know an option of the question, which was asked `without` some already."""

    def __init__(self, option: str, sentence: str, without: frozenset[str]) -> None:
        super().__init__(sentence)
        self.option, self.sentence, self.without = option, sentence, without


class _Busy(Exception):
    """The server may answer later; `seconds` is when, where it says so."""

    def __init__(self, sentence: str, seconds: float | None) -> None:
        super().__init__(sentence)
        self.sentence, self.seconds = sentence, seconds


class _Gone(Exception):
    """Nobody answers at the address."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


_OPTIONS = (
    "response_format",
    "logprobs",
    "temperature",
    "seed",
    "stop",
    "n",
    "max_tokens",
    "max_completion_tokens",
)
"""What a server may refuse, the one that is refused most often first."""
_LATE = frozenset(["stop", "n", "max_tokens", "max_completion_tokens"])


def _arguments(model: str, request: Request, refused: frozenset[str], *, stream: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "model": model,
        "messages": [{"role": turn.role, "content": turn.text} for turn in request.turns],
        "temperature": request.temperature,
        "seed": request.seed,
        "stop": list(request.stop) or None,
        "n": request.count if request.count > 1 else None,
    }
    limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    found[limit] = request.max_tokens
    if request.schema is not None:
        found["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.schema, "strict": True},
        }
        if "response_format" in refused:
            found["response_format"] = {"type": "json_object"}
            if "json_object" in refused:
                del found["response_format"]
    if request.top_logprobs:
        found["logprobs"] = True
        found["top_logprobs"] = request.top_logprobs
    for option in refused - {"response_format", "max_tokens"}:
        found.pop(option, None)
        if option == "logprobs":
            found.pop("top_logprobs", None)
    if stream:
        found["stream"] = True
    return {name: value for name, value in found.items() if value is not None}


def _read(answer: Any, refused: frozenset[str]) -> list[Completion]:
    usage = getattr(answer, "usage", None)
    found = []
    for choice in answer.choices:
        content = choice.message.content
        logprobs = getattr(choice, "logprobs", None)
        found.append(
            Completion(
                text=(content if isinstance(content, str) else "")[:MAX_ANSWER],
                model=str(answer.model or ""),
                finish=_finish(choice.finish_reason),
                prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
                completion_tokens=_count(getattr(usage, "completion_tokens", None)),
                tokens=_tokens(getattr(logprobs, "content", None)),
                without=tuple(sorted(refused)),
            )
        )
    if not found:
        raise ValueError("no choices")
    return found


def _count(told: object) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else None


def _tokens(content: Any) -> tuple[Token, ...] | None:
    """None when there are no log-probabilities, or what is there is none."""
    try:
        return tuple(map(_token, content)) or None
    except _MISSHAPEN:
        return None


def _token(item: Any) -> Token:
    others = tuple((other.token + "", float(other.logprob)) for other in item.top_logprobs or ())
    return Token(item.token + "", float(item.logprob), others)


def _follow(stream: Any, watch: Watch) -> list[Completion]:
    """Reads the parts of the first answer as they come."""
    text, model, finish = "", "", "other"
    for part in stream:
        model = str(getattr(part, "model", "") or model)
        for choice in part.choices or ():
            if choice.index == 0:
                text += choice.delta.content or ""
                finish = _finish(choice.finish_reason) if choice.finish_reason else finish
                watch(text)
        if len(text) > MAX_ANSWER:
            break
    return [Completion(text[:MAX_ANSWER], model, _finish(finish))]


def _finish(reason: str | None) -> Any:
    return reason if reason in ("stop", "length") else "other"


def _retry_after(headers: Any) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except (TypeError, ValueError):
        return None


def _too_late(name: str) -> ModelError:
    return ModelError(f"{name} did not answer in time.", "Give it longer, or ask a smaller model.")


def _in_time(ask: Callable[[], list[Completion]], deadline: float) -> list[Completion]:
    """What `ask` returns or raises, but no later than the deadline.

    The client's own timeouts start anew with every byte, so a server that drips would never end.
    """
    answers: queue.Queue[list[Completion] | BaseException] = queue.Queue(1)

    def work() -> None:
        try:
            answers.put(ask())
        except BaseException as problem:  # handed to the caller below
            answers.put(problem)

    # A daemon: a call that was given up does not keep the process alive.
    threading.Thread(target=work, daemon=True).start()
    try:
        found = answers.get(timeout=max(deadline - time.monotonic(), 0.0))
    except queue.Empty:
        raise _too_late("The server") from None
    if isinstance(found, BaseException):
        raise found
    return found
