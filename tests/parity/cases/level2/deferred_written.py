"""How deferred requests and results without entries are written, and what the schema of an output says of them."""

from _common import fact
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults

for value in (
    DeferredToolRequests(),
    DeferredToolResults(),
    DeferredToolResults(calls={'a': 1}, answered_by={'a': 'ann'}),
):
    print(repr(value))
    print(TypeAdapter(type(value)).dump_json(value).decode())
schema = Agent('test', output_type=[str, DeferredToolRequests]).output_json_schema()['anyOf'][1]
fact('schema', [schema.get('title'), list(schema.get('properties', {}))])
