"""How does a GGUF file become a folder that loads in seconds rather than in half a minute?

transformers reads GGUF by unpacking every weight, each time anew. It is unpacked once, into the
user's cache, as safetensors.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sys
import tempfile
from contextlib import nullcontext, redirect_stderr
from pathlib import Path

from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten

_MAGIC = b"GGUF"
_DONE = "config.json"


def is_gguf(source: str) -> bool:
    """Whether `source` names a file in the format of llama.cpp."""
    path = Path(source).expanduser()
    if path.suffix.lower() != ".gguf" and not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            found = file.read(4) == _MAGIC
    except OSError as problem:
        raise UsageError(
            f"The model file '{shorten(source)}' cannot be read: {problem.strerror}.", "Check its path."
        ) from None
    if not found:
        raise UsageError(f"'{shorten(source)}' is no GGUF file.", "Give a folder, a hub id or a GGUF file.")
    return True


def cache_folder() -> Path:
    """Where unpacked and fetched models are kept, by the custom of the platform."""
    given = os.environ.get("GITNOTES_CACHE")
    if given:
        return Path(given).absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not Path(base).is_absolute():  # its standard has such a value ignored
            base = str(Path.home() / ".cache")
    return Path(base) / "gitnotes"


def unpack_gguf(path: Path) -> Path:
    """The folder with the unpacked model; made on first use, whole or not at all."""
    path = path.expanduser().resolve()
    folder = cache_folder() / "models" / f"{path.stem}-{_digest(path)}"
    if (folder / _DONE).is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    except OSError as problem:
        raise UsageError(
            f"The folder '{shorten(str(folder.parent))}' cannot be written to: {problem.strerror}.",
            "Set GITNOTES_CACHE to a folder of yours.",
        ) from None
    try:
        _unpack(path, making)
        try:
            making.rename(folder)
        except OSError:  # another process was faster
            if not (folder / _DONE).is_file():
                raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return folder


def _unpack(path: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    with nullcontext() if sys.stderr.isatty() else redirect_stderr(io.StringIO()):  # a bar that moves
        packed = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    # A model that came from GGUF refuses to be saved; one made of its weights does not.
    config = packed.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(packed.state_dict())
    model.to(torch.bfloat16).save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()[:12]
