"""The games of Chromazoo and their faces."""

from chromazoo.envs import chroma_v0, kroma_v0

__all__ = ["chroma_v0", "kroma_v0"]
