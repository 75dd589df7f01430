"""The examples in the docstrings of `chromazoo`, run as tests.

Modules are imported by the names that users import: pytest's --doctest-modules would import every
file a second time as `envs.…`.
"""

import doctest
import importlib
import pkgutil

import pytest

from tests.project.layout import packages


def module_names() -> list[str]:
    """Name every module of the packages that pyproject.toml lists."""
    names = packages()
    for package in packages():
        path = importlib.import_module(package).__path__
        names += [
            f"{package}.{found.name}" for found in pkgutil.iter_modules(path) if not found.ispkg
        ]
    return sorted(names)


@pytest.mark.parametrize("name", module_names())
def test_examples_of(name: str) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for case in doctest.DocTestFinder().find(importlib.import_module(name)):
        runner.run(case, out=report.append)
    assert not report, "".join(report)


def test_some_example_exists_and_a_wrong_one_would_fail() -> None:
    finder = doctest.DocTestFinder()
    modules = [importlib.import_module(name) for name in module_names()]
    assert sum(len(case.examples) for module in modules for case in finder.find(module)) > 0

    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    report: list[str] = []
    doctest.DocTestRunner().run(wrong, out=report.append)
    assert report
