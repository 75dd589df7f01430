"""The games of Chromazoo and their faces. Importing it registers them with Gymnasium."""

from chromazoo.envs import chroma_v0, kroma_v0
from chromazoo.envs.registry import register_environments

register_environments()

__all__ = ["chroma_v0", "kroma_v0"]
