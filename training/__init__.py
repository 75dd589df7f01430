"""Training: self-play environments, MaskablePPO, checkpoints, and the runs of `chromazoo train`.

What is named here is imported when it is first asked for, with what it needs and no more.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chromazoo.training.command import train
    from chromazoo.training.preset import preset_names
    from chromazoo.training.selfplay import SelfPlayVecEnv
    from chromazoo.training.settings import Settings, make_settings

__all__ = ["SelfPlayVecEnv", "Settings", "make_settings", "preset_names", "train"]

_PLACES = {
    "SelfPlayVecEnv": "selfplay",
    "Settings": "settings",
    "make_settings": "settings",
    "preset_names": "preset",
    "train": "command",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
