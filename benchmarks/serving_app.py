"""A server for `benchmarks/serving.py`: `python serving_app.py WHO PROTOCOL CLIENTS DELTAS`.

All clients are let in before the first of them gets a delta. `WHO` is `stead`, `pydantic_ai`, or `bare`: Starlette and a
generator that yields the same bytes, without an agent. The last line that the server prints has its figures.
"""

import asyncio
import json
import resource
import socket
import sys
import time

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

WHO, PROTOCOL, CLIENTS, DELTAS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
WORD = 'word and '
figures: dict = {}


class Together:
    """Lets all streams begin when the last one has come, and notes what they cost from there to their end."""

    def __init__(self) -> None:
        self.waiting, self.done, self.go = 0, 0, asyncio.Event()

    async def begin(self) -> None:
        self.waiting += 1
        if self.waiting == CLIENTS:
            figures.update(cpu=time.process_time(), wall=time.perf_counter())
            self.go.set()
        await self.go.wait()

    def end(self) -> None:
        self.done += 1
        if self.done == CLIENTS:
            figures['cpu'] = time.process_time() - figures['cpu']
            figures['wall'] = time.perf_counter() - figures['wall']


together = Together()


async def words():
    await together.begin()
    for _ in range(DELTAS):
        yield WORD
        await asyncio.sleep(0)
    together.end()


if WHO == 'bare':
    CHUNK = 'data: ' + json.dumps({'type': 'text-delta', 'id': 'x' * 36, 'delta': WORD}) + '\n\n'

    async def chunks():
        async for _ in words():
            yield CHUNK

    async def answer(request):
        await request.body()
        return StreamingResponse(chunks(), media_type='text/event-stream')
else:
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel

    async def respond(messages, info):
        async for word in words():
            yield word

    agent = Agent(FunctionModel(stream_function=respond))
    if PROTOCOL == 'ag-ui':
        from pydantic_ai.ui.ag_ui import AGUIAdapter as Adapter
    else:
        from pydantic_ai.ui.vercel_ai import VercelAIAdapter as Adapter

    async def answer(request):
        return await Adapter.dispatch_request(request, agent=agent)


async def stop(request):
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**figures, 'memory': most - before, 'done': together.done}), flush=True)
    server.should_exit = True
    return Response()


app = Starlette(routes=[Route('/', answer, methods=['POST']), Route('/stop', stop, methods=['POST'])])
server = uvicorn.Server(uvicorn.Config(app, log_level='error', http='h11', loop='asyncio', ws='none'))
with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
    listener.bind(('127.0.0.1', 0))
    listener.listen(4096)
    print(listener.getsockname()[1], flush=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    server.run(sockets=[listener])
