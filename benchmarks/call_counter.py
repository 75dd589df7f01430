"""Counts the numpy calls of a game, as the process that `numpy_calls.py` starts.

Python shows operators on arrays, subscripts and ufuncs to no profiler, so the calls are counted in
the source: the modules concerned are imported with a counter around each call, operator and
subscript. This module therefore imports none of them before.
"""

import ast
import builtins
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

import numpy as np

_PACKAGES = ("chromazoo", "gymnasium", "pettingzoo")
_COUNTED = ("numpy", "numba")  # whose functions count; a compiled function counts once
# Decorators of what numba compiles, which may hold no counters.
_COMPILERS = {"compiled", "intrinsic", "jit", "njit", "overload"}
_UPDATE = 3  # calls of `array[index] += value`: reading, adding, writing


class Counter:
    """Counts numpy calls.

    Attributes:
        calls: How many there were.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.calls = 0

    def called(self, function: Any) -> Any:
        """Count a call of a function, if it is numpy's; return the function."""
        owner = type(getattr(function, "__self__", None))
        homes = (getattr(function, "__module__", None), type(function).__module__, owner.__module__)
        self.calls += any(str(home).partition(".")[0] in _COUNTED for home in homes)
        return function

    def made(self, value: Any) -> Any:
        """Count an operator, if it made a value of numpy's; return the value."""
        self.calls += isinstance(value, (np.ndarray, np.generic))
        return value

    def indexed(self, array: Any, calls: int = 1) -> Any:
        """Count a subscript, if it is of an array; return the array."""
        self.calls += calls * isinstance(array, (np.ndarray, np.generic))
        return array

    def install(self) -> None:
        """Let instrumented code find this counter."""
        for name in ("called", "made", "indexed"):
            setattr(builtins, f"_counter_{name}", getattr(self, name))


class _Instrument(ast.NodeTransformer):
    """Puts a counter around calls, operators and subscripts; leaves annotations alone."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Go into the body alone, unless it is compiled."""
        if not _COMPILERS.isdisjoint(map(_last_name, node.decorator_list)):
            return node
        node.body = [new for statement in node.body for new in _listed(self.visit(statement))]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Go into the body alone."""
        node.body = [new for statement in node.body for new in _listed(self.visit(statement))]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Go past the annotation."""
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Count a call."""
        self.generic_visit(node)
        node.func = _counted("called", node.func)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Count a subscript, read or written."""
        self.generic_visit(node)
        node.value = _counted("indexed", node.value)
        return node

    def _operator(self, node: ast.expr) -> ast.AST:
        """Count an operator."""
        self.generic_visit(node)
        return _counted("made", node)

    visit_BinOp = visit_UnaryOp = visit_Compare = _operator  # noqa: N815

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        """Count an operator in place; for one entry, also that it is read and written."""
        node.value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Subscript):
            target.slice = self.visit(target.slice)
            target.value = _counted("indexed", self.visit(target.value), ast.Constant(_UPDATE))
            return node
        again = ast.parse(ast.unparse(target), mode="eval").body
        return [node, ast.Expr(_counted("made", again))]


def _listed(new: Any) -> list[Any]:
    """Return what took a statement's place as a list."""
    return new if isinstance(new, list) else [new]


def _last_name(decorator: ast.expr) -> str:
    """Return the name of a decorator, without arguments and modules."""
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")


def _counted(name: str, *arguments: ast.expr) -> ast.Call:
    """Write a call of the counter."""
    return ast.Call(ast.Name(f"_counter_{name}", ast.Load()), list(arguments), [])


def instrumented(source: bytes | str, path: str = "<source>") -> CodeType:
    """Compile source text with a counter around each numpy call.

    Args:
        source: The text of a module. Functions that numba compiles are left as they are.
        path: Its file.

    Returns:
        The code, which needs `Counter.install`.
    """
    tree = ast.fix_missing_locations(_Instrument().visit(ast.parse(source, path)))
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


class _Loader(SourceFileLoader):
    """Loads modules from their source, instrumented; their caches hold other code."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile a module."""
        path = self.get_filename(fullname)
        return instrumented(self.get_data(path), path)


class _Finder(MetaPathFinder):
    """Finds modules where all others find them, and has those of some packages instrumented."""

    def __init__(self, packages: Sequence[str]) -> None:
        """Store the packages."""
        self._packages = packages

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module."""
        if fullname.partition(".")[0] not in self._packages:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if type(spec.loader) is SourceFileLoader:
                    spec.loader = _Loader(fullname, spec.loader.path)
                return spec
        return None


def _main() -> None:
    """Count, as told on standard input; the counts go to standard output."""
    task = json.load(sys.stdin)
    counter = Counter()
    counter.install()
    sys.meta_path.insert(0, _Finder([*_PACKAGES, task["module"].partition(".")[0]]))
    single = import_module("chromazoo.benchmarks.single_game")
    game = getattr(import_module(task["module"]), task["name"])(**task["options"])
    streams = import_module("chromazoo.envs.randomness")
    found = {}
    for what in single.FACES:
        stream = streams.agent_stream(streams.as_seeds(task["seed"]), 0)
        env = single.make_face(game, what)
        single.play_game(env, task["seed"], stream)  # fills what is looked up but once
        calls = single.play_game(env, task["seed"], stream, lambda: counter.calls)
        found[what] = sum(calls) / max(1, len(calls))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    _main()
