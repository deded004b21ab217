"""Diagrams, and the requests for images of them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import httpx
import pytest

from stead.graph import BaseNode, End, Graph
from stead.graph.mermaid import request_image


class Only(BaseNode):
    """A note."""

    docstring_notes = True

    async def run(self, ctx: Any) -> End[int]:
        return End(1)


drawn = Graph(nodes=[Only], name='drawn')


def client(status: int, requests: list[httpx.Request]) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(status, text='what went wrong')

    return httpx.Client(transport=httpx.MockTransport(answer))


def test_the_code_holds_edges_and_notes():
    assert drawn.mermaid_code(start_node=Only, highlighted_nodes=Only, direction='LR').splitlines() == [
        '---',
        'title: drawn',
        '---',
        'stateDiagram-v2',
        '  direction LR',
        '  [*] --> Only',
        '  Only --> [*]',
        '  note right of Only',
        '    A note.',
        '  end note',
        '',
        'classDef highlighted fill:#fdff32',
        'class Only highlighted',
    ]


@pytest.mark.parametrize('role', ['start_node', 'highlighted_nodes'])
def test_a_node_that_is_not_there_is_named_with_those_that_are(role: Any):
    with pytest.raises(LookupError, match="'Gone'.*Only"):
        drawn.mermaid_code(**{role: 'Gone'})


def test_the_code_is_what_the_service_gets(tmp_path: Path):
    requests: list[httpx.Request] = []
    drawn.mermaid_save(tmp_path / 'a.svg', httpx_client=client(200, requests))
    path = requests[0].url.path
    assert path.startswith('/svg/')
    assert base64.b64decode(path.removeprefix('/svg/')).decode() == drawn.mermaid_code()
    assert (tmp_path / 'a.svg').read_text() == 'what went wrong'


def test_a_refusal_of_the_service_carries_its_words():
    with pytest.raises(httpx.HTTPStatusError, match='503.*what went wrong'):
        request_image(drawn, httpx_client=client(503, []))
