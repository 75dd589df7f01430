"""TorchRL's wrapper of PettingZoo environments takes ours as they are."""

from typing import Any

import pytest

from tests.integrations.games import GAMES, SEED, SIMULTANEOUS, Shadow, library, make

pytestmark = pytest.mark.filterwarnings("ignore")


def wrapped(name: str, kind: str, **options: Any) -> Any:
    """Wrap one of our environments."""
    return library("torchrl.envs.libs.pettingzoo").PettingZooWrapper(make(name, kind), **options)


@pytest.mark.parametrize("name", GAMES)
def test_turn_by_turn(name: str) -> None:
    torch = library("torch")
    env = wrapped(name, "env", use_mask=True)  # a group for each seat
    shadow = Shadow(name)
    held = env.reset(seed=SEED)
    rewards = dict.fromkeys(shadow.rewards, 0.0)
    while not shadow.over:
        (agent,) = [seat for seat in rewards if held[seat, "mask"].item()]
        seen = held[agent, "observation", "observation"][0]
        action = shadow.choose(agent, seen, held[agent, "action_mask"][0])
        for seat in rewards:  # of seats that do not act, any will do
            held[seat, "action"] = torch.tensor([action if seat == agent else 0])
        shadow.step({agent: action})
        held = env.step(held)["next"]
        for seat in rewards:
            rewards[seat] += held[seat, "reward"].item()
    assert held["done"].item()
    assert held["terminated"].item()
    assert rewards == pytest.approx(shadow.rewards)  # they are float32


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_all_at_once(name: str) -> None:
    torch = library("torch")
    env = wrapped(name, "parallel_env")  # one group, `player`
    shadow = Shadow(name)
    held = env.reset(seed=SEED)
    while not shadow.over:
        seen, masks = held["player", "observation", "observation"], held["player", "action_mask"]
        actions = {
            seat: shadow.choose(seat, seen[row], masks[row])
            for row, seat in enumerate(shadow.rewards)
        }
        held["player", "action"] = torch.tensor(list(actions.values()))
        shadow.step(actions)
        held = env.step(held)["next"]
    assert held["done"].item()
    assert held["player", "reward"].flatten().tolist() == pytest.approx([*shadow.rewards.values()])


@pytest.mark.parametrize(("name", "kind"), [("chroma", "env"), ("guardians", "parallel_env")])
def test_its_own_random_policy_keeps_to_the_masks(name: str, kind: str) -> None:
    torch = library("torch")
    torch.manual_seed(SEED)
    env = wrapped(name, kind, use_mask=True)
    played = env.rollout(max_steps=400)  # IllegalAction if it did not
    assert played["next", "done"][-1].item()
