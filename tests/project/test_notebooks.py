"""The notebooks as they lie in the tree: small, tidy and looked at. nbmake runs them."""

import ast
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import paths, pictures, read, tidied
from tests.project.layout import ROOT

NAMES = ("arena", "hidden_information", "throughput", "tour", "train")
LARGEST = 140_000  # characters of a picture; a PNG of 100 KB has about as many
FOREIGN = {"IPython", "chromazoo", "gymnasium", "matplotlib", "numpy", "rich"}


@pytest.fixture(params=paths(), ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return read(request.param)


def cells(notebook: Any, kind: str) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def test_they_are_all_here_and_the_readme_names_them() -> None:
    assert [path.stem for path in paths()] == list(NAMES)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"](notebooks/{name}.ipynb)" in readme for name in NAMES)


def test_they_hold_nothing_but_what_a_reader_looks_at(notebook: Any) -> None:
    assert notebook == tidied(notebook), "run: python -m tests.notebooks"


def test_they_have_been_run_and_show_pictures_of_moderate_size(notebook: Any) -> None:
    kinds = [output.output_type for cell in cells(notebook, "code") for output in cell.outputs]
    assert set(kinds) <= {"stream", "display_data", "execute_result"}  # no errors
    found = pictures(notebook)
    assert found
    assert max(map(len, found)) <= LARGEST


def test_they_use_what_a_user_imports(notebook: Any) -> None:
    tree = ast.parse("\n".join(cell.source for cell in cells(notebook, "code")))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not any(alias.name.startswith("_") for alias in node.names)
            imported.add(str(node.module).partition(".")[0])
    standard = {"csv", "dataclasses", "importlib", "pathlib", "sys", "tempfile", "time"}
    assert imported <= FOREIGN | standard


def test_each_cell_of_code_has_been_told_of(notebook: Any) -> None:
    kinds = [cell.cell_type for cell in notebook.cells]
    assert ("code", "code") not in pairwise(kinds)


def test_what_the_tests_make_smaller_is_in_the_first_cell() -> None:
    for path in paths():
        mocked = ["nbmake" in cell.metadata for cell in read(path).cells]
        assert not any(mocked[1:]), path.name
    assert "nbmake" in read(Path(ROOT, "notebooks/train.ipynb")).cells[0].metadata
