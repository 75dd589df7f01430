"""What faces must do, as functions that respect action masks and raise `AssertionError`.

They are functions, not tests, so that `test_faults.py` can run them on faces with planted faults.
PettingZoo's own checkers know no batched faces, and its parallel seed test samples without masks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.envs.aec import AECFace
from chromazoo.envs.errors import ChromazooError, IllegalAction
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.state import State
from chromazoo.envs.vector import VectorFace
from tests.faces.play import AnyGame, Course, Players, decide, play_aec, play_parallel, stage

MakeVector = Callable[..., VectorFace]
MakeAEC = Callable[..., AECFace]
MakeParallel = Callable[..., ParallelFace]

ROWS = 6
STEPS = 130  # of random play in a batch


@dataclass
class Moment:
    """What a batched face told after a reset (no actions) or a step."""

    actions: NDArray[np.int64] | None
    seats: NDArray[np.int64]
    observation: NDArray[np.uint8]
    mask: NDArray[np.int8]
    reward: NDArray[np.float64]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]

    @property
    def done(self) -> NDArray[np.bool_]:
        return self.terminations | self.truncations

    def row(self, row: int) -> tuple[Any, ...]:
        """All that one row showed, comparable."""
        parts = (self.seats, self.observation, self.mask, self.reward, self.rewards)
        ends = (self.terminations[row], self.truncations[row])
        acted = None if self.actions is None else int(self.actions[row])
        return acted, *(part[row].tobytes() for part in parts), *map(bool, ends)


def moment(env: VectorFace, actions: NDArray[np.int64] | None = None) -> Moment:
    """Read off all that a batched face tells now."""
    seen, reward, terminations, truncations, info = env.last()
    assert seen is not None
    assert info == {}
    return Moment(
        actions,
        env.agent_selection.copy(),
        seen["observation"].copy(),
        seen["action_mask"].copy(),
        reward.copy(),
        env.rewards.copy(),
        terminations.copy(),
        truncations.copy(),
    )


def play_on(env: VectorFace, players: Players, steps: int) -> Iterator[Moment]:
    """Play at random from where a batched face is, through new games, and tell every moment."""
    now = moment(env)
    yield now
    for _ in range(steps):
        actions = players.act(now.mask, now.seats)
        env.step(actions)
        now = moment(env, actions)
        yield now


def roll(env: VectorFace, seed: int | None, key: int = 0, steps: int = STEPS) -> list[Moment]:
    """Begin new games and play on at random; row i draws from the streams of `key + i`."""
    env.reset(seed=seed)
    return list(play_on(env, Players(key + np.arange(env.num_envs), env.game.num_seats), steps))


def by_row(moments: list[Moment]) -> list[tuple[Any, ...]]:
    """All that all rows showed, comparable."""
    return [now.row(row) for now in moments for row in range(len(now.seats))]


def has_chance(game: AnyGame) -> bool:
    """Whether deals differ."""
    return len(np.unique(game.observe(game.deal(np.arange(20))), axis=0)) > 1


# The batched face


def check_forms(make: MakeVector) -> None:
    """Spaces, dtypes and shapes are as told, and a mask is empty where a row is finished only."""
    env = make(ROWS)
    game, space = env.game, env.single_observation_space
    assert space is env.single_observation_space
    assert env.observation_space is env.observation_space
    assert env.action_space is env.action_space
    assert env.single_action_space.n == game.num_actions
    assert env.action_space.shape == (ROWS,)
    assert env.num_envs == ROWS
    for now in roll(env, 1):
        assert now.seats.dtype == np.int64
        assert now.seats.shape == (ROWS,)
        assert ((now.seats >= 0) & (now.seats < game.num_seats)).all()
        assert now.observation.dtype == np.uint8
        assert now.mask.dtype == np.int8
        assert now.observation.shape == (ROWS, game.num_features)
        assert now.mask.shape == (ROWS, game.num_actions)
        assert ((now.mask == 0) | (now.mask == 1)).all()
        assert np.array_equal(now.mask.any(axis=1), ~now.done)
        for told, shape in ((now.reward, (ROWS,)), (now.rewards, (ROWS, game.num_seats))):
            assert told.dtype == np.float64
            assert told.shape == shape
        for ends in (now.terminations, now.truncations):
            assert ends.dtype == np.bool_
            assert ends.shape == (ROWS,)
        batch = {"observation": now.observation, "action_mask": now.mask}
        assert env.observation_space.contains(batch)
        assert space.contains({key: part[0] for key, part in batch.items()})
        if now.actions is not None:
            assert env.action_space.contains(now.actions)


def check_seeds(make: MakeVector) -> None:
    """The same seed is the same course through several games; another seed is another."""
    env, other = make(ROWS), make(ROWS)
    first = by_row(roll(env, 5))
    assert first == by_row(roll(other, 5))
    assert first == by_row(roll(env, 5))
    if has_chance(env.game):
        assert first != by_row(roll(env, 6))


def check_rows(make: MakeVector) -> None:
    """A row plays as it would alone: row i of seed s is row 0 of seed s + i, in any batch."""
    together = roll(make(ROWS), 11)
    for row in range(ROWS):
        alone = roll(make(1), 11 + row, key=row)
        assert [now.row(row) for now in together] == [now.row(0) for now in alone]


def check_against_rules(make: MakeVector) -> None:
    """Every row shows what its game shows when played by itself, straight from the rules.

    Its n-th new game has the seed `mix(row seed, n)`, is dealt by the step after the end, and that
    step's action is ignored.
    """
    env, seed = make(ROWS), 21
    env.reset(seed=seed)
    row_seeds = seed + np.arange(ROWS)
    states = [env.game.deal([row_seed]) for row_seed in row_seeds.tolist()]
    dealt, ended = [0] * ROWS, [False] * ROWS
    players = Players(row_seeds, env.game.num_seats)
    for now in play_on(env, players, STEPS):
        for row in range(ROWS):
            mover = states[row].seat.copy()
            if ended[row]:
                dealt[row] += 1
                states[row] = env.game.deal(mix(as_seeds(int(row_seeds[row])), dealt[row]))
            elif now.actions is not None:
                env.game.step(states[row], now.actions[[row]])
            ended[row] = check_row(env, states[row], now, row, mover)
    assert sum(dealt) > ROWS


def check_row(env: VectorFace, state: State, now: Moment, row: int, mover: Any) -> bool:
    """Demand that a row shows a game that was played by itself; tell whether it is finished."""
    over = bool(state.over[0])
    cut = not over and env.max_plies is not None and int(state.plies[0]) >= env.max_plies
    seat = mover if over or cut else state.seat
    assert (bool(now.terminations[row]), bool(now.truncations[row])) == (over, cut)
    assert now.seats[row] == seat[0]
    assert np.array_equal(now.observation[[row]], env.game.observe(state, seat))
    expected = env.game.action_mask(state, seat) & ~(over or cut)
    assert np.array_equal(now.mask[[row]], expected)
    assert np.array_equal(now.rewards[[row]], state.rewards)
    assert now.reward[row] == now.rewards[row, now.seats[row]]
    return over or cut


def check_final_transition(make: MakeVector) -> None:
    """A finished row is shown once: the seat that moved last, its mask empty, all rewards."""
    ends = 0
    moments = roll(make(ROWS), 31)
    for before, now, after in zip(moments, moments[1:], moments[2:], strict=False):
        for row in np.flatnonzero(now.done):
            ends += 1
            assert not before.done[row]
            assert now.seats[row] == before.seats[row]
            assert not now.mask[row].any()
            assert abs(now.rewards[row].sum()) < 1e-9
            assert now.terminations[row] or not now.rewards[row].any()
            assert not after.done[row]
            assert after.mask[row].any()
            assert not after.rewards[row].any()
        assert not now.rewards[~now.done].any()
    assert ends > ROWS


def check_rewards(make: MakeVector, make_aec: MakeAEC) -> None:
    """Over each row's first game the sum of rewards is that of the AEC face, for every seat."""
    env = make(ROWS)
    moments = roll(env, 41, key=41)
    rewarded = 0
    for row in range(ROWS):
        sums = np.zeros(env.game.num_seats)
        for now in moments:
            sums += now.rewards[row]
            if now.done[row]:
                break
        aec = make_aec()
        aec.reset(seed=41 + row)
        course = play_aec(aec, Players([41 + row], env.game.num_seats))
        assert sums.tolist() == course.rewards
        rewarded += bool(sums.any())
    assert rewarded or env.max_plies


def check_disabled(make: MakeVector) -> None:
    """Without autoreset a finished row stays, its rewards told once, until it is reset."""
    env = make(ROWS, autoreset_mode="Disabled")
    moments = roll(env, 51)
    finished = moments[-1].done
    assert finished.any()
    for before, now in pairwise(moments):
        for row in np.flatnonzero(before.done).tolist():
            assert now.done[row]
            assert now.terminations[row] == before.terminations[row]
            assert now.seats[row] == before.seats[row]
            assert np.array_equal(now.observation[row], before.observation[row])
            assert not now.mask[row].any()
            assert not now.rewards[row].any()
    shown = np.sum([now.rewards for now in moments], axis=0)
    assert np.array_equal(shown, np.where(finished[:, None], shown, 0))
    assert shown.any() or env.max_plies
    mask = finished & (np.arange(ROWS) != np.flatnonzero(finished)[-1])
    env.reset(options={"reset_mask": mask})
    after = moment(env)
    assert np.array_equal(after.done, finished & ~mask)
    for row in range(ROWS):
        seed = mix(as_seeds(51 + row), 1)
        if mask[row]:
            fresh = env.game.deal(seed)
            assert after.seats[row] == fresh.seat[0]
            assert np.array_equal(after.observation[[row]], env.game.observe(fresh))
        else:
            assert np.array_equal(after.observation[row], moments[-1].observation[row])
            assert np.array_equal(after.rewards[row], moments[-1].rewards[row])


def start_apart(env: VectorFace, seed: int) -> None:
    """Begin games of which every other is a decision ahead, so that not all end at once."""
    env.reset(seed=seed)
    env.step(moment(env).mask.argmax(axis=1))
    env.reset(options={"reset_mask": np.arange(env.num_envs) % 2 == 0})


def check_illegal(make: MakeVector) -> None:
    """An illegal action raises, names row and seat, and leaves everything as it was."""
    env, twin = make(ROWS), make(ROWS)
    for face in (env, twin):
        start_apart(face, 61)
    players = Players(np.arange(ROWS), env.game.num_seats)
    tried = tried_beside_ended = 0
    now = moment(env)
    for step in range(80):
        actions = players.act(now.mask, now.seats)
        live = np.flatnonzero(~now.done)
        row = int(live[step % len(live)]) if len(live) else 0
        for wrong in (-1, env.game.num_actions, int(now.mask[row].argmin())):
            legal = 0 <= wrong < env.game.num_actions and now.mask[row, wrong]
            if now.done[row] or legal:
                continue
            mixed = actions.copy()
            mixed[row] = wrong
            with pytest.raises(IllegalAction) as caught:
                env.step(mixed)
            assert (caught.value.row, caught.value.seat) == (row, now.seats[row])
            assert caught.value.action == wrong
            assert by_row([moment(env, now.actions)]) == by_row([now])
            tried += 1
            tried_beside_ended += bool(now.done.any())
        actions[now.done] = -7  # ignored there
        env.step(actions)
        twin.step(actions)
        now = moment(env, actions)
        assert by_row([now]) == by_row([moment(twin, actions)])
    assert tried > 100
    assert tried_beside_ended


def check_fresh_games(make: MakeVector) -> None:
    """Reset without a seed begins other games; after a seed they are the following ones of it."""
    env = make(ROWS)
    if has_chance(env.game):
        first = by_row(roll(env, None))
        assert first != by_row(roll(env, None))
        assert first != by_row(roll(make(ROWS), None))
    env.reset(seed=71)
    env.reset()
    env.reset()
    twin = make(ROWS)
    twin.reset(seed=71)
    twin.reset(options={"reset_mask": np.ones(ROWS, np.bool_)})
    twin.reset(options={"reset_mask": np.arange(ROWS) > 0})
    twin.reset(options={"reset_mask": np.arange(ROWS) == 0})
    for row in range(ROWS):
        state = env.game.deal(mix(as_seeds(71 + row), 2))
        for now in (moment(env), moment(twin)):
            assert now.seats[row] == state.seat[0]
            assert np.array_equal(now.observation[[row]], env.game.observe(state))
    courses = [
        list(play_on(face, Players(np.arange(ROWS), env.game.num_seats), STEPS))
        for face in (env, twin)
    ]
    assert by_row(courses[0]) == by_row(courses[1])


def check_arrays_are_the_users(make: MakeVector) -> None:
    """What users do with the arrays they got changes nothing."""
    env, twin = make(ROWS), make(ROWS)
    env.reset(seed=81)
    twin.reset(seed=81)
    players = Players(np.arange(ROWS), env.game.num_seats)
    for _ in range(40):
        now = moment(env)
        assert by_row([now]) == by_row([moment(twin)])
        actions = players.act(now.mask, now.seats)
        seen, *arrays, _ = env.last()
        assert seen is not None
        for array in (*seen.values(), *arrays, env.rewards, env.agent_selection):
            array[:] = 1
        again, then = env.last()[0], twin.last()[0]
        assert again is not None
        assert then is not None
        assert all(np.array_equal(again[key], then[key]) for key in then)
        env.step(actions)
        twin.step(actions)


# Single games


def assert_no_infos(env: ParallelFace, infos: dict[str, dict[str, Any]]) -> None:
    """Each seat has an empty dict of its own."""
    assert infos == {agent: {} for agent in env.possible_agents}
    assert len({id(info) for info in infos.values()}) == len(infos)


def course_of_parallel(env: ParallelFace, seed: int | None, key: int) -> Course:
    """Begin a game in a parallel face and play it to its end, with random choices of that key."""
    seen, infos = env.reset(seed=seed)
    assert_no_infos(env, infos)
    return play_parallel(env, Players([key], env.game.num_seats), seen)


def check_parallel_seeds(make: MakeParallel, games: int = 12) -> None:
    """The same seed is the same whole game, masks respected; another seed is another."""
    env, other = make(), make()
    courses = [course_of_parallel(env, seed, key=seed) for seed in range(games)]
    assert all(course.decisions for course in courses)
    assert courses == [course_of_parallel(other, seed, key=seed) for seed in range(games)]
    assert courses == [course_of_parallel(env, seed, key=seed) for seed in range(games)]
    others = [course_of_parallel(env, seed, key=0) for seed in range(games)]
    assert any(one != others[0] for one in others[1:])
    fresh = [course_of_parallel(env, None, key=0) for _ in range(games)]
    assert any(one != fresh[0] for one in fresh[1:])


def check_parallel_forms(make: MakeParallel, games: int = 8) -> None:
    """All seats are told all that is theirs to the end; those not pending have empty masks."""
    env = make()
    names = env.possible_agents
    for seed in range(games):
        seen, infos = env.reset(seed=seed)
        assert_no_infos(env, infos)
        state, players = env.game.deal([seed]), Players([seed], env.game.num_seats)
        sums = np.zeros(len(names))
        while env.agents:
            assert env.agents == names
            assert list(seen) == names
            actions = {}
            for seat, agent in enumerate(names):
                assert_seen(env, state, seat, seen[agent])
                assert seen[agent]["action_mask"].any() == state.pending[0, seat]
                choice = int(players.act(seen[agent]["action_mask"][None], [seat])[0])
                actions[agent] = choice if state.pending[0, seat] else env.game.num_actions
            for seat in np.flatnonzero(state.pending[0]).tolist():
                env.game.step(state, [actions[names[seat]]], np.array([seat]))
            seen, rewards, terminations, truncations, infos = env.step(actions)
            assert_no_infos(env, infos)
            for told in (rewards, terminations, truncations):
                assert list(told) == names
            assert {type(end) for end in (*terminations.values(), *truncations.values())} == {bool}
            assert set(terminations.values()) == {bool(state.over[0])}
            assert not any(truncations.values())
            sums += list(rewards.values())
        for seat, agent in enumerate(names):
            assert_seen(env, state, seat, seen[agent])
            assert not seen[agent]["action_mask"].any()
        assert sums.tolist() == state.rewards[0].tolist()
        assert sums.any() or env.game.num_seats == 2
        assert env.step({}) == ({}, {}, {}, {}, {})


def assert_seen(env: ParallelFace, state: State, seat: int, seen: dict[str, Any]) -> None:
    """A seat is shown what the rules show to it of a game."""
    eyes = np.array([seat])
    assert env.observation_space(f"player_{seat}").contains(seen)
    assert np.array_equal(seen["observation"], env.game.observe(state, eyes)[0])
    assert np.array_equal(seen["action_mask"], env.game.action_mask(state, eyes)[0])


def choices(env: ParallelFace, players: Players, seen: dict[str, Any]) -> dict[str, int]:
    """Let all pending seats decide."""
    return {
        agent: decide(players, seen[agent], seat)
        for seat, agent in enumerate(env.possible_agents)
        if seen[agent]["action_mask"].any()
    }


def check_parallel_illegal(make: MakeParallel) -> None:
    """A step that one seat's choice spoils is refused and changes nothing, whoever else chose."""
    env, twin = make(), make()
    seats, tried = env.game.num_seats, 0
    for seed in range(2):
        seen, _ = env.reset(seed=seed)
        twin.reset(seed=seed)
        players = Players([seed], seats)
        while env.agents:
            actions, told = choices(env, players, seen), env.state().tobytes()
            last = max(actions)
            for wrong in (int(seen[last]["action_mask"].argmin()), env.game.num_actions, None):
                if wrong is not None and seen[last]["action_mask"][wrong : wrong + 1].any():
                    continue
                with pytest.raises(ChromazooError) as caught:
                    env.step({**actions, last: wrong})
                assert isinstance(caught.value, IllegalAction) == (wrong is not None)
                assert env.state().tobytes() == told
                assert env.agents == env.possible_agents
                tried += len(actions) > 1
            seen, *rest = env.step(actions)
            then, *others = twin.step(actions)
            assert rest == others
            assert env.state().tobytes() == twin.state().tobytes()
            for agent, parts in then.items():
                assert all(np.array_equal(seen[agent][key], part) for key, part in parts.items())
    assert tried > 3


def check_parallel_truncation(make: MakeParallel) -> None:
    """Reaching `max_plies`, amid a step or not, truncates: no rewards, and no masks."""
    length = len(course_of_parallel(make(), 3, key=3).decisions)
    for limit in (1, 2, 3, length - 1, length):
        env = make(max_plies=limit)
        players = Players([3], env.game.num_seats)
        seen, _ = env.reset(seed=3)
        while env.agents:
            seen, rewards, terminations, truncations, infos = env.step(choices(env, players, seen))
        assert set(truncations.values()) == {limit < length}
        assert set(terminations.values()) == {limit == length}
        assert limit == length or set(rewards.values()) == {0.0}
        assert_no_infos(env, infos)
        for agent, parts in seen.items():
            assert env.observation_space(agent).contains(parts)
            assert not parts["action_mask"].any()
        assert env.step({}) == ({}, {}, {}, {}, {})


def check_truncation(make: MakeVector, make_aec: MakeAEC) -> None:
    """Reaching `max_plies` truncates, with rewards 0, in both faces; ending there terminates."""
    lengths = set()
    for seed in range(8):
        free = make_aec()
        free.reset(seed=seed)
        course = play_aec(free, Players([seed], free.game.num_seats))
        length = len(course.decisions)
        lengths.add(length)
        for limit in (1, length - 1, length):
            aec = make_aec(max_plies=limit)
            aec.reset(seed=seed)
            cut = play_aec(aec, Players([seed], aec.game.num_seats))
            assert cut.truncated == (limit < length or course.truncated)
            assert cut.decisions == course.decisions[:limit]
            assert cut.rewards == ([0.0] * len(cut.rewards) if cut.truncated else course.rewards)
            env = make(1, max_plies=limit)
            env.reset(seed=seed)
            moments = list(play_on(env, Players([seed], env.game.num_seats), limit))
            assert [bool(now.done[0]) for now in moments] == [False] * limit + [True]
            assert bool(moments[-1].truncations[0]) == cut.truncated
            assert moments[-1].rewards[0].tolist() == cut.rewards
            assert moments[-1].seats[0] == cut.decisions[-1][0]


# Hidden information


def shown_by_aec(env: AECFace, agent: str) -> tuple[Any, ...]:
    """All that an AEC face shows to one agent."""
    told: list[Any] = [env.agents, env.agent_selection, env.rewards, env.terminations]
    told += [env.truncations, env.infos, env.render()]
    told += [(key, part.tobytes()) for key, part in env.observe(agent).items()]
    if env.agent_selection == agent:
        seen, *rest = env.last()
        assert seen is not None
        told += [(key, part.tobytes()) for key, part in seen.items()] + rest
    return tuple(map(repr, told))


def worlds_of(game: AnyGame, state: State, seat: int, number: int = 4) -> State:
    """One game in many worlds: as it is, and with what a seat cannot know drawn anew."""
    many = state.take(np.zeros(number, np.int64))
    worlds: State = game.redeal(many, np.full(number, seat), np.arange(number))
    worlds.put([0], state)
    return worlds


def check_hidden_aec(make: Callable[[AnyGame], AECFace], game: AnyGame, state: State) -> None:
    """What a seat cannot know changes nothing that the AEC face shows to it: state of one game."""
    for seat in range(game.num_seats):
        worlds = worlds_of(game, state, seat)
        shown = []
        for world in range(len(worlds)):
            env = make(stage(game, worlds.take([world])))
            env.reset(seed=0)
            shown.append(shown_by_aec(env, f"player_{seat}"))
        assert len(set(shown)) == 1


def check_hidden_parallel(
    make: Callable[[AnyGame], ParallelFace], game: AnyGame, state: State
) -> None:
    """The same of the parallel face."""
    for seat in range(game.num_seats):
        worlds = worlds_of(game, state, seat)
        shown = []
        for world in range(len(worlds)):
            env = make(stage(game, worlds.take([world])))
            seen, infos = env.reset(seed=0)
            parts = seen[f"player_{seat}"]
            told = [part.tobytes() for part in parts.values()]
            shown.append((*told, repr(infos), repr(env.agents), env.render()))
        assert len(set(shown)) == 1


def check_hidden_vector(
    make: Callable[[AnyGame, int], VectorFace], game: AnyGame, state: State
) -> None:
    """The same of the batched face, which shows its game to the seat to decide: rows are worlds."""
    for seat in range(game.num_seats):
        worlds = worlds_of(game, state, seat)
        env = make(stage(game, worlds), len(worlds))
        env.reset(seed=0)
        now = moment(env)
        same = [now.seats, now.rewards, now.terminations, now.truncations, now.reward]
        if now.seats[0] == seat:
            same += [now.observation, now.mask]
        for part in same:
            assert (part == part[0]).all()
        assert len({env.render(row) for row in range(len(worlds))}) == 1


def check_sealed(
    make_aec: Callable[[AnyGame], AECFace],
    make_vector: Callable[[AnyGame, int], VectorFace],
    game: AnyGame,
    state: State,
) -> None:
    """Of a sealed choice the later seats see nothing: state is one game with several pending."""
    choosers = np.flatnonzero(state.pending[0])
    assert len(choosers) > 1
    first, choices = choosers[0], np.flatnonzero(game.action_mask(state)[0])
    others = [seat for seat in range(game.num_seats) if seat != first]
    envs = []
    for choice in choices:
        env = make_aec(stage(game, state))
        env.reset(seed=0)
        env.step(choice)
        envs.append(env)
    batch = make_vector(stage(game, state), len(choices))
    batch.reset(seed=0)
    batch.step(choices)
    for chooser in choosers[1:]:
        for seat in others:
            assert len({shown_by_aec(env, f"player_{seat}") for env in envs}) == 1
        now = moment(batch)
        assert (now.seats == chooser).all()
        assert len({now.row(row)[1:] for row in range(len(choices))}) == 1
        assert len({batch.render(row) for row in range(len(choices))}) == 1
        if chooser == choosers[-1]:
            break
        action = int(now.mask[0].argmax())
        batch.step(np.full(len(choices), action))
        for env in envs:
            env.step(action)
