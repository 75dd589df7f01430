"""The two constraints files agree with pyproject.toml."""

from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.project.layout import pins, pyproject, requirements


def test_the_lowest_versions_are_the_lower_bounds() -> None:
    bounds = {}
    for name, requirement in requirements().items():
        (bound,) = requirement.specifier
        assert bound.operator == ">=", f"{name} should have a lower bound and nothing else"
        bounds[name] = bound.version
    assert pins("constraints-lowest.txt") == bounds


def test_every_direct_dependency_is_pinned_within_its_bounds() -> None:
    exact = pins("constraints.txt")
    outside = {
        name: exact.get(name)
        for name, requirement in requirements().items()
        if name not in exact or not requirement.specifier.contains(exact[name])
    }
    assert not outside


def test_every_other_suite_is_pinned_within_its_bounds() -> None:
    exact = pins("constraints-peers.txt")
    asked = requirements("peers")
    assert {"open-spiel", "pettingzoo", "rlcard", "pgx"} <= set(asked)
    assert [name for name in asked if not asked[name].specifier.contains(exact[name])] == []


def test_other_suites_run_with_the_versions_that_ours_is_tested_with() -> None:
    exact, ours = pins("constraints-peers.txt"), pins("constraints.txt")
    shared = exact.keys() & ours.keys()
    assert {"numpy", "gymnasium", "pettingzoo"} <= shared
    assert {name: exact[name] for name in shared} == {name: ours[name] for name in shared}


def test_every_other_library_is_pinned_within_its_bounds() -> None:
    exact = pins("constraints-integrations.txt")
    asked = requirements("integrations")
    assert {"ray", "torchrl", "tianshou", "supersuit"} <= set(asked)
    assert [name for name in asked if not asked[name].specifier.contains(exact[name])] == []


def test_other_libraries_run_beside_the_versions_that_ours_is_tested_with() -> None:
    exact, ours = pins("constraints-integrations.txt"), pins("constraints.txt")
    others = {name for name in exact.keys() & ours.keys() if exact[name] != ours[name]}
    assert others == {"gymnasium", "filelock"}  # of which they want older versions
    assert requirements()["gymnasium"].specifier.contains(exact["gymnasium"])


def test_torch_is_pinned_without_naming_a_build() -> None:
    assert pins("constraints.txt")["torch"] == "2.13.0"


def test_what_the_dependencies_need_is_pinned_too() -> None:
    # What only the CUDA build of torch asks for follows from its own exact version.
    exact = pins("constraints.txt")
    installed = {name: Version(metadata.version(name)).public for name in requirements()}
    if any(exact[name] != version for name, version in installed.items()):
        pytest.skip("this environment does not have the pinned versions")
    todo, seen = list(requirements()), set()
    while todo:
        name = todo.pop()
        if name in seen or name.startswith(("nvidia-", "cuda-", "triton")):
            continue
        seen.add(name)
        for line in metadata.requires(name) or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                todo.append(canonicalize_name(requirement.name))
    assert seen <= set(exact), f"constraints.txt lacks {sorted(seen - set(exact))}"


def test_the_base_dependencies_stay_few() -> None:
    names = {Requirement(line).name for line in pyproject()["project"]["dependencies"]}
    assert names == {"numpy", "gymnasium", "pettingzoo", "typer", "rich"}
