"""Parts and content of messages that 2.x has: what they hold, what models read, and what they are stored as."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_ai import ModelRetry, messages as m
from pydantic_ai.models.instrumented import InstrumentationSettings


def show(label: object, build: Callable[[], Any]) -> None:
    try:
        print(label, '=>', build())
    except Exception as error:
        print(label, '!!', type(error).__name__)


class Args(BaseModel):
    x: int


KIND = m.ToolKind('my_lib', 'weather', args=Args, content=dict)
print(KIND, KIND.id, KIND.name, KIND.namespace, KIND.args)
show('the same again', lambda: m.ToolKind('my_lib', 'weather', args=Args, content=dict))
show('with other types', lambda: m.ToolKind('my_lib', 'weather', args=Args))
show('without a namespace', lambda: m.ToolKind('', 'x'))
for name in ('my_lib.weather', 'my_lib:weather', 'tool-search', 'capability-load', 'nope', ''):
    print(name, m.parse_tool_kind(name))
for args in ({'x': 1}, '{"x":"2"}', None, '', 'no json', '[1]'):
    print('args', args, m.ToolCallPart('w', args, 'c', tool_kind=cast(Any, KIND.id)).typed_args)
for content in ({'a': 1}, '{"a":1}', '[1]', 'text', None):
    part = m.ToolReturnPart('w', content, 'c')
    print('content', content, part.typed_content, part.structured_content())

try:
    Args(x=cast(Any, 'no'))
except ValidationError as error:
    invalid = error
retry = m.RetryInfo(cause='model_retry', attempt=1, max_retries=2)
errors = invalid.errors(include_url=False)
for outcome in ('success', 'failed', 'denied', 'interrupted', 'retried'):
    for content in ('text', {'a': 1}, [1, 2], None, '', errors):
        why = retry if outcome == 'retried' else None
        part = m.ToolReturnPart('w', content, 'c', outcome=outcome, retry=cast(Any, why))
        for wrap in (True, False):
            texts = part.model_response_str(wrap_if_error=wrap), part.content_items(mode='str', wrap_if_error=wrap)
            print(outcome, wrap, *texts, part.model_response_object(wrap_if_error=wrap), part.content_items())
for cause in ('validation_error', 'no_output', 'model_retry'):
    print(m.RetryFeedbackPart('again', retry=m.RetryInfo(cause=cause)).model_response())
for raised in (invalid, ModelRetry('again')):
    prompt = m.RetryPromptPart.from_error(raised, tool_name='w', tool_call_id='c')
    print(prompt.content, prompt.tool_name, prompt.tool_call_id)

sources = (
    m.AgentInstructionSource(),
    m.ToolsetInstructionSource('ts'),
    m.CapabilityInstructionSource('cap'),
    m.RunInstructionSource(),
)
deltas = TypeAdapter(m.InstructionDeltaPart)
for source in sources:
    for name in ('n', 'a:b'):
        delta = m.InstructionDeltaPart(id=m.InstructionId(source, name=name), content='new')
        print(delta, delta.render(), deltas.dump_json(delta), deltas.validate_json(deltas.dump_json(delta)) == delta)
for inline in (True, False):
    print(m.InstructionDeltaPart(id=m.InstructionId(sources[0]), content=None).render(inline_system=inline))
digest = m.InstructionDigest.of(m.InstructionPart('hello'))
others = (
    m.InstructionPart('hello'),
    m.InstructionPart('hello', name='n'),
    m.InstructionPart('hello', dynamic=True),
    m.InstructionPart('hello', on_change='append'),
    m.InstructionPart('other'),
)
print(digest, [digest.matches(part) for part in others])
baseline = m.InstructionBaselinePart(instructions=[*others, digest])
print(TypeAdapter(m.InstructionBaselinePart).dump_json(baseline))

settings = InstrumentationSettings()
for part in (
    baseline,
    m.InstructionDeltaPart(id=m.InstructionId(sources[0]), content='c'),
    m.ToolAvailabilityDeltaPart(tools_added=['a', 'b']),
    m.CapabilityLoadDeltaPart(loaded=['a']),
    m.ModelSettingsDeltaPart(settings={'thinking': 'low'}),
    m.CompactionPart('sum', metadata={'a': 1}),
):
    print(part, part.otel_message_parts(settings))

show('no sources', lambda: m.Citation([]))
show('an empty anchor', lambda: m.ContentCitationAnchor(start=3, end=3))
show('a document without anything', lambda: m.DocumentCitationSource())
cited = m.Citation([m.WebCitationSource('u', excerpts=['e'])], anchor=m.MarkerCitationAnchor(start=0, end=9))
text = m.TextPart('abc', citations=[cited])
print(text, TypeAdapter(m.TextPart).dump_json(text))
for delta in (
    m.TextPartDelta('x', citations_delta=[cited]),
    m.TextPartDelta('x'),
    m.TextPartDelta('', citations_delta=[]),
):
    print(delta, delta.apply(m.TextPart('a')), delta.apply(text))

content: TypeAdapter[Any] = TypeAdapter(m.UserContent)
for build in (
    lambda: m.StructuredContent({'a': 1}),
    lambda: m.StructuredContent({'a': 1}, tag='t', description='d'),
    lambda: m.StructuredContent([{'a': 1}], format='xml', tag='row'),
    lambda: m.StructuredContent({'a': {'b': [1]}}, format='xml', description='d'),
    lambda: m.StructuredContent('</t>&', tag='t', metadata={'k': 1}),
    lambda: m.StructuredContent({'a': 1}, content='own'),
    lambda: m.StructuredContent(None),
    lambda: m.StructuredContent({'a': 1}, tag='Not so'),
    lambda: m.StructuredContent({'a': 1}, tag='pyai:x'),
    lambda: m.StructuredContent(object()),
):
    show('structured', lambda: (build(), build().render(), content.dump_json(build())))
print(content.validate_json('{"kind":"structured-content","value":{"a":1}}'))
