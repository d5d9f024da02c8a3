"""How is nltk's Porter stemmer had without the rest of nltk?

`import nltk.stem.porter` first runs `nltk/__init__.py`, which takes from 150 ms to more than
a second. Here the two files that matter are run on their own, and their `import` statements
are answered from here, so `sys.modules` is never touched and no other thread that imports
nltk at the same time can meet half of it.
"""

from __future__ import annotations

import builtins
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

_REAL = "nltk.stem.porter"


class Stemmer(Protocol):
    """What is used of a stemmer."""

    def stem(self, word: str) -> str: ...


def load_stemmer() -> Stemmer:
    """A stemmer of the class `nltk.stem.porter.PorterStemmer` in its default mode.

    Raises ImportError when nltk is not installed.
    """
    kind = getattr(sys.modules.get(_REAL), "PorterStemmer", None)
    if kind is None:
        try:
            kind = _Loader().module(_REAL).PorterStemmer
        except Exception:
            # An nltk that is laid out in another way is imported as usual.
            kind = import_module(_REAL).PorterStemmer
    stemmer: Stemmer = kind()
    return stemmer


class _Loader:
    """Runs modules of `nltk.stem` alone; whatever else of nltk they name waits until it is called."""

    def __init__(self) -> None:
        spec = find_spec("nltk")
        if spec is None or not spec.submodule_search_locations:
            raise ImportError("nltk is not installed")
        self.folders = list(spec.submodule_search_locations)
        self.modules: dict[str, ModuleType] = {}

    def module(self, name: str) -> ModuleType:
        """The module `name`, a direct child of `nltk.stem`."""
        if name not in self.modules:
            folders = [str(Path(folder, "stem")) for folder in self.folders]
            spec = PathFinder.find_spec(name, folders)
            if spec is None or spec.loader is None:
                raise ImportError(f"{name} is not where it should be")
            module = module_from_spec(spec)
            # A frame takes `__import__` from the `__builtins__` of its module.
            vars(module)["__builtins__"] = {**vars(builtins), "__import__": self.answer}
            self.modules[name] = module
            spec.loader.exec_module(module)
        return self.modules[name]

    def answer(
        self,
        name: str,
        globals: dict[str, Any] | None = None,
        locals: dict[str, Any] | None = None,
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> Any:
        """What an `import` statement in one of these modules gets."""
        if level or name.partition(".")[0] != "nltk":
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        if name.startswith("nltk.stem.") and fromlist:
            return self.module(name)
        return _Later(name if fromlist else "nltk")


class _Later:
    """A part of nltk that stemming does not need: it is imported when it is first called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _Later:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Later(f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        home, _, attribute = self._name.rpartition(".")
        return getattr(import_module(home), attribute)(*args, **kwargs)
