"""Pgx on the processor: many games at once, `vmap` and `jit`, with its own `auto_reset`.

Some steps are compiled into one `scan`. `Env.step` always asks for the observation; for play
without, it is dropped from the compiled function's state, and XLA leaves out its making. Legal
actions are picked by rank, which is faster here than Pgx's `act_randomly`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Peer, Tally, measured, shape_text

_DECISIONS = 4096  # in one compiled call, or one step of all games if that is more


def make(game: str, batch: int) -> Peer:
    """Make a game of Pgx, such as `animal_shogi`."""
    import pgx

    env = pgx.make(game)
    with_observations, without = _Table(env, batch, True), _Table(env, batch, False)
    return Peer(
        actions=env.num_actions,
        observation=shape_text(env.observation_shape, with_observations.dtype),
        plays={WITHOUT: without.play, WITH: with_observations.play},
    )


class _Table:
    """Plays a batch of games."""

    def __init__(self, env: Any, batch: int, observe: bool) -> None:
        """Begin the games."""
        import jax

        self._batch, self._length = batch, max(1, _DECISIONS // batch)
        keys = jax.random.split(jax.random.PRNGKey(1), batch)
        self._state = jax.jit(jax.vmap(env.init))(keys)
        self._key = jax.random.PRNGKey(2)
        self.dtype = self._state.observation.dtype
        if not observe:
            self._state = self._state.replace(observation=self._state.observation[:, :0])
        step = _step(env, batch, observe)
        self._steps = jax.jit(partial(_steps, step, self._length), donate_argnums=0)

    def play(self) -> Tally:
        """Make one compiled call."""
        self._state, self._key, choices, games = self._steps(self._state, self._key)
        self._state.legal_action_mask.block_until_ready()
        return Tally(self._batch * self._length, int(choices.sum()), int(games.sum()))


def _step(env: Any, batch: int, observe: bool) -> Callable[..., Any]:
    """Make the function that takes one random step in every game."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    play = jax.vmap(auto_reset(env.step, env.init))
    seen = jax.eval_shape(env.init, jax.random.PRNGKey(0)).observation

    def step(carried: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        state, key = carried
        key, choosing, chance = jax.random.split(key, 3)
        if not observe:
            state = state.replace(observation=jnp.zeros((batch, *seen.shape), seen.dtype))
        mask = state.legal_action_mask
        numbers = mask.sum(axis=1)
        ranks = (jax.random.uniform(choosing, (batch,)) * numbers).astype(jnp.int32)
        actions = (jnp.cumsum(mask, axis=1) > ranks[:, None]).argmax(axis=1)
        state = play(state, actions, jax.random.split(chance, batch))
        if not observe:
            state = state.replace(observation=state.observation[:, :0])
        return (state, key), (numbers.sum(), state.terminated.sum())

    return step


def _steps(step: Callable[..., Any], length: int, state: Any, key: Any) -> tuple[Any, ...]:
    """Take some steps; return the games, the key, and choices and ends by step."""
    import jax

    (state, key), (choices, games) = jax.lax.scan(step, (state, key), None, length=length)
    return state, key, choices, games


run = partial(measured, make)
