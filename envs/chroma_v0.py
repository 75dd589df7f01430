"""CHROMA, version 0: what users import.

CHROMA is a card game of placement by a colour wheel with hidden hands, for two to six players. Its
options, the same for every function here, are told in `chromazoo.envs.chroma.config.Config` and in
the game's README.

>>> environment = env(num_players=3, first_player=1)
>>> environment.reset(seed=7)
>>> observation, reward, termination, truncation, info = environment.last()
>>> observation["observation"].shape == (environment.unwrapped.game.num_features,)
True
>>> environment.agent_selection
'player_1'
"""

from chromazoo.envs.chroma.rules import Game
from chromazoo.envs.entry import Entry

_entry = Entry(Game)
env = _entry.env
raw_env = _entry.raw_env
vector_env = _entry.vector_env
single_env = _entry.single_env
single_vector_env = _entry.single_vector_env

__all__ = ["Game", "env", "raw_env", "single_env", "single_vector_env", "vector_env"]
