"""Promises about addresses: what a link, a redirect, a name or a stored history can reach. No test connects to another machine."""

from __future__ import annotations

import asyncio
import http.server
import ipaddress
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from stead import ModelRetry
from stead._kit import ssrf
from stead._kit.addresses import CREDENTIAL_ADDRESSES, refusal
from stead.common_tools.web_fetch import web_fetch_tool
from stead.exceptions import UserError
from stead.messages import AudioUrl, DocumentUrl, ImageUrl, ModelMessagesTypeAdapter, VideoUrl
from stead.models import download_item

PUBLIC = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']
THIS_MACHINE_OR_NETWORK = (
    ['127.0.0.1', '127.255.0.1', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']
    + [
        '100.64.0.1',
        '100.127.255.255',
        '192.0.0.1',
        '192.0.0.9',
        '192.0.2.1',
        '192.88.99.1',
        '198.18.0.1',
        '198.51.100.1',
    ]
    + ['203.0.113.1', '224.0.0.1', '239.1.2.3', '240.0.0.1', '255.255.255.255']
    + ['::', '::1', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'feff::1', 'ff02::1', '100::1', '2001:db8::1', '2001:2::1']
    + ['3fff::1', '5f00::1', '64:ff9b:1::808:808', '4000::1', '1::1', '2001:10::1']
)
LINK_LOCAL = ['169.254.0.1', '169.254.1.2', '169.254.169.253', '169.254.255.255', 'fe80::1', 'febf::1']


def embeddings(address: str) -> dict[str, str]:
    """Return every IPv6 address that stands for an IPv4 address, by the name of the form."""
    number = int(ipaddress.IPv4Address(address))
    forms = {
        'mapped': 0xFFFF << 32 | number,
        'compatible': number,
        'translated': 0xFFFF << 48 | number,
        'nat64': 0x64_FF9B << 96 | number,
        '6to4': 0x2002 << 112 | number << 80 | 1,
        'teredo client': 0x2001_0000 << 96 | 0x0808_0808 << 64 | (number ^ 0xFFFF_FFFF),
        'teredo server': 0x2001_0000 << 96 | number << 64 | 0x1234,
        'isatap': 0x2A00_0001 << 96 | 0x5EFE << 32 | number,
        'isatap of a global address': 0x2A00_0001 << 96 | 0x0200_5EFE << 32 | number,
    }
    return {name: str(ipaddress.IPv6Address(form)) for name, form in forms.items()}


def translations(address: str) -> list[str]:
    """Return the IPv6 addresses that a NAT64 with a prefix of its own translates to an IPv4 address, by RFC 6052."""
    number = int(ipaddress.IPv4Address(address))
    prefix = int(ipaddress.IPv6Address('2a00:1111:2222:3333::')) >> 64
    found = [prefix << 64 | number]
    for length in (32, 40, 48, 56, 64):
        bits = f'{prefix:064b}'[:length] + f'{number:032b}'
        bits = bits.ljust(120, '0')
        found.append(int(f'{bits[:64]}{"0" * 8}{bits[64:]}', 2))
    return [str(ipaddress.IPv6Address(form)) for form in found]


def refused(address: str, allow_local: Any = False) -> str | None:
    return refusal(ipaddress.ip_address(address), allow_local)


@pytest.mark.parametrize('address', PUBLIC)
def test_public_addresses_are_open(address: str) -> None:
    assert refused(address) is None


@pytest.mark.parametrize('address', THIS_MACHINE_OR_NETWORK)
def test_addresses_that_are_not_public_are_closed_and_can_be_opened(address: str) -> None:
    assert refused(address) == 'which is not a public address'
    assert refused(address, True) is None


@pytest.mark.parametrize('address', LINK_LOCAL)
def test_link_local_addresses_need_a_permission_of_their_own(address: str) -> None:
    assert refused(address) == refused(address, True) == 'which is a link-local address'
    assert refused(address, 'link-local') is None


@pytest.mark.parametrize('form', embeddings('127.0.0.1'))
def test_no_form_of_an_address_hides_a_closed_one(form: str) -> None:
    for address in ('127.0.0.1', '10.1.2.3', '192.168.0.1', '100.64.0.1'):
        assert refused(embeddings(address)[form]) == 'which is not a public address', address
    # Some forms are link-local, or not public, themselves; they are closed either way.
    assert refused(embeddings('169.254.7.7')[form]) is not None
    assert refused(embeddings('169.254.7.7')[form], True) == 'which is a link-local address'
    for address in CREDENTIAL_ADDRESSES:
        if address.version == 4:
            for allow_local in (False, True, 'link-local'):
                assert 'credentials' in str(refused(embeddings(str(address))[form], allow_local)), address


@pytest.mark.parametrize('form', ['mapped', 'nat64'])
def test_forms_that_networks_use_are_open_for_public_addresses(form: str) -> None:
    assert refused(embeddings('8.8.8.8')[form]) is None


@pytest.mark.parametrize('address', sorted(map(str, CREDENTIAL_ADDRESSES)))
def test_credentials_of_clouds_are_closed_to_all(address: str) -> None:
    for allow_local in (False, True, 'link-local'):
        assert 'where clouds keep credentials' in str(refused(address, allow_local))
        if '.' in address:
            for translated in translations(address):
                assert 'where clouds keep credentials' in str(refused(translated, allow_local)), translated


def test_services_with_credentials_are_known() -> None:
    # AWS (machines, containers, pods), Azure, Google, Alibaba, Oracle, Tencent.
    known = ['169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16', '100.100.100.200', '192.0.0.192']
    known += ['169.254.0.23', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']
    assert {ipaddress.ip_address(address) for address in known} <= CREDENTIAL_ADDRESSES


def checked(host: str, allow_local: Any = False) -> Any:
    return asyncio.run(ssrf._addresses(host, 80, allow_local))


@pytest.mark.parametrize(
    'host', ['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '017700000001', 'localhost', '[', '::1', 'fe80::1%lo', '']
)
def test_spellings_of_this_machine_are_understood_or_unknown(host: str) -> None:
    with pytest.raises(ssrf.FetchError, match='not a public address|link-local|is not known'):
        checked(host)


def test_one_closed_address_closes_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async def getaddrinfo(host: str, port: int, **options: Any) -> Any:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, '', (one, port)) for one in ('8.8.8.8', '10.0.0.1')]

        monkeypatch.setattr(asyncio.get_running_loop(), 'getaddrinfo', getaddrinfo)
        await ssrf._addresses('two.example', 80, False)

    with pytest.raises(ssrf.FetchError, match=r"'two\.example' leads to 10\.0\.0\.1, which is not a public address\."):
        asyncio.run(main())


def test_a_name_without_addresses_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async def getaddrinfo(host: str, port: int, **options: Any) -> Any:
            return []

        monkeypatch.setattr(asyncio.get_running_loop(), 'getaddrinfo', getaddrinfo)
        await ssrf._addresses('none.example', 80, False)

    with pytest.raises(ssrf.FetchError, match=r"'none\.example' has no address"):
        asyncio.run(main())


def test_a_list_of_hosts_holds_for_other_spellings() -> None:
    blocked = web_fetch_tool(blocked_domains=['localhost'], allow_local_urls=True).function
    for host in ('LOCALHOST', 'localhost.', 'ｌｏｃａｌｈｏｓｔ', 'localhost。'):
        with pytest.raises(ModelRetry, match=r"The domain 'localhost' is blocked\."):
            asyncio.run(blocked(f'http://{host}:1/'))
    blocked = web_fetch_tool(blocked_domains=['127.0.0.1', '0:0::1'], allow_local_urls=True).function
    for host in ('2130706433', '0x7f.1', '127.1', '0177.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]'):
        with pytest.raises(ModelRetry, match=r"The domain '(127\.0\.0\.1|::1)' is blocked\."):
            asyncio.run(blocked(f'http://{host}:1/'))


# What goes over the wire, against a server on this machine that is known under several names.


class Handler(http.server.BaseHTTPRequestHandler):
    requests: list[tuple[str, str, str]]
    """The host, path and cookie of each request."""
    connections: list[object]

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.requests.append((self.headers['Host'].partition(':')[0], self.path, self.headers.get('Cookie', '')))
        self.connections.append(self.client_address)
        port = self.server.server_address[1]
        targets = {'/a': f'http://b.localhost:{port}/b', '/b': '/c', '/loop': '/loop'}
        self.send_response(302 if self.path in targets else 200)
        if self.path in targets:
            self.send_header('Location', targets[self.path])
        self.send_header('Set-Cookie', f'session=of-{self.path[1:]}')
        self.send_header('Content-Length', '2')
        self.end_headers()
        self.wfile.write(b'ok')

    protocol_version = 'HTTP/1.1'


@pytest.fixture
def port() -> Iterator[int]:
    Handler.requests, Handler.connections = [], []
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join(5)


def fetched(monkeypatch: pytest.MonkeyPatch, url: str, **options: Any) -> ssrf.Fetched:
    """Fetch from this machine, whatever the name."""

    async def main() -> ssrf.Fetched:
        loop = asyncio.get_running_loop()
        look_up = loop.getaddrinfo

        async def getaddrinfo(host: Any, *args: Any, **more: Any) -> Any:
            return await look_up('127.0.0.1', *args, **more)

        monkeypatch.setattr(loop, 'getaddrinfo', getaddrinfo)
        settings: dict[str, Any] = {'headers': {}, 'timeout': 10, 'max_bytes': 1000, 'allow_local': True, **options}
        return await ssrf.fetch(url, **settings)

    return asyncio.run(main())


def test_cookies_and_connections_stay_with_their_host(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    assert fetched(monkeypatch, f'http://a.localhost:{port}/a').content == b'ok'
    assert Handler.requests == [
        ('a.localhost', '/a', ''),
        ('b.localhost', '/b', ''),
        ('b.localhost', '/c', 'session=of-b'),
    ]
    assert len(set(Handler.connections)) == 3  # one that was opened for a host never serves another one


def test_redirects_have_a_bound_that_can_be_set(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    for options, most in (({}, 10), ({'max_redirects': 2}, 2), ({'max_redirects': 0}, 0)):
        Handler.requests.clear()
        with pytest.raises(ssrf.FetchError, match=f'There are more than {most} redirects'):
            fetched(monkeypatch, f'http://a.localhost:{port}/loop', **options)
        assert len(Handler.requests) == most + 1
    with pytest.raises(ModelRetry, match='more than 3 redirects'):
        asyncio.run(web_fetch_tool(allow_local_urls=True, max_redirects=3).function(f'http://127.0.0.1:{port}/loop'))


def test_errors_about_links_are_short() -> None:
    fetch = web_fetch_tool(blocked_domains=['no.example']).function
    for url in ('x' * 100_000, 'http://' + 'a' * 100_000, 'http://[' + 'a' * 10_000, 'y' * 10_000 + '://x'):
        with pytest.raises(ModelRetry) as caught:
            asyncio.run(fetch(url))
        assert len(str(caught.value)) < 2000


# Stored histories


def stored(kind: str, url: str) -> str:
    link = {'kind': kind, 'url': url, 'force_download': 'allow-local'}
    prompt = {'part_kind': 'user-prompt', 'content': [link]}
    result = {'part_kind': 'tool-return', 'tool_name': 't', 'tool_call_id': 'c', 'content': [{'nested': link}, link]}
    return json.dumps([{'kind': 'request', 'parts': [prompt, result]}])


@pytest.mark.parametrize('kind', [ImageUrl, AudioUrl, VideoUrl, DocumentUrl])
def test_no_stored_history_opens_local_addresses(kind: Any, port: int) -> None:
    url = f'http://127.0.0.1:{port}/a.pdf'
    text = stored(kind('x').kind, url)
    for messages in (
        ModelMessagesTypeAdapter.validate_json(text),
        ModelMessagesTypeAdapter.validate_python(json.loads(text)),
        ModelMessagesTypeAdapter.validate_json(text, context={'allow_local': 'yes'}),
        # Stored again by code that kept what it constructed.
        ModelMessagesTypeAdapter.validate_json(
            ModelMessagesTypeAdapter.dump_json(
                ModelMessagesTypeAdapter.validate_json(text, context={'allow_local': True})
            )
        ),
    ):
        assert 'allow-local' not in repr(messages[0].parts[0])
        link = messages[0].parts[0].content[0]
        with pytest.raises(UserError, match='which is not a public address'):
            asyncio.run(download_item(link))
    assert Handler.requests == []


def test_code_opens_local_addresses(port: int) -> None:
    url = f'http://127.0.0.1:{port}/a.pdf'
    trusted = ModelMessagesTypeAdapter.validate_json(stored('image-url', url), context={'allow_local': True})
    for link in (ImageUrl(url, force_download='allow-local'), trusted[0].parts[0].content[0]):
        assert asyncio.run(download_item(link, data_format='text'))['data'] == 'ok'
