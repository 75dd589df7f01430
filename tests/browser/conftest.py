"""Pages in an installed Chromium: a test fails where its page errs or a request leaves it.

`CHROMIUM` or the path says which browser; `make browser` fails without one, else tests are skipped.
"""

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.watching import Watch, chromium

FLAGS = (
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing leaves the machine
)
WIDE = 1280, 800
NARROW = 375, 720

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the browser, for one module: its event loop would be in the way of others."""
    path = chromium()
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=[*FLAGS, *root])
        yield started
        started.close()


@pytest.fixture
def watches() -> dict[Page, Watch]:
    """The watch of each page that `open_page` has made in this test."""
    return {}


@pytest.fixture
def open_page(browser: Browser, watches: dict[Page, Watch]) -> Iterator[Open]:
    """Make pages, each of a person of its own: `open_page(size=NARROW)`.

    Once the test is done it fails for errors of any page, and for requests that left their origin.
    """
    contexts = []

    def make(size: tuple[int, int] = WIDE) -> Page:
        wide, high = size
        context = browser.new_context(
            viewport={"width": wide, "height": high}, reduced_motion="reduce"
        )
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        watches[page] = Watch(page)
        return page

    yield make
    for context in contexts:
        context.close()
    faults = [fault for watch in watches.values() for fault in watch.faults]
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(open_page: Open) -> Page:
    """A page of 1280 by 800 pixels; see `open_page`."""
    return open_page()


@pytest.fixture
def watch(page: Page, watches: dict[Page, Watch]) -> Watch:
    """The watch of `page`."""
    return watches[page]
