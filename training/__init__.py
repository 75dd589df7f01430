"""Training: self-play environments, MaskablePPO, checkpoints, and the runs of `chromazoo train`."""

from chromazoo.training.command import train
from chromazoo.training.selfplay import SelfPlayVecEnv
from chromazoo.training.settings import Settings, make_settings, preset_names

__all__ = ["SelfPlayVecEnv", "Settings", "make_settings", "preset_names", "train"]
