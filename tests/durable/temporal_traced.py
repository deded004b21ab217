"""A workflow on Temporal with Logfire: `python -m tests.durable.temporal_traced PORT`; prints what it traced, as JSON.

In a process of its own, because Logfire is set up for a process. What would be sent to it goes to a server of this process.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import logfire
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from temporalio.client import Client
from temporalio.worker import Worker

from stead.durable_exec.temporal import LogfirePlugin, PydanticAIPlugin
from tests.durable.temporal_one import One

TOKEN = 'pylf_v1_us_0123456789'


class Metrics(BaseHTTPRequestHandler):
    """Takes what is sent, and notes where to and with which token."""

    def do_POST(self) -> None:
        """Take it."""
        self.rfile.read(int(self.headers['Content-Length']))
        seen.append([self.path, self.headers['Authorization']])
        came.set()
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


seen: list[list[str | None]] = []
came = threading.Event()


async def run_one(port: str, name: str, plugin: LogfirePlugin) -> list[Any]:
    """Run a workflow, and return the names of the spans with the names of their parents."""
    client = await Client.connect(f'127.0.0.1:{port}', plugins=[PydanticAIPlugin(), plugin])
    exporter, provider = InMemorySpanExporter(), trace.get_tracer_provider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))  # type: ignore[attr-defined]
    async with Worker(client, task_queue=name, workflows=[One]):
        with logfire.span('the caller'):
            await client.execute_workflow(One.run, args=['models', {}], id=name, task_queue=name)
    spans = exporter.get_finished_spans()
    names = {span.context.span_id: span.name for span in spans}
    assert len({span.context.trace_id for span in spans}) == 1, 'they belong to one trace'
    return sorted([span.name, names.get(span.parent.span_id) if span.parent else None] for span in spans)


async def main(port: str) -> None:
    """Run one as the environment says, and one whose metrics are sent."""
    as_the_environment_says = await run_one(port, 'traced', LogfirePlugin())
    server = ThreadingHTTPServer(('127.0.0.1', 0), Metrics)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    where = logfire.AdvancedOptions(base_url=f'http://127.0.0.1:{server.server_port}')

    def set_up() -> Any:
        return logfire.configure(token=TOKEN, send_to_logfire=False, console=False, advanced=where)

    measured = await run_one(port, 'measured', LogfirePlugin(set_up))
    await asyncio.to_thread(came.wait, 60)
    print(json.dumps({'spans': as_the_environment_says, 'measured': measured, 'sent': seen}))


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1]))
