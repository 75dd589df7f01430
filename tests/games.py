"""The games on which every test of the contract and of the faces runs."""

from collections.abc import Callable
from random import Random
from typing import Any

from chromazoo.envs.chroma.rules import Game as ChromaGame
from chromazoo.envs.game import Game
from chromazoo.envs.guardians.rules import Game as GuardiansGame
from chromazoo.envs.kroma.rules import Game as KromaGame
from tests.chroma.agreement import own_wheel
from tests.kroma.reference import all_variants
from tests.tiny.game import Game as TinyGame

TINY: dict[str, Game[Any]] = {
    "tiny": TinyGame(),
    "tiny-smallest": TinyGame(cards=4),
    "tiny-biggest": TinyGame(cards=16),
}

KROMA_OPTIONS: dict[str, dict[str, Any]] = {
    "kroma": {},
    "kroma-public-flipped": {"influence": "public", "symmetry": "flipped"},
    "kroma-intermediate": {"influence": "reversed", "setup": "intermediate"},
    "kroma-advanced": {"symmetry": "flipped", "setup": "advanced"},
    "kroma-random": {"random": True, "setup": "advanced", "leap": False},
    "kroma-one-row": {"random": True, "setup": "intermediate", "piece_rows": 1},
    "basic": {"size": "basic"},
    "basic-reversed": {"size": "basic", "influence": "reversed", "leap": False},
    "basic-flipped": {"size": "basic", "symmetry": "flipped", "setup": "advanced"},
    "basic-random": {"size": "basic", "influence": "public", "random": True, "piece_rows": 1},
    "basic-short": {"size": "basic", "random": True, "setup": "advanced", "no_capture_limit": 5},
    "baby": {"size": "baby"},
    "baby-flipped": {"size": "baby", "symmetry": "flipped", "random": True},
    "baby-one-row": {"size": "baby", "influence": "public", "piece_rows": 1, "leap": False},
    "baby-short": {"size": "baby", "piece_rows": 1, "no_capture_limit": 5},
    "baby-endless": {"size": "baby", "influence": "reversed", "no_capture_limit": 0},
}

KROMA: dict[str, Game[Any]] = {
    name: KromaGame(**options) for name, options in KROMA_OPTIONS.items()
}

CHROMA_OPTIONS: dict[str, dict[str, Any]] = {
    "chroma": {},
    "chroma-plain": {"power_copies": 0, "wheel": "narrow", "first_player": 1},
    "chroma-3": {"num_players": 3, "wheel": "ring", "power_copies": 2},
    "chroma-4": {"num_players": 4, "power_copies": 4},
    "chroma-6": {"num_players": 6, "power_copies": 3, "wheel": "narrow", "first_player": 5},
}

CHROMA: dict[str, Game[Any]] = {
    name: ChromaGame(**options) for name, options in CHROMA_OPTIONS.items()
}

GUARDIANS_OPTIONS: dict[str, dict[str, Any]] = {
    "guardians": {},
    "guardians-2": {"duel": False, "rounds": 2},
    "guardians-3": {"num_players": 3, "rounds": 3},
    "guardians-4": {"num_players": 4, "colors": [colour for colour in range(5) for _ in range(10)]},
    "guardians-5": {"num_players": 5},
}

GUARDIANS: dict[str, Game[Any]] = {
    name: GuardiansGame(**options) for name, options in GUARDIANS_OPTIONS.items()
}
COMPILED = ("kroma", "chroma", "guardians")
"""The games that have a compiled engine."""

# Their examples on the compiled engine, for the checks that are not about the rules alone.
FAST: dict[str, Game[Any]] = (
    {
        f"{name}-fast": KromaGame(engine="compiled", **KROMA_OPTIONS[name])
        for name in ("kroma", "basic-random", "baby-short")
    }
    | {
        f"{name}-fast": ChromaGame(engine="compiled", **CHROMA_OPTIONS[name])
        for name in ("chroma", "chroma-4")
    }
    | {
        f"{name}-fast": GuardiansGame(engine="compiled", **GUARDIANS_OPTIONS[name])
        for name in ("guardians", "guardians-3")
    }
)
EXAMPLES: dict[str, Game[Any]] = TINY | KROMA | CHROMA | GUARDIANS | FAST


def tiny_variant(number: int, _random: Random) -> TinyGame:
    """Every number of cards in turn."""
    return TinyGame(cards=4 + number % 13)


def kroma_variant(number: int, random: Random) -> KromaGame:
    """The 72 variants in turn, with the other options at random."""
    variants = all_variants()
    options = {
        "leap": random.random() < 0.5,
        "piece_rows": random.choice([1, 2]),
        "no_capture_limit": random.choice([0, 3, 20, 100]),
    }
    return KromaGame(**variants[number % len(variants)], **options)


def chroma_variant(number: int, random: Random) -> ChromaGame:
    """Every number of players, wheel and number of power cards in turn."""
    wheel = ["tones", "narrow", "ring", own_wheel(random)][number % 4]
    return ChromaGame(num_players=2 + number % 5, wheel=wheel, power_copies=(number // 5) % 5)


def guardians_variant(number: int, random: Random) -> GuardiansGame:
    """Every number of players and rounds in turn, duels and not, with colours at random."""
    players, rounds = 2 + number % 5 % 4, 1 + number // 5 % 3
    colors = [colour for colour in range(5) for _ in range(10)]
    random.shuffle(colors)
    return GuardiansGame(
        num_players=players,
        rounds=rounds,
        duel=players == 2 and number % 5 == 0,
        colors=colors if number % 2 else None,
    )


# Makes a game's n-th config of a row without end; all that matters of it comes up in the first 72.
VARIANTS: dict[str, Callable[[int, Random], Game[Any]]] = {
    "tiny": tiny_variant,
    "kroma": kroma_variant,
    "chroma": chroma_variant,
    "guardians": guardians_variant,
}
