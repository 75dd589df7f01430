# `make demo` and `make test` do all their set-up in .venv; `make help` lists the rest.
# They need Python 3.11 or newer with pip; `make demo PYTHON=...` names one.

PACKAGES := chromazoo.envs chromazoo.agents chromazoo.training chromazoo.benchmarks chromazoo.cli
CANDIDATES := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python)

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test browser lint typecheck lowest peers integrations notebooks format clean
.DELETE_ON_ERROR:

help:  ## list these targets
	@sed -n 's/^\([a-z]*\):.*  ## /  make \1	/p' $(MAKEFILE_LIST)

demo: .venv/ready  ## train an agent for Kroma, evaluate it, and say where everything is
	.venv/bin/chromazoo train kroma --preset demo --out runs/demo --overwrite

test: lint typecheck  ## lint, type-check and test
	.venv/bin/python -m pytest -n 2 -rs

browser: .venv/ready  ## test the pages in Chromium, which must be here: CHROMIUM or the path says where
	CHROMAZOO_NEED_BROWSER=1 .venv/bin/python -m pytest tests/browser

lint: .venv/ready  ## ruff: rules and format
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

typecheck: .venv/ready  ## mypy --strict on the built wheel and on what tests share
	rm -rf build
	.venv/bin/python -m build --quiet --wheel --no-isolation --outdir build/wheel
	.venv/bin/python -m pip install --quiet --no-deps --target build/typecheck build/wheel/*.whl
	MYPYPATH=build/typecheck .venv/bin/mypy --strict $(addprefix -p ,$(PACKAGES))
	MYPYPATH=build/typecheck .venv/bin/mypy --strict --explicit-package-bases \
	  $$(find tests -name '*.py' ! -name 'test_*')

lowest: .venv-lowest/ready  ## test with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -n 2

peers: .venv-peers/ready  ## measure other suites beside ours, for some minutes
	.venv-peers/bin/python -m chromazoo.benchmarks.peers

integrations: .venv-integrations/ready  ## play our environments in RLlib, TorchRL, Tianshou and SuperSuit
	.venv-integrations/bin/python -m pytest tests/integrations

notebooks: .venv/ready  ## run the notebooks as they stand, and write their outputs anew
	.venv/bin/python -m tests.notebooks

format: .venv/ready  ## mend what ruff can mend
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

clean:  ## remove the environments, built files and caches, but no run
	rm -rf .venv .venv-lowest .venv-peers .venv-integrations build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/ready: constraints.txt pyproject.toml
	$(set-up)

# Newer Pythons than these have no wheels of the lowest numpy.
.venv-lowest/ready: CANDIDATES := $(or $(PYTHON),python3.11 python3.12 python3 python)
.venv-lowest/ready: constraints-lowest.txt pyproject.toml
	$(set-up)

.venv-peers/ready: EXTRAS := fast,peers
.venv-peers/ready: FIRST := setuptools
.venv-peers/ready: constraints-peers.txt pyproject.toml
	$(set-up)

.venv-integrations/ready: EXTRAS := integrations,dev
.venv-integrations/ready: constraints-integrations.txt pyproject.toml
	$(set-up)

EXTRAS := train,fast,draw,web,dev
FIRST := setuptools torch

# An environment at $(@D) with the versions of the first prerequisite; torch goes first, so that nothing else chooses its build.
define set-up
	@$(@D)/bin/python -m pip --version >/dev/null 2>&1 || { \
	  for python in $(CANDIDATES); do \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	    python=; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "No Python 3.11 or newer among: $(CANDIDATES). Name one: make PYTHON=/path/to/python3" >&2; exit 1; \
	  fi; \
	  echo "Setting up $(@D) with $$python; once, for some minutes"; \
	  rm -rf $(@D); \
	  $$python -m venv $(@D) >/dev/null 2>&1 || { \
	    $$python -m venv --clear --without-pip $(@D) && $$python -m pip --python $(@D)/bin/python install --quiet pip; \
	  }; \
	}
	$(@D)/bin/python -m pip install --quiet --constraint $< $(FIRST)
	$(@D)/bin/python -m pip install --quiet --constraint $< --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@
endef
