"""Training: self-play environments, MaskablePPO, checkpoints, and the runs of `chromazoo train`."""

import os

# Read when torch loads OpenMP. Threads that spin as they wait make two threads on two busy cores
# many times slower than one; sleeping ones cost next to nothing on idle cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from chromazoo.training.command import train
from chromazoo.training.selfplay import SelfPlayVecEnv
from chromazoo.training.settings import Settings, make_settings, preset_names

__all__ = ["SelfPlayVecEnv", "Settings", "make_settings", "preset_names", "train"]
