"""The server: only this machine may ask, and each seat's address is a secret of its own."""

import json
import os
import socket
import sys
import threading
import traceback
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chromazoo.agents.table import Table
from chromazoo.cli.web.room import Json, Room
from chromazoo.envs.errors import ChromazooError, InvalidArgument, on_one_line

HOST = "127.0.0.1"
LONGEST = 4096  # bytes of what a page may send at once
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The page of a replay brings its own policy, and is kept apart from this origin.
REPLAY_POLICY = "sandbox allow-scripts; frame-ancestors 'none'"
_FILES = {"play.html": "text/html", "play.css": "text/css", "play.js": "text/javascript"}

Answer = Callable[[Room, int, Request], Awaitable[Response]]


class _TooLong(Exception):
    """A body of more bytes than any page sends."""


class _Headers:
    """Adds to every answer what keeps it between the server and the page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", POLICY)
                headers["cache-control"] = "no-store"
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "no-referrer"
                headers["cross-origin-resource-policy"] = "same-origin"
                headers["cross-origin-opener-policy"] = "same-origin"
            await send(message)

        await self.app(scope, receive, sending)


def make_app(room: Room) -> Starlette:
    """Make the application of a room.

    Args:
        room: The room.

    Returns:
        An ASGI application: `/seat/TOKEN/` is the page of a seat, what lies below it answers that
        page alone.
    """

    def route(path: str, answer: Answer, method: str) -> Route:
        async def endpoint(request: Request) -> Response:
            seat = room.tokens.get(request.path_params["token"])
            if seat is None:
                return PlainTextResponse("There is no such seat.\n", 404)
            if method == "POST" and (refused := _refused(request)) is not None:
                return refused
            try:
                return await answer(room, seat, request)
            except Exception as error:  # noqa: BLE001, pages are told of all of them
                return _told(error)

        return Route(f"/seat/{{token}}/{path}", endpoint, methods=[method])

    gets = {"": _page, "state": _state, "rules": _rules, "record": _record, "replay": _replay}
    posts = {"play": _play, "undo": _undo, "deal": _deal, "hint": _hint, "odds": _odds}
    return Starlette(
        routes=[
            *(route(path, answer, "GET") for path, answer in gets.items()),
            *(route(path, answer, "POST") for path, answer in posts.items()),
            Route("/static/{name}", _static, methods=["GET"]),
        ],
        middleware=[
            Middleware(_Headers),
            Middleware(TrustedHostMiddleware, allowed_hosts=[HOST], www_redirect=False),
        ],
    )


def _refused(request: Request) -> Response | None:
    """Refuse what no page of ours has sent: other origins, and forms."""
    if request.headers.get("origin") != f"http://{request.headers['host']}":
        return JSONResponse({"error": "sent from another place than the page"}, 403)
    if request.headers.get("content-type") != "application/json":
        return JSONResponse({"error": "JSON was expected"}, 415)
    return None


def _told(error: Exception) -> Response:
    """Tell a page what is wrong in one line, and nothing of what nobody has thought of."""
    status, why = 409, on_one_line(str(error))
    if isinstance(error, _TooLong):
        status, why = 413, f"at most {LONGEST} bytes"
    elif isinstance(error, OSError) and error.filename:
        why = f"{error.filename}: {error.strerror}"
    elif not isinstance(error, (ChromazooError, OSError, ClientDisconnect)):
        traceback.print_exception(error)  # it might name hidden cards, so the page is spared it
        status, why = 500, "an error that nobody has foreseen: the server's terminal tells of it"
    return JSONResponse({"error": why}, status)


async def _body(request: Request) -> Json:
    """Read what a page sends: a JSON object; its bytes are counted, whatever it says of them."""
    sent = b""
    async for part in request.stream():
        sent += part
        if len(sent) > LONGEST:
            raise _TooLong
    try:
        found = json.loads(sent)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidArgument("a JSON object was expected")
    return found


async def _answered(ask: Callable[..., Json], *arguments: Any) -> Response:
    """Answer in JSON; agents may think for long, so others are served meanwhile."""
    return JSONResponse(await run_in_threadpool(ask, *arguments))


def _file(name: str) -> Response:
    """Send a file of the page."""
    place = files("chromazoo.cli.web") / "static" / name
    return Response(place.read_bytes(), media_type=_FILES[name])


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    return _file(name) if name in _FILES else PlainTextResponse("There is no such file.\n", 404)


async def _page(room: Room, seat: int, request: Request) -> Response:
    return _file("play.html")


async def _state(room: Room, seat: int, request: Request) -> Response:
    known = request.query_params.get("known", "")
    version = int(known) if known.isdecimal() and len(known) < 16 else None
    return await _answered(room.view, seat, version)


async def _rules(room: Room, seat: int, request: Request) -> Response:
    return await _answered(lambda: {"html": room.rules()})


async def _record(room: Room, seat: int, request: Request) -> Response:
    name, line = await run_in_threadpool(room.record)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(line, media_type="application/jsonl", headers=headers)


async def _replay(room: Room, seat: int, request: Request) -> Response:
    page = await run_in_threadpool(room.replay)
    return HTMLResponse(page, headers={"content-security-policy": REPLAY_POLICY})


async def _play(room: Room, seat: int, request: Request) -> Response:
    body = await _body(request)
    return await _answered(room.play, seat, body.get("action"), body.get("version"))


async def _undo(room: Room, seat: int, request: Request) -> Response:
    return await _answered(room.undo, seat, (await _body(request)).get("version"))


async def _deal(room: Room, seat: int, request: Request) -> Response:
    body = await _body(request)
    return await _answered(room.deal, seat, body.get("same") is True, body.get("version"))


async def _hint(room: Room, seat: int, request: Request) -> Response:
    return await _answered(room.hint, seat, (await _body(request)).get("agent"))


async def _odds(room: Room, seat: int, request: Request) -> Response:
    return await _answered(room.odds, seat, (await _body(request)).get("agent"))


# Serving


def serve(
    table: Table, advisers: Sequence[str], port: int, save: str | None, browser: bool
) -> None:
    """Serve a table on this machine, until it is interrupted.

    Args:
        table: The game.
        advisers: Names of the agents that people may ask.
        port: Where to listen; any that is free if 0.
        save: Where to write the records of games that have ended, if anywhere.
        browser: Whether to open the first person's page in a browser.

    Raises:
        InvalidArgument: the port cannot be used.
        KeyboardInterrupt: it was interrupted.
    """
    room = Room(table, advisers, save)
    listener = _listen(port)
    base = f"http://{HOST}:{listener.getsockname()[1]}"
    addresses = [f"{base}/seat/{token}/" for token in room.tokens]
    for seat, address in zip(room.tokens.values(), addresses, strict=True):
        print(f"{table.game.seat_name(seat)}: {address}")
    print("Each address shows what that seat may see. Ctrl-C ends the game.", flush=True)
    if browser and sys.stdout.isatty():
        threading.Thread(target=webbrowser.open, args=addresses[:1], daemon=True).start()
    config = uvicorn.Config(
        make_app(room),
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
    )
    _run(uvicorn.Server(config), listener)


def _run(running: uvicorn.Server, listener: socket.socket) -> None:
    """Run a server until it is interrupted, and wait for no agent that is still thinking then."""
    thread = threading.Thread(target=running.run, args=[[listener]], daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(1)  # in parts, as not every system interrupts it
    except KeyboardInterrupt:
        running.should_exit = running.force_exit = True
        thread.join(1)
        raise


def _listen(port: int) -> socket.socket:
    """Listen on a port of the loopback interface, which no other machine can reach."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let others listen on the same port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InvalidArgument(f"--port {port}: {error.strerror}") from None
    return listener
