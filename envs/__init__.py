"""The games of Chromazoo and their faces."""

from chromazoo.envs import kroma_v0

__all__ = ["kroma_v0"]
