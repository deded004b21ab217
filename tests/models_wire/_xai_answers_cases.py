"""Answers of xAI, whole and streamed."""

from __future__ import annotations

from _grpc_wire import Answer, Status
from _vocabulary import Cases
from _xai_bodies import USAGE, answer, call, chunks, delta, output, search

cases = Cases('grok-4-fast', answer)
case = cases.add

# Answers

for reason in ('INVALID', 'MAX_LEN', 'STOP', 'TOOL_CALLS'):
    case(f'reason {reason}', reply=answer(output(reason=f'REASON_{reason}')))
LIKELY = {
    'token': 'hi',
    'logprob': -0.5,
    'bytes': 'aGk=',
    'top_logprobs': [{'token': 'ho', 'logprob': -1.5, 'bytes': 'aG8='}],
}
SERVER_TOOLS = ('WEB_SEARCH', 'WEB_SEARCH', 'X_SEARCH', 'CODE_EXECUTION', 'MCP', 'COLLECTIONS_SEARCH', 'VIEW_IMAGE')
SERVER_TOOLS += ('ATTACHMENT_SEARCH', 'VIEW_X_VIDEO', 'INVALID')
USED = {**USAGE, 'server_side_tools_used': [f'SERVER_SIDE_TOOL_{name}' for name in SERVER_TOOLS], 'num_sources_used': 4}
TOOL_ROLE = 'ROLE_TOOL'
SECRET = {'encrypted_content': 'E'}
for title, reply in (
    ('calls', answer(output('', 'REASON_TOOL_CALLS', tool_calls=[call(), call('u', '{}', 'c2')]))),
    ('text and a call', answer(output('txt', 'REASON_TOOL_CALLS', tool_calls=[call()]))),
    ('thinking', answer(output('a', reasoning_content='think', encrypted_content='E'))),
    ('thinking that is secret', answer(output('a', encrypted_content='E'))),
    ('thinking in the open', answer(output('a', reasoning_content='think'))),
    ('no text', answer(output(''))),
    ('two outputs', answer(output('a'), output('b', index=1))),
    ('text of others', answer(output('a', role=TOOL_ROLE), output('c', index=1, role='ROLE_USER'))),
    ('citations', answer(system_fingerprint='fp', citations=['https://a', 'https://b'])),
    ('likely tokens', answer({**output(), 'logprobs': {'content': [LIKELY]}})),
    (
        'inline citations',
        answer(output('a', citations=[{'id': '1', 'end_index': 1, 'web_citation': {'url': 'https://w'}}])),
    ),
    ('no usage', answer(usage={})),
    ('usage of tools', answer(usage=USED)),
    ('usage of a tool that is not known', answer(usage={'prompt_tokens': 1, 'server_side_tools_used': [99]})),
    ('a search that is running', answer(output('a', tool_calls=[search(status='IN_PROGRESS')]))),
    ('a search without a result', answer(output('a', tool_calls=[search()]))),
    ('a result alone', answer(output('res', role=TOOL_ROLE, tool_calls=[search()]), output('a', index=1))),
    (
        'a failure',
        answer(
            output('', role=TOOL_ROLE, tool_calls=[search(status='FAILED', error_message='e')]), output('a', index=1)
        ),
    ),
    (
        'a failure with text',
        answer(output('no', role=TOOL_ROLE, tool_calls=[search(status='FAILED', error_message='e')])),
    ),
    ('a failure of the model', answer(output('x', tool_calls=[search(status='FAILED', error_message='e')]))),
    (
        'an unfinished search',
        answer(output('x', role=TOOL_ROLE, tool_calls=[search(status='INCOMPLETE', error_message='e')])),
    ),
    ('two results in one', answer(output('res', role=TOOL_ROLE, tool_calls=[search(), search('n2')]))),
    ('a call of ours with a result', answer(output('r', role=TOOL_ROLE, tool_calls=[call()]), output('f', index=1))),
    (
        'two searches',
        answer(
            output('', tool_calls=[search(), search('n2')]),
            output('[1]', index=1, role=TOOL_ROLE, tool_calls=[search()]),
            output('"s"', index=2, role=TOOL_ROLE, tool_calls=[search('n2')]),
            output('final', index=3),
        ),
    ),
    (
        'thinking and a search',
        answer(
            output('', reasoning_content='th', encrypted_content='E1', tool_calls=[search()]),
            output('r', index=1, role=TOOL_ROLE, tool_calls=[search()]),
            output('final', index=2, reasoning_content='th2', encrypted_content='E2'),
        ),
    ),
    *(
        (
            f'secret thinking {where} a search and its result',
            answer(
                output('', tool_calls=[search()], **(SECRET if where == 'with' else {})),
                *([output('', index=1, **SECRET)] if where == 'between' else []),
                *([output('', index=1, role=TOOL_ROLE, **SECRET)] if where == 'in another role between' else []),
                output('r', index=2, role=TOOL_ROLE, tool_calls=[search()], **(SECRET if where == 'after' else {})),
                output('final', index=3),
            ),
        )
        for where in ('with', 'between', 'in another role between', 'after')
    ),
):
    case(f'answer: {title}', reply=reply)
for name, kind in (
    ('web_search', 'WEB_SEARCH'),
    ('browse_page', 'WEB_SEARCH'),
    ('x_keyword_search', 'X_SEARCH'),
    ('code_execution', 'CODE_EXECUTION'),
    ('collections_search', 'COLLECTIONS_SEARCH'),
    ('srv.ask', 'MCP'),
    ('a.b.c', 'MCP'),
    ('noserver', 'MCP'),
    ('attachment_search', 'ATTACHMENT_SEARCH'),
):
    used = call(name, '{"q":"x"}', 'n1', kind)
    running = call(name, '{"q":"x"}', 'n1', kind, 'IN_PROGRESS')
    for text in ('result', '{"r":1}', ''):
        outputs = [
            output('', tool_calls=[used]),
            output(text, index=1, role=TOOL_ROLE, tool_calls=[used]),
            output('f', index=2),
        ]
        case(f'answer: {name} came to {text!r}', reply=answer(*outputs))
        deltas = [delta(tool_calls=[running]), delta(text, 1, TOOL_ROLE, tool_calls=[used]), delta('f', 2)]
        case(f'stream: {name} came to {text!r}', reply=chunks(*deltas))
X_SEARCH = call('x_keyword_search', '{"q":"x"}', 'n1', 'X_SEARCH')
SOURCES = ['https://x.com/1', 'https://a']
outputs = [
    output('', tool_calls=[X_SEARCH]),
    output('', index=1, role=TOOL_ROLE, tool_calls=[X_SEARCH]),
    output('f', index=2),
]
case('answer: sources of X', reply=answer(*outputs, citations=SOURCES))
deltas = [delta(tool_calls=[X_SEARCH]), delta('', 1, TOOL_ROLE, tool_calls=[X_SEARCH]), delta('f', 2)]
case('stream: sources of X', reply=chunks(*deltas, citations=SOURCES))
for title, reply in (
    (
        'thinking',
        chunks(delta(reasoning_content='th'), delta(reasoning_content='ink'), delta('a'), delta(encrypted_content='E')),
    ),
    (
        'secrets in pieces',
        chunks(delta(reasoning_content='th'), delta(encrypted_content='E1'), delta(encrypted_content='E2'), delta('a')),
    ),
    ('a secret only', chunks(delta('a'), delta(encrypted_content='E'))),
    (
        'text and calls',
        chunks(
            delta('txt'),
            delta(tool_calls=[call()]),
            delta(tool_calls=[call('u', '{}', 'c2')]),
        ),
    ),
    ('two calls at once', chunks(delta(tool_calls=[call(), call('u', '{}', 'c2')]))),
    (
        'a search that goes on',
        chunks(delta(tool_calls=[search(status='IN_PROGRESS')]), delta(tool_calls=[search()]), delta('f', 1)),
    ),
    ('text of others', chunks(delta('b', role='ROLE_USER'))),
    ('no text', chunks(delta(''), delta(''))),
    ('usage of tools', chunks(delta('a'), usage=USED)),
    ('nothing', Answer([], stream=True)),
):
    case(f'stream: {title}', reply=reply)
for code in ('UNAVAILABLE', 'INVALID_ARGUMENT'):
    for streamed in (False, True):
        case(f'error {code}, {streamed}', reply=Answer([Status(code, 'no')], stream=streamed))
