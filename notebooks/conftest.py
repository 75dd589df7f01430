"""How nbmake runs the notebooks: a warning is an error in them, too."""

import os
from collections.abc import Generator
from unittest import mock

import pytest

# ipykernel warns of its own way to shut down.
WARNINGS = "error,ignore::PendingDeprecationWarning"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """Start the kernel of a notebook with warnings as errors."""
    with mock.patch.dict(os.environ, {"PYTHONWARNINGS": WARNINGS}):
        return (yield)
