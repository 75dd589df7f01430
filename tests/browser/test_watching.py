"""The fixtures of browser tests see what they are to see."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser import watching
from tests.browser.conftest import NARROW, Open
from tests.browser.watching import Watch, overflows


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        body = b"<link rel=icon href=data:,><p>here"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def found(watch: Watch) -> list[str]:
    """Take a watch's faults, so that the test does not fail of them."""
    faults, watch.faults = watch.faults, []
    return faults


def test_a_page_and_what_it_asks_of_its_own_origin_are_no_faults(
    page: Page, watch: Watch, address: str
) -> None:
    page.goto(address)
    assert page.evaluate("fetch('/other').then(answer => answer.status)") == 200
    assert watch.requests == [address, f"{address}other"]
    assert found(watch) == []


@pytest.mark.parametrize(
    "script",
    [
        "fetch('http://127.0.0.1:9/').catch(() => 0)",
        "fetch('http://localhost/').catch(() => 0)",
        "fetch('https://example.org/').catch(() => 0)",
        "new Promise(done => { const i = new Image(); i.onerror = done;"
        " i.src = 'http://example.org/a.png' }).then(() => 0)",
    ],
)
def test_requests_that_leave_the_origin_are_faults(
    page: Page, watch: Watch, address: str, script: str
) -> None:
    page.goto(address)
    page.evaluate(script)
    assert any(fault.startswith("a request of http") for fault in found(watch))


def test_a_page_from_disk_may_ask_for_nothing(page: Page, watch: Watch, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        (tmp_path / name).write_text("<p>here")
    page.goto((tmp_path / "one.html").as_uri())
    assert found(watch) == []
    page.evaluate(
        "new Promise(done => { const s = document.createElement('script');"
        " s.onload = s.onerror = () => done(0); s.src = 'two.html'; document.body.append(s) })"
    )
    assert any("two.html" in fault for fault in found(watch))


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("console.error('alas')", "console: alas"),
        ("setTimeout(() => { throw new Error('alas') })", "error: alas"),
    ],
)
def test_errors_are_faults(page: Page, watch: Watch, script: str, told: str) -> None:
    page.evaluate(f"() => {{ {script} }}")
    page.evaluate("new Promise(done => setTimeout(done, 20))")
    assert found(watch) == [told]


def test_what_overflows_is_named(open_page: Open) -> None:
    page = open_page(size=NARROW)
    page.set_content("<p>short")
    assert overflows(page) == []
    page.set_content("<div style='width: 500px'>wide</div>")
    assert any(line.startswith("div: from") for line in overflows(page))
    page.set_content("<div style='overflow-x: auto'><p style='width: 500px'>wide</div>")
    assert overflows(page) == []
    page.set_content(f"<div style='width: 80px'><p>{'long' * 9}</div>")
    assert any(line.startswith("p: ") for line in overflows(page))


def test_without_a_browser_tests_are_skipped_or_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    monkeypatch.delenv(watching.NEEDED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="tried no-such-browser"):
        watching.chromium()
    monkeypatch.setenv(watching.NEEDED, "1")
    with pytest.raises(pytest.fail.Exception, match="tried no-such-browser"):
        watching.chromium()
