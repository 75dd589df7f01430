"""What games and environments call themselves: the expressions that make them."""

from typing import Any

import pytest

from chromazoo.agents.single import SingleFace, SingleVectorFace
from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.aec import AECFace
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace

NAMES = {
    "AECFace": AECFace,
    "ParallelFace": ParallelFace,
    "SingleFace": SingleFace,
    "SingleVectorFace": SingleVectorFace,
    "VectorFace": VectorFace,
    **{module.Game.id: module for module in (kroma_v0, chroma_v0, guardians_v0)},
}


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (kroma_v0.Game(), "kroma.Game()"),
        (kroma_v0.Game(size="baby", leap=True), "kroma.Game(size='baby')"),
        (
            kroma_v0.Game(size="basic", setup="advanced", no_capture_limit=0),
            "kroma.Game(size='basic', setup='advanced', no_capture_limit=0)",
        ),
        (
            chroma_v0.Game(num_players=3, first_player=2),
            "chroma.Game(num_players=3, first_player=2)",
        ),
        (guardians_v0.Game(duel=True), "guardians.Game()"),
        (guardians_v0.Game(duel=False), "guardians.Game(duel=False)"),
        (guardians_v0.Game(num_players=4, duel=False), "guardians.Game(num_players=4)"),
        (kroma_v0.raw_env(), "AECFace(kroma.Game())"),
        (
            kroma_v0.raw_env(size="baby", render_mode="ansi", max_plies=9),
            "AECFace(kroma.Game(size='baby'), render_mode='ansi', max_plies=9)",
        ),
        (guardians_v0.parallel_env(), "ParallelFace(guardians.Game())"),
        (chroma_v0.vector_env(3), "VectorFace(chroma.Game(), 3)"),
        (
            chroma_v0.vector_env(3, engine="compiled", autoreset_mode="Disabled"),
            "VectorFace(chroma.Game(engine='compiled'), 3, autoreset_mode='DISABLED')",
        ),
        (kroma_v0.single_env(size="baby"), "SingleFace(kroma.Game(size='baby'))"),
        (
            chroma_v0.single_env(["random"], seat=0, weights=[1.0], render_mode="ansi"),
            "SingleFace(chroma.Game(), opponent=['random'], seat=0, weights=[1.0], "
            "render_mode='ansi')",
        ),
        (
            chroma_v0.single_vector_env(3, "heuristic", max_plies=9, autoreset_mode="SameStep"),
            "SingleVectorFace(chroma.Game(), 3, opponent='heuristic', max_plies=9, "
            "autoreset_mode='SAME_STEP')",
        ),
    ],
)
def test_only_what_differs_from_the_defaults_is_told(thing: Any, text: str) -> None:
    assert repr(thing) == text
    assert repr(eval(text, dict(NAMES))) == text
