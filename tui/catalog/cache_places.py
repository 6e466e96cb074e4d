"""Where in the cache folder things are."""

from __future__ import annotations

from pathlib import Path

from tui.catalog.json_files import file_name_of
from tui.settings import Settings


def records_folder(settings: Settings) -> Path:
    """Where the app's own files are."""
    return settings.cache_dir / "records"


def index_folder(settings: Settings) -> Path:
    """Where indexes are."""
    return settings.cache_dir / "index"


def manifest_path(settings: Settings, endpoint: str) -> Path:
    """The file with what is kept of the dataset and revision in `settings`, of the Hub at that address."""
    return settings.cache_dir / "snapshots" / f"{_dataset(settings, endpoint)}.json"


def front_page_path(settings: Settings, endpoint: str) -> Path:
    """The file with the first lines of the source in `settings`."""
    name = _dataset(settings, endpoint) if settings.data is None else file_name_of(str(settings.data.absolute()))
    return settings.cache_dir / "pages" / f"{name}.json"


def _dataset(settings: Settings, endpoint: str) -> str:
    return file_name_of(f"{settings.dataset} {settings.revision} {endpoint}")
