"""Is an adapter that has learned nothing the same in all but its weights?"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from bench.learning.untaught import main


def test_only_the_weights_are_gone(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    adapter = tmp_path / "adapter"
    adapter.mkdir()
    save_file({"a": torch.ones(3, 2, dtype=torch.float16)}, adapter / "adapter_model.safetensors")
    (adapter / "gitnotes.json").write_text("{}")
    assert main([str(adapter), str(tmp_path / "out")]) == 0
    (weight,) = load_file(tmp_path / "out" / "adapter_model.safetensors").values()
    assert weight.shape == (3, 2) and weight.dtype == torch.float16 and not weight.any()
    assert (tmp_path / "out" / "gitnotes.json").read_text() == "{}"
    assert load_file(adapter / "adapter_model.safetensors")["a"].all()
