"""The tool that reads pages: what it makes of them, and where it does not go. Against a server on this machine."""

from __future__ import annotations

import asyncio
import gzip
import http.server
import ipaddress
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from stead import ModelRetry
from stead._kit import ssrf
from stead.common_tools.web_fetch import web_fetch_tool
from stead.messages import BinaryContent

HTML = b"""<html><head><title> Mine &amp;
 yours </title><style>p {}</style></head><body><script>var a = 1</script><h1>Head</h1>
<p>Words <a href="/x">link</a></p><img src="a.png" alt="picture"></body></html>"""

PAGES: dict[str, tuple[str | None, bytes]] = {
    '/html': ('text/html; charset=utf-8', HTML),
    '/untyped': (None, b'<title>T</title><p>x</p>'),
    '/empty': ('text/html', b''),
    '/json': ('application/json', b'{"a": "\xc3\xa9"}'),
    '/broken.json': ('application/json', b'{"a": '),
    '/api': ('application/vnd.api+json', b'{"a": 1}'),
    '/xml': ('application/xml', b'<a>1</a>'),
    '/text': ('text/plain', b'plain \xc3\xa9'),
    '/latin': ('text/plain; charset=latin-1', b'\xe9'),
    '/strange': ('text/plain; charset=nobody-knows', b'plain'),
    '/png': ('image/png', b'\x89PNG'),
    '/long': ('text/plain', b'x' * 60_000),
}
REDIRECTS = {
    '/moved': '/text',
    '/loop': '/loop',
    '/away': 'http://localhost:{port}/echo',
    '/inside': 'http://10.0.0.1/',
    '/metadata': 'http://169.254.169.254/latest',
    '/file': 'file:///etc/passwd',
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.partition('?')[0]
        port = str(self.server.server_address[1])
        if path in REDIRECTS:
            self.answer(302, b'', Location=REDIRECTS[path].replace('{port}', port))
        elif path == '/echo':
            lines = [f'{name.lower()}: {value}' for name, value in self.headers.items()]
            self.answer(200, '\n'.join(lines).encode(), **{'Content-Type': 'text/plain'})
        elif path == '/bomb':
            self.answer(
                200, gzip.compress(b'x' * 3_000_000), **{'Content-Type': 'text/plain', 'Content-Encoding': 'gzip'}
            )
        elif path == '/slow':
            time.sleep(10)
            self.answer(200, b'')
        elif path in PAGES:
            kind, content = PAGES[path]
            self.answer(200, content, **({'Content-Type': kind} if kind else {}))
        else:
            self.answer(404, b'none')

    def answer(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, 'Content-Length': str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:  # the caller has read enough
            pass


@pytest.fixture(scope='module')
def site() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    yield f'http://127.0.0.1:{server.server_address[1]}'
    server.shutdown()
    server.server_close()
    thread.join(5)


def fetch(url: str, **options: Any) -> Any:
    tool = web_fetch_tool(**{'allow_local_urls': True, **options})
    return asyncio.run(tool.function(url))


def test_the_tool_is_described() -> None:
    definition = web_fetch_tool().tool_def
    assert definition.name == 'web_fetch'
    assert definition.parameters_json_schema['properties'] == {
        'url': {'description': 'The URL to fetch.', 'type': 'string'}
    }


def test_pages_become_markdown(site: str) -> None:
    pytest.importorskip('markdownify', reason='needs the extra `web-fetch`')
    page = fetch(f'{site}/html')
    assert (page['url'], page['title']) == (f'{site}/html', 'Mine & yours')
    assert 'Words [link](/x)' in page['content']
    assert 'Head\n====' in page['content']
    assert all(word not in page['content'] for word in ('var a', 'p {}', 'picture'))
    assert fetch(f'{site}/untyped') == {'url': f'{site}/untyped', 'title': 'T', 'content': 'T\n\nx'}
    assert fetch(f'{site}/empty')['content'] == ''


@pytest.mark.parametrize(
    ('path', 'content'),
    [
        ('/json', '```json\n{\n  "a": "é"\n}\n```'),
        ('/broken.json', '{"a": '),
        ('/api', '{"a": 1}'),
        ('/xml', '<a>1</a>'),
        ('/text', 'plain é'),
        ('/latin', 'é'),
        ('/strange', 'plain'),
        ('/moved', 'plain é'),
    ],
)
def test_text_stays_text(site: str, path: str, content: str) -> None:
    assert fetch(site + path) == {'url': site + path, 'title': '', 'content': content}


def test_files_stay_files(site: str) -> None:
    assert fetch(f'{site}/png') == BinaryContent(b'\x89PNG', media_type='image/png')


def test_long_pages_are_cut_and_larger_ones_refused(site: str) -> None:
    assert fetch(f'{site}/text', max_content_length=3)['content'] == 'pla\n\n[Content truncated]'
    assert len(fetch(f'{site}/long')['content']) == 50_000 + len('\n\n[Content truncated]')
    assert len(fetch(f'{site}/long', max_content_length=None)['content']) == 60_000
    assert fetch(f'{site}/text', max_download_bytes=8)['content'] == 'plain é'
    with pytest.raises(ModelRetry, match='larger than 7 bytes'):
        fetch(f'{site}/text', max_download_bytes=7)


def test_compressed_pages_are_measured_as_they_unfold(site: str) -> None:
    with pytest.raises(ModelRetry, match='larger than 1000000 bytes'):
        fetch(f'{site}/bomb', max_download_bytes=1_000_000)


@pytest.mark.parametrize(
    ('path', 'words'),
    [
        ('/none', '404 Not Found'),
        ('/loop', 'more than 10 redirects'),
        ('/file', 'Only http:// and https:// can be fetched'),
        ('/metadata', 'where clouds keep credentials'),
    ],
)
def test_failures_are_told_to_the_model(site: str, path: str, words: str) -> None:
    with pytest.raises(ModelRetry, match=f'Failed to fetch {site}{path}: .*{words}'):
        fetch(site + path)


def test_a_slow_server_is_given_up_after_the_timeout(site: str) -> None:
    with pytest.raises(ModelRetry, match='longer than 0.1 seconds'):
        fetch(f'{site}/slow', timeout=0.1)


@pytest.mark.parametrize(
    'url',
    [
        'http://127.0.0.1/',
        'http://localhost:1/',
        'http://[::1]/',
        'http://[::ffff:127.0.0.1]/',
        'http://[64:ff9b::a00:1]/',
        'http://10.0.0.1/',
        'http://2130706433/',
        'http://0.0.0.0/',
        'http://224.0.0.1/',
        'HTTP://192.168.0.1/',
    ],
)
def test_private_addresses_are_closed(url: str) -> None:
    with pytest.raises(ModelRetry, match='not a public address'):
        fetch(url, allow_local_urls=False)


@pytest.mark.parametrize('url', ['http://169.254.169.254/', 'http://100.100.100.200/', 'http://[fd00:ec2::254]/'])
def test_credentials_of_machines_are_closed_to_all(url: str) -> None:
    with pytest.raises(ModelRetry, match='where clouds keep credentials'):
        fetch(url)


@pytest.mark.parametrize('url', ['ftp://x/y', 'example', '', '//x/y', 'http://', 'http://[::1', 'http://x:y/'])
def test_what_is_no_link_is_refused(url: str) -> None:
    with pytest.raises(ModelRetry, match='Failed to fetch'):
        fetch(url)


def test_redirects_to_private_addresses_are_not_followed(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # As if this machine were public, so that only the target of the redirect is not.
    check = ssrf._addresses

    async def addresses(host: str, port: int, allow_local: bool) -> Any:
        return [ipaddress.ip_address(host)] if host == '127.0.0.1' else await check(host, port, allow_local)

    monkeypatch.setattr(ssrf, '_addresses', addresses)
    assert fetch(f'{site}/moved', allow_local_urls=False)['content'] == 'plain é'
    with pytest.raises(ModelRetry, match="'10.0.0.1' leads to 10.0.0.1, which is not a public address"):
        fetch(f'{site}/inside', allow_local_urls=False)


def test_names_that_change_their_address_do_not_get_around(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lookups: list[str] = []

    async def main() -> Any:
        loop = asyncio.get_running_loop()
        look_up = loop.getaddrinfo

        async def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
            lookups.append(host)
            return await look_up('127.0.0.1' if host == 'once.example' else host, *args, **options)

        monkeypatch.setattr(loop, 'getaddrinfo', getaddrinfo)
        port = site.rpartition(':')[2]
        tool = web_fetch_tool(allow_local_urls=True)
        return await tool.function(f'http://once.example:{port}/echo')

    page = asyncio.run(main())
    assert f'host: once.example:{site.rpartition(":")[2]}' in page['content']  # the server still hears the name
    assert lookups.count('once.example') == 1


def test_the_addresses_of_a_host_are_tried_in_turn(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of IPv6 come first where there may be no way to them."""
    nobody_there = '127.0.0.9'

    async def main() -> Any:
        loop = asyncio.get_running_loop()
        look_up = loop.getaddrinfo

        async def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
            if host != 'two.example':
                return await look_up(host, *args, **options)
            return [entry for one in (nobody_there, '127.0.0.1') for entry in await look_up(one, *args, **options)]

        monkeypatch.setattr(loop, 'getaddrinfo', getaddrinfo)
        port = site.rpartition(':')[2]
        return await web_fetch_tool(allow_local_urls=True).function(f'http://two.example:{port}/text')

    assert asyncio.run(main())['content'] == 'plain é'


def test_only_allowed_domains_are_fetched(site: str) -> None:
    named = site.replace('127.0.0.1', 'LOCALHOST')
    assert fetch(f'{named}/text', allowed_domains=['localhost'])['content'] == 'plain é'
    dotted = named.replace('LOCALHOST', 'localhost.')
    assert fetch(f'{dotted}/text', allowed_domains=['localhost'])['content'] == 'plain é'
    for url, options in (
        (f'{site}/text', {'allowed_domains': ['localhost']}),
        (f'{site}/text', {'allowed_domains': []}),
        (f'{site}/text', {'blocked_domains': ['127.0.0.1']}),
        (f'{named}/text', {'blocked_domains': ['localhost']}),
        (f'{dotted}/text', {'blocked_domains': ['localhost']}),
        (f'{site}/away', {'allowed_domains': ['127.0.0.1']}),
        (f'{site}/away', {'blocked_domains': ['Localhost']}),
    ):
        with pytest.raises(ModelRetry, match='The domain .* is (not allowed|blocked)'):
            fetch(url, **options)


def test_headers_stay_with_the_host_they_are_for(site: str) -> None:
    options = {'headers': {'Authorization': 'secret', 'X-Key': 'secret', 'User-Agent': 'me'}}
    here = fetch(f'{site}/echo', **options)['content']
    assert 'authorization: secret' in here
    assert 'x-key: secret' in here
    there = fetch(f'{site}/away', **options)['content']
    assert 'secret' not in there
    assert 'user-agent: me' in there


def test_markdown_is_asked_for(site: str) -> None:
    assert 'accept: text/markdown, text/html;q=0.9, */*;q=0.8' in fetch(f'{site}/echo')['content']


def test_the_extra_is_named_where_it_is_missing(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, 'markdownify', None)
    with pytest.raises(ImportError, match=r'stead\[web-fetch\]'):
        fetch(f'{site}/html')
    assert fetch(f'{site}/text')['content'] == 'plain é'
