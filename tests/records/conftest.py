from collections.abc import Iterator

import pytest

from chromazoo.envs import registry


@pytest.fixture(scope="module", autouse=True)
def tiny_is_a_game() -> Iterator[None]:
    """Let Tiny be found by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry.MODULES, "tiny", "tests.tiny.game")
        yield
