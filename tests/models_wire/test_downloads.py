"""Links that are downloaded for a provider: what they may lead to, and how much they may be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Reply, Wire

from stead import ImageUrl
from stead._kit import http
from stead.exceptions import UserError
from stead.messages import VideoUrl
from stead.models import download_item

httpx = pytest.importorskip('httpx', reason='downloads need httpx')


def get(url: str, *, allow: bool = True, **form: Any) -> Any:
    return asyncio.run(download_item(ImageUrl(url, force_download='allow-local' if allow else True), **form))


def reply(content: bytes, status: int = 200, **headers: str) -> Reply:
    return Reply(status, headers, [content], 'image/webp; q=1')


@pytest.mark.parametrize(
    ('form', 'data', 'kind'),
    [
        ({}, b'abc', 'image/webp'),
        ({'data_format': 'base64'}, 'YWJj', 'image/webp'),
        ({'data_format': 'base64_uri', 'type_format': 'extension'}, 'data:image/webp;base64,YWJj', 'png'),
        ({'data_format': 'text'}, 'abc', 'image/webp'),
    ],
)
def test_the_form_of_a_download(form: dict[str, Any], data: Any, kind: str) -> None:
    with Wire(reply(b'abc')) as wire:
        assert get(f'{wire.url}/a.png', **form) == {'data': data, 'data_type': kind}


@pytest.mark.parametrize(
    'host', ['127.0.0.1', 'localhost', '10.0.0.1', '[::1]', '169.254.169.254', '[::ffff:10.0.0.1]']
)
def test_addresses_that_are_not_public(host: str) -> None:
    with pytest.raises(UserError, match='not a public address|credentials'):
        get(f'http://{host}/a.png', allow=False)


def test_credentials_of_clouds_are_closed_to_all() -> None:
    with pytest.raises(UserError, match='credentials'):
        get('http://169.254.169.254/a.png')


def test_a_redirect_to_the_credentials_of_a_cloud() -> None:
    with Wire(reply(b'', 302, location='http://169.254.169.254/latest')) as wire:
        with pytest.raises(UserError, match='credentials'):
            get(f'{wire.url}/a.png')


def test_redirects_are_followed_but_not_for_ever() -> None:
    with Wire(reply(b'', 302, location='/b.png'), reply(b'abc')) as wire:
        assert get(f'{wire.url}/a.png')['data'] == b'abc'
        assert [request.path for request in wire.requests] == ['/a.png', '/b.png']
        wire.expect(reply(b'', 302, location='/a.png'))
        with pytest.raises(UserError, match='redirects'):
            get(f'{wire.url}/a.png')


def test_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, 'MAX_BYTES', 10)
    with Wire(reply(b'x' * 11)) as wire:
        with pytest.raises(UserError, match='larger than 10 bytes'):
            get(f'{wire.url}/a.png')


def test_a_file_that_is_not_there() -> None:
    with Wire(reply(b'', 404)) as wire:
        with pytest.raises(httpx.HTTPStatusError, match='404'):
            get(f'{wire.url}/a.png')


@pytest.mark.parametrize('url', ['gs://bucket/a.mp4', 'https://youtube.com/watch?v=1', 'ftp://host/a.mp4', 'http:///a'])
def test_links_that_cannot_be_downloaded(url: str) -> None:
    with pytest.raises(UserError) as caught:
        asyncio.run(download_item(VideoUrl(url, force_download='allow-local', media_type='video/mp4')))
    assert isinstance(caught.value, ValueError)
