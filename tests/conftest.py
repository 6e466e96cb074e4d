"""Fixtures for all tests: no test reaches a network, a home folder or a token of the person who runs it."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tools"))

from loopback_hub import LoopbackHub

from tui.catalog import hub_session
from tui.settings import Settings

# Each test of the app makes many objects that all go at its end: collecting more often costs a fifth of the suite.
gc.set_threshold(100_000, 50, 50)

# huggingface_hub reads these once, at import; whoever imports it later in this process finds a folder of
# its own and a port that refuses.
_HOME = Path(tempfile.mkdtemp(prefix="trn-models-tests-"))
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
_FOREIGN = ("HF_", "HUGGING", "TRN_MODELS_", "TRANSFORMERS_", "XDG_", "SSL_CERT", "NEURON_", "TORCH_NEURONX_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
for _name in list(os.environ):
    if _name.startswith(_FOREIGN) or _name.lower() in _PROXIES:
        del os.environ[_name]
os.environ["HF_HOME"] = str(_HOME / "huggingface")
os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"
for _kind in ("CONFIG", "CACHE", "STATE", "DATA"):
    os.environ[f"XDG_{_kind}_HOME"] = str(_HOME / _kind.lower())


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    """A running loopback Hub; HF_ENDPOINT and the Hugging Face cache of this test point to it.

    Child processes inherit them from `os.environ`.
    """
    hub_session.forget_waits()
    with LoopbackHub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
        yield server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings whose folders are this test's own; the dataset is the default one."""
    return Settings(cache_dir=tmp_path / "cache", state_dir=tmp_path / "state", config_dir=tmp_path / "config")
