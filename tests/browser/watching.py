"""What a page asks for and complains of, and what on it overflows."""

import os
import shutil
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Page, Request

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NEEDED = "CHROMAZOO_NEED_BROWSER"  # set where a missing Chromium is a failure

_OVERFLOWS = """
() => {
  const found = [];
  const root = document.scrollingElement;
  if (root.scrollWidth > window.innerWidth)
    found.push(`page: ${root.scrollWidth} wide of ${window.innerWidth}`);
  const scrolls = (node) => /auto|scroll/.test(getComputedStyle(node).overflowX);
  for (const node of document.body.querySelectorAll('*')) {
    if (node.ownerSVGElement || !node.getClientRects().length) continue;
    let above = node.parentElement;
    while (above && !scrolls(above)) above = above.parentElement;
    if (above) continue;
    const box = node.getBoundingClientRect();
    const name = node.tagName.toLowerCase() + (node.id ? '#' + node.id : '');
    if (box.width > 1 && (box.right > window.innerWidth + 0.5 || box.left < -0.5))
      found.push(`${name}: from ${box.left} to ${box.right} of ${window.innerWidth}`);
    if (node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1 && !scrolls(node) &&
        getComputedStyle(node).overflowX === 'visible')
      found.push(`${name}: ${node.scrollWidth} wide in ${node.clientWidth}`);
  }
  return found;
}
"""


def chromium() -> str:
    """Find the browser: what `CHROMIUM` names, or one on the path.

    Without one, the test is skipped with the reason, or fails where `CHROMAZOO_NEED_BROWSER` is
    set.
    """
    named = os.environ.get("CHROMIUM")
    tried = [named] if named else list(CHROMIUM)
    found = next((path for path in map(shutil.which, tried) if path), None)
    if found is None:
        why = f"no browser here: tried {', '.join(tried)}; CHROMIUM may name one"
        if os.environ.get(NEEDED):
            pytest.fail(why, pytrace=False)
        pytest.skip(why)
    return found


class Watch:
    """Watches a page from its making on.

    Attributes:
        requests: The addresses of all that was asked for, in turn.
        faults: Errors on the console or of scripts, and requests that left the page's origin.
    """

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.faults: list[str] = []
        self._page = page
        self._origin = ""
        page.on("request", self._request)
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("crash", lambda _: self.faults.append("crashed"))

    def _request(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self._origin = self._origin or _origin(request.url)
        self._asked(request.url)

    def _asked(self, address: str) -> None:
        """Allow what the page holds itself, one file, and the page's own origin on this machine."""
        self.requests.append(address)
        parts = urlsplit(address)
        if parts.scheme in ("data", "blob", "about"):
            return
        if parts.scheme == "file" and len(self.requests) == 1:
            return
        if parts.hostname != "127.0.0.1" or _origin(address) != self._origin:
            self.faults.append(f"a request of {address}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme.replace('ws', 'http')}://{parts.netloc}"


def overflows(page: Page) -> list[str]:
    """Name what is wider than the window, or than what it is in, without a way to scroll to it."""
    found: list[str] = page.evaluate(_OVERFLOWS)
    return found
