"""Requests to an OpenAI-compatible endpoint, for embeddings and for reranking."""

from __future__ import annotations

import json
import os
import time
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TIMEOUT = 120
"""Seconds for one request."""
PAUSES = (1.0, 4.0, 16.0)
"""Seconds before a busy endpoint is asked again."""


class Endpoint(NamedTuple):
    """The address and the model of `http://HOST/v1#MODEL`."""

    url: str
    model: str

    @classmethod
    def parse(cls, name: str) -> Endpoint | None:
        """The endpoint that a setting names; None if it is not an address."""
        if not name.startswith(("http://", "https://")):
            return None
        url, _, model = name.partition("#")
        return cls(url.rstrip("/"), model)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON of the response; raises OSError or ValueError if there is none."""
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        content = json.dumps({"model": self.model, **body}).encode()
        return json.loads(_sent(Request(f"{self.url}/{path}", content, headers)))


def _sent(request: Request) -> bytes:
    """The body of the response. A busy server is asked again after a while."""
    for pause in PAUSES:
        try:
            with urlopen(request, timeout=TIMEOUT) as response:
                return bytes(response.read())
        except HTTPError as error:
            if error.code not in (429, 500, 502, 503, 504):
                raise
        time.sleep(pause)
    with urlopen(request, timeout=TIMEOUT) as response:
        return bytes(response.read())
