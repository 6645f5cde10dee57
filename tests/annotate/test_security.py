"""Who may talk to the server."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from fathom.annotate.project import Project
from fathom.annotate.security import MAX_BODY
from tests.annotate.conftest import Served

CLAIM = {"revision": 0, "values": {"c-1": {"kind": "claim", "span": [0, 7]}}}


@pytest.fixture
def token(project: Path) -> str:
    with Project(project) as opened:
        return opened.token("ada")


def marked(project: Path) -> int:
    with Project(project) as opened:
        return sum(opened.layer(document, name).revision for document, name in opened.layers())


@pytest.mark.parametrize("path", ["/", "/documents/1", "/api/documents/1/layer", "/static/app.css", "/nowhere"])
@pytest.mark.parametrize("given", ["", "wrong", "x" * 5000])
def test_nothing_is_served_without_the_token(served: Served, path: str, given: str) -> None:
    status, headers, body = served.request("GET", path, token=given)
    assert status == 401
    assert b"energy" not in body.lower()
    assert "Set-Cookie" not in headers


def test_the_link_sets_a_strict_cookie(served: Served, token: str) -> None:
    status, headers, _ = served.request("GET", f"/enter?token={token}")
    assert status == 303
    assert "HttpOnly" in headers["set-cookie"]
    assert "samesite=strict" in headers["set-cookie"].lower()
    assert headers["location"] == "/"
    assert served.request("GET", "/enter?token=wrong")[0] == 401
    assert served.request("GET", "/enter")[0] == 401


def test_a_name_that_points_to_the_loopback_address_is_refused(served: Served, token: str) -> None:
    for host in (f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.1.evil.example:{served.port}", ""):
        assert served.request("GET", "/", token=token, Host=host)[0] == 421
    assert served.request("GET", "/", token=token, Host=f"localhost:{served.port}")[0] == 200


def test_requests_of_other_sites_are_refused(served: Served, token: str, project: Path) -> None:
    path = "/api/documents/1/changes"
    for origin in ("https://evil.example", "null", f"http://127.0.0.1:{served.port + 1}", ""):
        assert served.request("POST", path, CLAIM, token, Origin=origin)[0] == 403
    assert served.request("POST", path, CLAIM, token, Sec_Fetch_Site="cross-site")[0] == 403
    assert served.request("GET", "/", token=token, Sec_Fetch_Site="same-site")[0] == 403
    assert marked(project) == 0
    assert served.request("POST", path, CLAIM, token)[0] == 200
    assert marked(project) == 1


def test_every_response_forbids_foreign_scripts(served: Served, token: str) -> None:
    for path in ("/", "/documents/1", "/static/document.js", "/nowhere", "/api/documents/1/layer"):
        _, headers, _ = served.request("GET", path, token=token)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../project.sqlite",
        "/static/..%2f..%2fproject.sqlite",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static/web.py",
        "/documents/../../etc/passwd",
        "/documents/-1",
        "/documents/999",
        "/documents/1e0",
        "/documents/1/../../..",
        "/api/documents/99999999999999999999/layer",
        "/openapi.json",
        "/docs",
    ],
)
def test_paths_lead_nowhere_else(served: Served, token: str, path: str) -> None:
    status, _, body = served.request("GET", path, token=token)
    assert status in (400, 404)
    assert b"root:" not in body
    assert b"SQLite" not in body


def test_large_and_broken_requests_are_refused(served: Served, token: str, project: Path) -> None:
    path = "/api/documents/1/changes"
    large = json.dumps({**CLAIM, "padding": "x" * MAX_BODY}).encode()
    assert served.request("POST", path, large, token)[0] == 413
    many = {f"c-{number}": {"kind": "claim", "span": [0, 3]} for number in range(1001)}
    for body in (
        b"",
        b"{",
        b"[1]",
        b"\xff",
        b'{"revision": 0}',
        {**CLAIM, "extra": 1},
        {"revision": 0, "values": many},
        {"revision": 0, "values": {}},
        {"revision": 0, "values": {"../x": {"kind": "claim", "span": [0, 3]}}},
        {"revision": 0, "values": {"c-1": {"kind": "claim", "span": [3, 0]}}},
        {"revision": 0, "values": {"c-1": {"kind": "claim", "span": [0, 10**9]}}},
        {"revision": 0, "values": {"c-1": {"kind": "claim", "span": [0, 3], "note": "x" * 3000}}},
        {"revision": 0, "values": {"c-1": {"kind": "claim", "span": [0, 3], "type": "other"}}},
        {"revision": 0, "values": {"d-1": {"kind": "decision", "sources": [], "state": "accepted"}}},
    ):
        status, _, answer = served.request("POST", path, body, token)
        assert status == 400, body
        assert json.loads(answer)["error"].endswith(".")
    assert marked(project) == 0


def test_a_body_without_end_is_cut_off(served: Served, token: str) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 20) as connection:
        head = (
            f"POST /api/attest HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: http://127.0.0.1:{served.port}\r\n"
            f"Cookie: fathom-{served.port}={token}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        connection.sendall(head.encode())
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        answer = b""
        try:
            for _ in range(64):
                connection.sendall(chunk)
            answer = connection.recv(4096)
        except OSError:
            answer = answer or b"HTTP/1.1 413"
        assert b" 413 " in answer or answer.startswith(b"HTTP/1.1 413")


def test_an_annotator_reaches_only_the_own_documents_and_layer(served: Served, token: str, project: Path) -> None:
    with Project(project) as opened:
        eve = opened.token("eve")
    assert served.request("GET", "/documents/1", token=eve)[0] == 404
    assert served.request("POST", "/api/documents/1/changes", CLAIM, eve)[0] == 404
    served.request("POST", "/api/documents/1/changes", CLAIM, token)
    with Project(project) as opened:
        assert {name for _, name in opened.layers()} == {"ada"}


def test_marks_need_the_attestation(corpus: Path, tmp_path: Path) -> None:
    from fathom.api.annotating import create_project
    from tests.annotate.conftest import serving_project

    folder = tmp_path / "new"
    create_project(corpus, folder, ["ada"])
    with Project(folder) as opened:
        token = opened.token("ada")
    with serving_project(folder, corpus) as served:
        assert served.request("POST", "/api/documents/1/changes", CLAIM, token)[0] == 403
        assert served.request("POST", "/api/attest", {"no_model_helped": False}, token)[0] == 400
        assert served.request("POST", "/api/attest", {"no_model_helped": True}, token)[0] == 200
        assert served.request("POST", "/api/documents/1/changes", CLAIM, token)[0] == 200


def test_the_server_listens_on_the_loopback_address_only(served: Served) -> None:
    addresses = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        with pytest.raises(OSError):
            socket.create_connection((address, served.port), 2)
