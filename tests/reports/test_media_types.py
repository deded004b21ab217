"""Media types have parameters, capitals and other names: every vendor is sent the one that it knows."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from _wire import Wire
from kit import ANSWERS, BOTH_WAYS

from stead import Agent, BinaryContent, ImageUrl, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserError

VENDORS = [vendor for vendor in BOTH_WAYS if vendor != 'outlines']
each_vendor = pytest.mark.parametrize('vendor', VENDORS)


def sent_to(vendor: str, *content: Any, history: Any = None) -> str:
    with Wire(ANSWERS[vendor.partition(',')[0]]('hello')) as wire:
        asyncio.run(Agent(BOTH_WAYS[vendor](wire)).run([*content] or None, message_history=history))
        return json.dumps(wire.bodies[0], ensure_ascii=False)


@each_vendor
@pytest.mark.parametrize('media_type', ['image/jpg', 'IMAGE/JPEG', 'image/jpeg; x=1', ' image/pjpeg '])
def test_an_image_is_sent_with_the_type_that_vendors_know(vendor: str, media_type: str) -> None:
    image = BinaryContent(b'image', media_type=media_type)
    assert image.is_image and image.format == 'jpeg'
    assert sent_to(vendor, 'see', image) == sent_to(vendor, 'see', BinaryContent(b'image', media_type='image/jpeg'))
    assert image.media_type == media_type  # the message is as it was


@pytest.mark.parametrize('vendor', ['openai-responses', 'anthropic', 'google'])
def test_an_image_in_a_result_is_sent_with_the_type_that_vendors_know(vendor: str) -> None:
    def history(media_type: str) -> Any:
        image = BinaryContent(b'image', media_type=media_type)
        return [
            ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id='c1')]),
            ModelRequest(parts=[ToolReturnPart('t', ['see', image], tool_call_id='c1')]),
        ]

    assert sent_to(vendor, history=history('IMAGE/JPG; x=1')) == sent_to(vendor, history=history('image/jpeg'))


TEXTS = ['text/plain', 'text/csv', 'TEXT/CSV', 'text/plain; charset=utf-8', 'text/markdown', 'application/json']
TEXTS += ['application/xml', 'application/yaml', 'application/x-yaml', 'text/html', 'text/x-python', 'application/sql']
TEXTS += [
    'application/javascript',
    'application/toml',
    'application/x-ndjson',
    'application/vnd.a+json',
    'application/csv',
]


@each_vendor
@pytest.mark.parametrize('media_type', TEXTS)
def test_a_file_that_is_text_can_be_read_by_every_model(vendor: str, media_type: str) -> None:
    text = 'größe,1'
    sent = sent_to(vendor, 'see', BinaryContent(text.encode(), media_type=media_type))
    assert text in sent or base64.b64encode(text.encode()).decode() in sent


def test_a_text_in_another_encoding_is_sent_as_unicode() -> None:
    content = BinaryContent('größe'.encode('latin-1'), media_type='text/plain; charset="ISO-8859-1"')
    assert 'größe' in sent_to('openai', content)
    assert 'größe' in sent_to('anthropic', content)


def test_a_file_that_a_vendor_does_not_take_is_refused_by_its_type() -> None:
    with pytest.raises(UserError, match="does not support 'application/zip'"):
        sent_to('anthropic', BinaryContent(b'x', media_type='application/ZIP'))


@pytest.mark.parametrize(
    ('name', 'media_type'),
    [('a.PNG', 'image/png'), ('b.JPEG', 'image/jpeg'), ('d.md', 'text/markdown'), ('e.Csv', 'text/csv')]
    + [('g.unknownext', 'application/octet-stream'), ('h', 'application/octet-stream')],
)
def test_the_suffix_of_a_file_says_its_type_in_capitals_too(tmp_path: Path, name: str, media_type: str) -> None:
    (tmp_path / name).write_bytes(b'x')
    assert BinaryContent.from_path(tmp_path / name).media_type == media_type


def test_the_type_of_a_link_is_that_of_its_path() -> None:
    assert ImageUrl('https://a.example/x.JPG?sig=1.png').media_type == 'image/jpeg'
    assert ImageUrl('https://a.example/x.png#part').media_type == 'image/png'


@pytest.mark.parametrize(
    ('uri', 'data', 'media_type'),
    [
        ('data:text/plain,hello%20world', b'hello world', 'text/plain'),
        ('data:text/plain;charset=utf-8;base64,aGk=', b'hi', 'text/plain;charset=utf-8'),
        ('data:,x', b'x', 'text/plain'),
        ('data:;charset=utf-8,x', b'x', 'text/plain;charset=utf-8'),
        ('data:image/png;base64,aGk', b'hi', 'image/png'),
        ('data:image/png;base64,-_-_', b'\xfb\xff\xbf', 'image/png'),
        ('data:image/png;base64,aG%6B=\n', b'hi', 'image/png'),
        ('DATA:image/png;BASE64,aGk=', b'hi', 'image/png'),
        ('data:text/plain;base64,', b'', 'text/plain'),
    ],
)
def test_a_data_uri_of_any_form_is_read(uri: str, data: bytes, media_type: str) -> None:
    content = BinaryContent.from_data_uri(uri)
    assert (content.data, content.media_type) == (data, media_type)


@pytest.mark.parametrize(
    'uri', ['image/png;base64,aGk=', 'data:image/png;base64', 'data:image/png;base64,a', 'data:;base64,!']
)
def test_what_is_not_a_data_uri_is_refused(uri: str) -> None:
    with pytest.raises(ValueError, match='is not'):
        BinaryContent.from_data_uri(uri)


@each_vendor
def test_a_drawing_that_is_text_is_sent_as_text(vendor: str) -> None:
    body = sent_to(vendor, 'see', BinaryContent(b'<svg/>', media_type='image/svg+xml'))
    assert '<svg/>' in body or base64.urlsafe_b64encode(b'<svg/>').decode() in body or 'PHN2Zy8+' in body
    if vendor == 'bedrock':
        assert '"format": "txt"' in body
    assert 'image/svg+xml;base64' not in body and '"mime_type": "image/svg+xml"' not in body
    assert '"mimeType": "image/svg+xml"' not in body


@pytest.mark.parametrize('media_type', ['application/octet-stream', 'application/zip', ''])
def test_a_file_that_responses_do_not_take_is_a_mistake_of_the_program(media_type: str) -> None:
    with pytest.raises(UserError, match='The Responses API takes no'):
        sent_to('openai-responses', 'see', BinaryContent(b'x', media_type=media_type))


@each_vendor
@pytest.mark.parametrize('media_type', ['', ';x=1', 'image', '*/*'])
def test_a_file_without_a_media_type_is_a_mistake_of_the_program(vendor: str, media_type: str) -> None:
    with pytest.raises(UserError, match='takes? no|support|not take'):
        sent_to(vendor, 'see', BinaryContent(b'x', media_type=media_type))
