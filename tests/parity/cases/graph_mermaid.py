"""Graphs drawn: the code of diagrams, and what is asked of the image service, without reaching it."""

import base64
import json
import pathlib
import tempfile
from dataclasses import dataclass
from typing import Annotated, Union

import httpx
from pydantic_graph import BaseNode, Edge, End, Graph
from pydantic_graph.mermaid import DEFAULT_HIGHLIGHT_CSS, MermaidConfig, generate_code, request_image


@dataclass
class Start(BaseNode):
    """Begins <it> & "all": x; y
    in two lines."""

    docstring_notes = True

    async def run(self, ctx) -> Annotated['Middle', Edge(label='go "on"')]:
        return Middle()


class Middle(BaseNode):
    async def run(self, ctx) -> Union['Start', 'Last', Annotated[End[int], Edge(label='done')]]:
        return End(1)


class Last(BaseNode):
    """The end."""

    docstring_notes = True

    async def run(self, ctx) -> End[int]:
        return End(1)


class Anywhere(BaseNode):
    async def run(self, ctx) -> Union[BaseNode, End[int]]:
        return End(1)


graph = Graph(nodes=[Start, Middle, Last])
named = Graph(nodes=[Start, Middle, Last, Anywhere], name='given name')
for options in (
    {},
    {'start_node': Start},
    {'start_node': Middle()},
    {'start_node': 'Last'},
    {'start_node': [Start, 'Last']},
    {'start_node': (Start,)},
    {'title': 'My: title'},
    {'title': False},
    {'title': ''},
    {'edge_labels': False},
    {'notes': False},
    {'highlighted_nodes': Start},
    {'highlighted_nodes': [Start, 'Last'], 'highlight_css': 'fill:red'},
    {'highlighted_nodes': []},
    {'direction': 'TB'},
    {'direction': 'LR'},
    {'start_node': 'nowhere'},
    {'start_node': Anywhere},
    {'highlighted_nodes': 'nowhere'},
    {'infer_name': False},
):
    for drawn in (graph, named):
        try:
            print(json.dumps([repr(options), drawn.mermaid_code(**options)]))
        except LookupError as error:
            print(json.dumps([repr(options), type(error).__name__]))
print(json.dumps(generate_code(named, start_node=Start, direction=None)))
print(json.dumps([DEFAULT_HIGHLIGHT_CSS, sorted(MermaidConfig.__annotations__)]))

requests = []


def answer(status):
    def handle(request):
        requests.append(request)
        return httpx.Response(status, content=b'an image')

    return httpx.Client(transport=httpx.MockTransport(handle))


def last_request():
    request = requests.pop()
    kind, code = request.url.path.strip('/').split('/', 1)
    return [request.method, request.url.host, kind, request.url.query.decode(), base64.b64decode(code).decode()]


for options in (
    {},
    {'title': 'x', 'start_node': Start},
    {'image_type': 'png'},
    {'image_type': 'jpeg'},
    {'image_type': 'webp'},
    {'image_type': 'svg'},
    {'image_type': 'pdf'},
    {'image_type': 'pdf', 'pdf_fit': True},
    {'image_type': 'pdf', 'pdf_landscape': True, 'pdf_paper': 'a3'},
    {'image_type': 'png', 'pdf_fit': True},
    {'background_color': '!white'},
    {'theme': 'dark'},
    {'width': 100, 'height': 200},
    {'width': 100, 'scale': 2},
    {'image_type': 'svg', 'background_color': 'FF0000', 'theme': 'forest', 'width': 3},
    {'direction': 'LR'},
    {'notes': False, 'edge_labels': False, 'highlighted_nodes': Start, 'highlight_css': 'a:b'},
):
    image = request_image(named, httpx_client=answer(200), **options)
    print(json.dumps([repr(options), image.decode(), last_request()]))
try:
    request_image(named, httpx_client=answer(404))
except httpx.HTTPStatusError as error:
    print(json.dumps([type(error).__name__, error.response.status_code]))
requests.clear()
with tempfile.TemporaryDirectory() as folder:
    for name in ('a.png', 'a.jpg', 'a.svg', 'a.pdf', 'a.webp', 'a', 'a.txt', 'a.PNG'):
        path = pathlib.Path(folder) / name
        named.mermaid_save(path, httpx_client=answer(200))
        print(json.dumps([name, path.read_text(), last_request()[2:4]]))
    named.mermaid_save(f'{folder}/b.txt', image_type='png', httpx_client=answer(200))
    print(json.dumps(last_request()))
    print(json.dumps([named.mermaid_image(httpx_client=answer(200)).decode(), last_request()]))
