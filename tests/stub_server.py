"""A server with the OpenAI interface on the loopback that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What is sent back for one call."""

    text: str | None = "Add retry"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Instead of everything that `text` would make."""
    finish: str = "stop"
    delay: float = 0.0
    """Seconds before the first byte."""
    drip: float = 0.0
    """Seconds between bytes."""
    logprobs: list[dict[str, Any]] | None = None
    model: str = "stub-1"


Respond = Callable[[dict[str, Any], int], Answer]
"""The question as sent, and which call it is, from 0."""


class Stub:
    """`url` is the base of the interface; `calls` are the questions that came, `headers` theirs."""

    def __init__(self, respond: Respond, port: int = 0) -> None:
        self.calls: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        stub = self
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self._send(Answer(body=json.dumps({"data": [{"id": "stub-1"}]}).encode()), {})

            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with lock:
                    number = len(stub.calls)
                    stub.calls.append(question)
                    stub.headers.append(dict(self.headers.items()))
                with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked has gone
                    self._send(respond(question, number), question)

            def _send(self, answer: Answer, question: dict[str, Any]) -> None:
                time.sleep(answer.delay)
                stream = question.get("stream") and answer.status == 200 and answer.body is None
                body = answer.body if answer.body is not None else _body(answer, question)
                self.send_response(answer.status)
                kind = "text/event-stream" if stream else "application/json"
                for name, value in {"content-type": kind, **answer.headers}.items():
                    self.send_header(name, value)
                if not stream:
                    self.send_header("content-length", str(len(body)))
                self.end_headers()
                if not answer.drip:
                    self.wfile.write(body)
                    return
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(answer.drip)

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serve(respond: Respond | Answer, *, port: int = 0) -> Iterator[Stub]:
    """A running server; 0 is any free port."""
    stub = Stub(respond if callable(respond) else lambda _question, _number: respond, port)
    try:
        yield stub
    finally:
        stub.close()


def _body(answer: Answer, question: dict[str, Any]) -> bytes:
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text, "type": "stub"}}).encode()
    if question.get("stream"):
        words = [word + " " for word in (answer.text or "").split(" ")]
        parts: list[dict[str, Any]] = [
            {"index": 0, "delta": {"content": word}, "finish_reason": None} for word in words
        ]
        parts.append({"index": 0, "delta": {}, "finish_reason": answer.finish})
        lines = [
            {
                "id": "1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": answer.model,
                "choices": [part],
            }
            for part in parts
        ]
        return "".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode() + b"data: [DONE]\n\n"
    logprobs = None if answer.logprobs is None else {"content": answer.logprobs}
    choice: dict[str, Any] = {
        "finish_reason": answer.finish,
        "logprobs": logprobs,
        "message": {"role": "assistant", "content": answer.text},
    }
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": answer.model,
            "choices": [{"index": at, **choice} for at in range(question.get("n") or 1)],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        }
    ).encode()
