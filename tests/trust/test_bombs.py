"""Promises about what grows: small inputs from outside cost little time and memory, and errors about them are short."""

from __future__ import annotations

import asyncio
import gzip
import http.server
import json
import random
import re
import sys
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stead import Agent, TemplateStr
from stead._deferral.ranking import ToolIndex
from stead._kit import ssrf
from stead._kit.json_bounds.schema import Bounds, UnsatisfiableSchema, bounded
from stead._kit.linear_patterns import LinearPattern, Steps, StepsUsedUp, UnsearchablePattern
from stead._kit.short import short, short_repr
from stead._kit.tried_patterns import searched
from stead.capabilities import ToolSearch
from stead.common_tools import web_fetch
from stead.common_tools.web_fetch import web_fetch_tool
from stead.exceptions import UnexpectedModelBehavior, UserError
from stead.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from stead.models.function import FunctionModel
from stead.models.test import TestModel
from stead.tools import ToolDefinition
from stead.toolsets import FunctionToolset
from tests.counting import Calls

MOST_MEMORY = 10_000_000
MOST_SECONDS = 2.0
"""The processor time that a bomb may take here. It takes a fortieth of that; without the bounds, all of these take minutes."""


def cost(work: Callable[[], Any]) -> tuple[float, int]:
    """Return the processor time in seconds, and the most memory in bytes."""
    start = time.thread_time()
    work()
    seconds = time.thread_time() - start
    tracemalloc.start()
    try:
        work()
        return seconds, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def is_cheap(work: Callable[[], Any]) -> None:
    seconds, memory = cost(work)
    assert seconds < MOST_SECONDS
    assert memory < MOST_MEMORY


# Downloads


@cache
def zeros(layers: int) -> bytes:
    """Return two hundred megabytes of zeros, packed so many times."""
    if layers > 1:
        return gzip.compress(zeros(layers - 1), 9)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b''.join(packer.compress(bytes(1_000_000)) for _ in range(200)) + packer.flush()


NOISE = random.Random(7)
SPARSE = b''.join(NOISE.randbytes(400) + bytes(19_600) for _ in range(750))
"""Fifteen megabytes, which become fifty times smaller: not a bomb, but larger than most pages."""
EMPTY_BLOCKS = gzip.compress(b'')[:10] + b'\x00\x00\x00\xff\xff' * 1_000_000
PAGES: dict[str, tuple[str, str, bytes | Callable[[], bytes]]] = {
    # The encoding, the type, and the body, or what makes it.
    '/one': ('gzip', 'text/plain', lambda: zeros(1)),
    '/sparse': ('gzip', 'text/plain', gzip.compress(SPARSE, 6)),
    '/two': ('gzip, gzip', 'text/plain', lambda: zeros(2)),
    '/three': ('gzip,gzip,gzip', 'text/plain', lambda: zeros(3)),
    '/brotli': ('br', 'text/plain', b'\x0b\x02\x80hello\x03'),
    '/empty-blocks': ('gzip', 'text/plain', EMPTY_BLOCKS),
    '/broken': ('gzip', 'text/plain', b'no gzip'),
    '/small': ('gzip', 'text/plain', gzip.compress(b'small')),
    '/deflate': ('deflate', 'text/plain', zlib.compress(b'small')),
    '/upper': ('GZIP', 'text/plain', gzip.compress(b'small')),
    '/identity': ('identity', 'text/plain', b'small'),
    '/cut': ('gzip', 'text/plain', gzip.compress(b'small' * 1000)[:-6]),
    '/spread': ('identity', 'application/json', b'[' * 900 + b','.join([b'0'] * 90_000) + b']' * 900),
    '/lists': ('identity', 'application/json', b'[' + b'[],' * 1_000_000 + b'0]'),
    '/titles': ('identity', 'text/html', b'<title' * 30_000),
    '/open-titles': ('identity', 'text/html', b'<title>a' * 30_000),
    '/deep': ('identity', 'text/html', b'<div>' * 3_000 + b'words'),
    '/punycode': ('identity', 'text/plain; charset=punycode', b'a' * 100_000 + b'-' + b'b' * 100_000),
    '/idna': ('identity', 'text/plain; charset=idna', b'a\xff'),
    '/undefined': ('identity', 'text/plain; charset=undefined', b'small'),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        encoding, kind, content = PAGES[self.path]
        body = content() if callable(content) else content
        self.send_response(200)
        self.send_header('Content-Encoding', encoding)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # the client has read enough
            pass


@pytest.fixture(scope='module')
def site() -> Iterator[str]:
    zeros(3)  # packing takes longer than what is tried with it
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    yield f'http://127.0.0.1:{server.server_address[1]}'
    server.shutdown()
    server.server_close()
    thread.join(5)


async def fetched(url: str, max_bytes: int | None = 1000) -> bytes:
    return (await ssrf.fetch(url, headers={}, timeout=30, max_bytes=max_bytes, allow_local=True)).content


@pytest.mark.parametrize(
    ('path', 'words'),
    [
        ('/one', 'It is larger than 1000 bytes'),
        ('/two', "Its encoding is 'gzip, gzip'; only one gzip or deflate is decoded"),
        ('/three', "Its encoding is 'gzip,gzip,gzip'"),
        ('/brotli', "Its encoding is 'br'"),
        ('/empty-blocks', 'It is larger than 1000 bytes'),
        ('/broken', 'It is not gzip, though it says so'),
    ],
)
def test_compressed_pages_cost_no_more_than_they_may_be_large(site: str, path: str, words: str) -> None:
    def work() -> None:
        with pytest.raises(ssrf.FetchError, match=words):
            asyncio.run(fetched(site + path))

    is_cheap(work)


def test_a_page_that_grows_too_much_is_refused_long_before_its_limit(site: str) -> None:
    def work() -> None:
        with pytest.raises(ssrf.FetchError, match='It is compressed to less than a 100th of its size'):
            asyncio.run(fetched(site + '/one', 190_000_000))

    is_cheap(work)
    assert asyncio.run(fetched(site + '/sparse', None)) == SPARSE


@pytest.mark.parametrize('path', ['/small', '/deflate', '/upper', '/identity'])
def test_pages_are_decoded(site: str, path: str) -> None:
    assert asyncio.run(fetched(site + path, 5)) == b'small'
    with pytest.raises(ssrf.FetchError, match='larger than 4 bytes'):
        asyncio.run(fetched(site + path, 4))


def test_what_came_of_a_page_that_is_cut_off_is_kept(site: str) -> None:
    assert b'small' * 900 in asyncio.run(fetched(site + '/cut', None))


def test_inflating_leaves_time_for_others(site: str) -> None:
    async def main() -> int:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(other())
        with pytest.raises(ssrf.FetchError, match='larger than 12000000 bytes'):
            await fetched(site + '/sparse', 12_000_000)
        task.cancel()
        return turns

    assert asyncio.run(main()) > 12  # one for each megabyte, at least


@pytest.mark.parametrize('path', ['/spread', '/titles', '/open-titles', '/deep', '/punycode', '/idna', '/undefined'])
def test_pages_that_are_hard_to_read(site: str, path: str) -> None:
    if 'html' in PAGES[path][1]:
        pytest.importorskip('markdownify', reason='needs the extra `web-fetch`')
    start = time.process_time()
    page = asyncio.run(web_fetch_tool(allow_local_urls=True, max_content_length=2000).function(site + path))
    assert time.process_time() - start < 2
    assert len(page['content']) < 2100


HARD_PAGES = {
    'deep': '<p>one</p>'
    + '<div>' * 3_000
    + 'two &amp; <script>unread <b>a</b></script><style>b</style>three'
    + '</div>' * 3_000,
    'without ends': '<p>one<ul>' + '<li>two &amp;' * 3_000 + '<script>unread</script>three',
    'other ends': '<p>one' + '<div>two &amp;</b>' * 3_000 + '<script>unread</script>three',
    'broken': '<p>one</p>two &amp; ' + '<title' * 3_000 + '<template>unread</template>three',
}


@pytest.mark.parametrize('name', HARD_PAGES)
def test_the_words_of_pages_that_are_hard_to_read_are_kept(name: str) -> None:
    pytest.importorskip('markdownify', reason='needs the extra `web-fetch`')
    steps = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal steps
        steps += event in ('call', 'c_call')

    sys.setprofile(count)
    try:
        text = web_fetch._markdown(HARD_PAGES[name])  # pyright: ignore[reportPrivateUsage]
    finally:
        sys.setprofile(None)
    assert [word for word in ('one', 'two &', 'three', 'unread') if word in text] == ['one', 'two &', 'three']
    assert steps < 40 * 3_000, 'a parser and a tree take hundreds for each tag'


def test_long_pages_that_are_not_deep_are_converted() -> None:
    pytest.importorskip('markdownify', reason='needs the extra `web-fetch`')
    page = '<br>line <b>bold</b>' * 500 + '<div><p>closed with its parent</div>' * 500
    assert '**bold**' in web_fetch._markdown(page)  # pyright: ignore[reportPrivateUsage]


def test_json_becomes_no_more_than_a_few_times_as_large(site: str) -> None:
    fetch = web_fetch_tool(allow_local_urls=True, max_content_length=2000).function
    asyncio.run(fetch(site + '/small'))
    tracemalloc.start()
    try:
        for path in ('/spread', '/lists'):
            asyncio.run(fetch(site + path))
        assert tracemalloc.get_traced_memory()[1] < 3 * MOST_MEMORY
    finally:
        tracemalloc.stop()


# Patterns

PROSE = (
    'Creates a new calendar event for the given user and sends invitations to everybody who is listed there, with a '
    'reminder. ' * 9
)[:1000]
SLOW_PATTERNS = [
    *('(a+)+$', '(a|aa)*b', '((x*)*)*y', r'(\w+\s?)+!', '.*.*.*.*~', '.*.*~a', '.*(.*)~a', r'\w*\w*\d', r'(a*)(a*)\1b'),
    *(r'\d*?[^b]*(a|b)(a)a?[^b]*b+', '(x+x+)+y', '^(a+)+$(?!a)b', '(.{0,9}){0,9}~', '(?=.*a)(?=.*b)(?=.*c)^.*~'),
    *('a?' * 40 + 'a' * 40, 'a{1,99}' * 9, '((a{99}){99}){99}', '(' * 90 + 'a' + ')' * 90, '(?:' * 99, '.*' * 90 + '~'),
    *(
        '[' + 'a-z' * 60 + ']*~',
        r'(a)\1+(?=b)+',
        r'(?<=a)(a+)+~',
        '(|a)+' * 20 + '~',
        '(?i)(a+)+~',
        '\\b' * 90,
        'a' * 201,
    ),
]


@pytest.mark.parametrize('pattern', SLOW_PATTERNS)
@pytest.mark.parametrize('text', [PROSE, 'a' * 1000, 'aB1 ' * 250])
def test_no_pattern_takes_more_steps_than_it_may(pattern: str, text: str) -> None:
    most = 50_000
    steps = Steps(most)
    try:
        LinearPattern(pattern, re.IGNORECASE, 500).search(text, steps)
    except (StepsUsedUp, UnsearchablePattern):
        pass
    try:
        searched(pattern, text, Steps(most))
    except (StepsUsedUp, UnsearchablePattern):
        pass
    assert steps.left > -50_000  # what is counted is counted before it is done, or soon after


PIECES = st.sampled_from(
    ['a', 'b', 'A', '.', r'\d', r'\w', r'\s', r'\W', '[ab]', '[^a]', '[a-c]', '^', '$', r'\b', r'\B', r'\Z']
)
PATTERNS = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(''.join),
        st.tuples(inner, inner).map(lambda two: f'({two[0]}|{two[1]})'),
        st.tuples(inner, st.sampled_from(['*', '+', '?', '*?', '{2}', '{1,2}', '{2,}'])).map(
            lambda two: f'(?:{two[0]}){two[1]}'
        ),
        inner.map(lambda one: f'(?={one})'),
        inner.map(lambda one: f'(?!{one})'),
        inner.map(lambda one: f'(?<=a){one}(?<!b)'),
    ),
    max_leaves=6,
)
TEXTS = st.text(st.sampled_from('abAB1 _\n'), max_size=8)


@given(PATTERNS, TEXTS, st.sampled_from([0, re.IGNORECASE, re.DOTALL, re.MULTILINE]))
def test_a_search_finds_what_python_finds(pattern: str, text: str, flags: int) -> None:
    expected = re.search(pattern, text, flags) is not None
    assert LinearPattern(pattern, flags).search(text, Steps(10**6)) is expected


@given(PATTERNS, PATTERNS, TEXTS)
def test_a_search_with_references_finds_what_python_finds(first: str, second: str, text: str) -> None:
    pattern = rf'({first})(?:{second}|b)\1'
    assert searched(pattern, text, Steps(10**6)) is (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    ('pattern', 'text'),
    [
        ('(?i:b)a', 'Ba'),
        ('(?i:b)a', 'BA'),
        ('(?i)b(?-i:a)', 'BA'),
        ('(?m:^a)$', 'b\na'),
        (r'(?m)(a)\n^\1', 'a\na'),
        ('(?i)(?-i:(?=b))', 'B'),
    ],
)
def test_a_search_knows_flags_of_a_part(pattern: str, text: str) -> None:
    assert searched(pattern, text, Steps(10**6)) is (re.search(pattern, text) is not None)


@pytest.mark.parametrize('count', [1, 20])
def test_queries_of_a_model_cost_little(count: int) -> None:
    tools = [ToolDefinition(name=f't{place}', description=text) for place, text in enumerate([PROSE, 'a' * 1000] * 25)]
    index = ToolIndex(tools)
    for pattern in SLOW_PATTERNS:
        start = time.thread_time()
        index.search('regex', [f'{pattern}{place or ""}' for place in range(count)], lambda name: True)
        assert time.thread_time() - start < 1, pattern
    for strategy in ('keywords', 'bm25', 'regex'):
        is_cheap(lambda: index.search(strategy, ['create event user send reminder ' * 15] * count, lambda name: True))


@pytest.mark.parametrize(
    ('options', 'queries', 'words'),
    [
        ({}, ['event'] * 21, 'Please provide at most 20 search queries.'),
        ({}, ['event' * 101], 'Please provide search queries of at most 500 characters each.'),
        ({'max_queries': 2}, ['event'] * 3, 'Please provide at most 2 search queries.'),
        ({'max_query_length': 4}, ['event'], 'Please provide search queries of at most 4 characters each.'),
    ],
)
def test_queries_have_bounds_that_can_be_set(options: dict[str, int], queries: list[str], words: str) -> None:
    answers = iter([[ToolCallPart('search_tools', {'queries': queries})], [TextPart('done')]])
    tools = FunctionToolset[None]()
    tools.add_function(lambda: 'x', name='add_event', defer_loading=True, takes_ctx=False)
    model = FunctionModel(lambda messages, info: ModelResponse(parts=next(answers)))
    agent = Agent(model, toolsets=[tools], capabilities=[ToolSearch(strategy='bm25', **options)])
    retry = agent.run_sync('go').all_messages()[2].parts[0]
    assert isinstance(retry, RetryPromptPart)
    assert retry.content == words


# Schemas of tools


def holding(schema: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    return {'type': 'object', 'properties': {'x': schema}, 'required': ['x'], '$defs': definitions}


def doubled(make: Callable[[dict[str, str]], dict[str, Any]], last: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of forty definitions, each of which has the next one twice."""
    names = {f'd{level}': make({'$ref': f'#/$defs/d{level + 1}'}) for level in range(40)}
    return holding({'$ref': '#/$defs/d0'}, **names, d40=last)


DEEP: dict[str, Any] = {'type': 'string'}
for _ in range(3000):
    DEEP = {'type': 'array', 'items': DEEP, 'minItems': 1}
MANY = {'type': 'array', 'minItems': 900}
SCHEMAS: dict[str, dict[str, Any]] = {
    'slow pattern': holding({'type': 'string', 'pattern': '^(a+)+$(?!a)b'}),
    'slow pattern with a reference': holding({'type': 'string', 'pattern': r'^((a|a)*)*\1b$'}),
    'long text': holding({'type': 'string', 'minLength': 10**9}),
    'long text with a pattern': holding({'type': 'string', 'minLength': 10**9, 'pattern': 'a'}),
    'long text in a format': holding({'type': 'string', 'minLength': 10**9, 'format': 'email'}),
    'many items': holding({'type': 'array', 'minItems': 10**8}),
    'many items within items': holding({**MANY, 'items': {**MANY, 'items': {**MANY, 'items': {'type': 'string'}}}}),
    'many different items': holding(
        {'type': 'array', 'minItems': 9000, 'uniqueItems': True, 'items': {'type': 'integer'}}
    ),
    'many that it contains': holding({'type': 'array', 'contains': {'const': 1}, 'minContains': 10**8}),
    'many properties': holding({'type': 'object', 'minProperties': 10**8}),
    'repeats of repeats': holding({'type': 'string', 'pattern': '((a{1000}){1000}){1000}'}),
    'repeats of nothing': holding({'type': 'string', 'pattern': '^(((a?){1000}){1000}){1000}b$'}),
    'long pattern': holding({'type': 'string', 'pattern': 'a' * 100_000}),
    'deep pattern': holding({'type': 'string', 'pattern': '(' * 400 + 'a' + ')' * 400}),
    'many patterns': holding(
        {'type': 'object', 'patternProperties': {f'^(a+)+{n}$': {} for n in range(300)}, 'minProperties': 5}
    ),
    'deep': holding(DEEP),
    'doubled properties': doubled(
        lambda inner: {'type': 'object', 'properties': {'l': inner, 'r': inner}, 'required': ['l', 'r']},
        {'type': 'string'},
    ),
    'doubled parts': doubled(lambda inner: {'allOf': [inner, inner]}, {'type': 'string'}),
    'doubled options': doubled(
        lambda inner: {'anyOf': [inner, inner]}, {'type': 'string', 'minLength': 3, 'pattern': '^$'}
    ),
    'large number': holding({'type': 'integer', 'minimum': 10**4000, 'multipleOf': 7}),
}


@pytest.mark.parametrize('name', SCHEMAS)
def test_schemas_cost_little_when_data_is_made_for_them(name: str) -> None:
    tool = ToolDefinition(name='t', parameters_json_schema=SCHEMAS[name])

    def work() -> None:
        try:
            TestModel().gen_tool_args(tool)
        except UserError as error:
            assert "`TestModel` cannot generate arguments for the tool 't': its schema " in str(error)
            assert len(str(error)) < 1000

    is_cheap(work)


@pytest.mark.parametrize('name', SCHEMAS)
def test_schemas_cost_little_when_a_local_model_is_held_to_them(name: str) -> None:
    def work() -> None:
        try:
            bounded(SCHEMAS[name], Bounds())
        except UnsatisfiableSchema as error:
            assert len(str(error)) < 1000

    is_cheap(work)


def test_the_size_of_data_has_a_bound_that_can_be_set() -> None:
    tool = ToolDefinition(name='t', parameters_json_schema=holding({'type': 'string', 'minLength': 200_000}))
    model = TestModel()
    with pytest.raises(
        UserError, match='asks for more than 100000 characters, where an item or a property counts for 20'
    ):
        model.gen_tool_args(tool)
    model.max_data_size = 300_000  # type: ignore[misc]
    assert len(model.gen_tool_args(tool)['x']) == 200_000


# Texts in errors


@given(st.recursive(st.none() | st.integers() | st.text(max_size=5) | st.binary(max_size=3), lambda one: st.lists(one, max_size=3)
    | st.dictionaries(st.text(max_size=3), one, max_size=3) | st.tuples(one) | st.tuples(one, one), max_leaves=8))  # fmt: skip
def test_small_values_are_shown_as_they_are(value: Any) -> None:
    assert short_repr(value, 10_000) == repr(value)


def test_large_values_are_cut_at_no_cost() -> None:
    shared: Any = ['x']
    for _ in range(60):
        shared = [shared] * 9
    cycle: list[Any] = []
    cycle.append(cycle)
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    for value in (shared, cycle, nested, 'x' * 10**6, b'x' * 10**6, list(range(10**5)), {n: n for n in range(10**5)}):
        assert len(short_repr(value)) <= 500
        is_cheap(lambda value=value: short_repr(value))
    assert short_repr(10**10**5) == '<int of 332193 bits>'
    assert short('a' * 501) == 'a' * 375 + '... (501 characters) ...' + 'a' * 125
    assert json.dumps(short('a' * 500)) == json.dumps('a' * 500)


def test_a_name_that_a_model_made_up_is_repeated_shortly() -> None:
    name = 'x' * 100_000
    read: list[str] = []

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        read.extend(str(part.content) for part in messages[-1].parts if isinstance(part, RetryPromptPart))
        return ModelResponse(parts=[ToolCallPart(name)])

    with pytest.raises(UnexpectedModelBehavior) as caught:
        Agent(FunctionModel(answer)).run_sync('go')
    assert read
    assert all(text.startswith("Unknown tool name: 'xxx") and len(text) < 1000 for text in read)
    assert len(str(caught.value)) < 1000


def test_a_spec_with_thousands_of_mistakes_lists_some_of_them(tmp_path: Path) -> None:
    path = tmp_path / 'agent.yaml'
    for count in (30, 4_900):
        path.write_text('model: test\n' + ''.join(f'k{number}: 1\n' for number in range(count)))
        with Calls() as calls, pytest.raises(UserError) as caught:
            Agent.from_file(path)
        assert str(caught.value).count('\n') == 21
        assert str(caught.value).endswith('\n  and more')
        assert calls.all < 1_000 * (count + 1_000), 'the text is read twice, not for each mistake'


def test_a_template_that_cannot_be_read_is_shown_shortly() -> None:
    for source in ('{{#if a}}' * 20_000, '{{' * 50_000):
        with pytest.raises(UserError, match='cannot be parsed') as caught:
            TemplateStr(source)
        assert len(str(caught.value)) < 2_000
