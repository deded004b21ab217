"""Links, bytes and uploaded files: their media types, formats, identifiers and checks."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stead.messages import (
    AudioUrl,
    BinaryContent,
    BinaryImage,
    CachePoint,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    TextContent,
    UploadedFile,
    UserContent,
    VideoUrl,
    is_multi_modal_content,
)

from ..loading import run_program

URLS = [ImageUrl, VideoUrl, AudioUrl, DocumentUrl]

ENDINGS = {
    'png': ('image/png', 'png'),
    'JPG': ('image/jpeg', 'jpeg'),
    'gif': ('image/gif', 'gif'),
    'webp': ('image/webp', 'webp'),
    'mp4': ('video/mp4', 'mp4'),
    'mov': ('video/quicktime', 'mov'),
    'mkv': ('video/x-matroska', 'mkv'),
    'flv': ('video/x-flv', 'flv'),
    'wmv': ('video/x-ms-wmv', 'wmv'),
    'three_gp': ('video/3gpp', 'three_gp'),
    'mpg': ('video/mpeg', 'mpeg'),
    'mp3': ('audio/mpeg', 'mp3'),
    'wav': ('audio/wav', 'wav'),
    'ogg': ('audio/ogg', 'oga'),
    'flac': ('audio/flac', 'flac'),
    'aiff': ('audio/aiff', 'aiff'),
    'aac': ('audio/aac', 'aac'),
    'pdf': ('application/pdf', 'pdf'),
    'txt': ('text/plain', 'txt'),
    'csv': ('text/csv', 'csv'),
    'htm': ('text/html', 'html'),
    'markdown': ('text/markdown', 'md'),
    'doc': ('application/msword', 'doc'),
    'docx': ('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'),
    'xls': ('application/vnd.ms-excel', 'xls'),
    'xlsx': ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'),
}
CLASS_OF = {'image': ImageUrl, 'video': VideoUrl, 'audio': AudioUrl, 'application': DocumentUrl, 'text': DocumentUrl}


@pytest.mark.parametrize('ending', ENDINGS)
def test_the_ending_says_media_type_and_format(ending: str, tmp_path: Path) -> None:
    media_type, format_ = ENDINGS[ending]
    link = CLASS_OF[media_type.split('/')[0]](f'https://example.com/dir/a.{ending}')
    assert (link.media_type, link.format) == (media_type, format_)
    assert UploadedFile(f'https://example.com/a.{ending}?key=1', 'openai').media_type == media_type
    file = tmp_path / f'a.{ending}'
    file.write_bytes(b'abc')
    content = BinaryContent.from_path(file)
    assert (content.data, content.media_type, content.format) == (b'abc', media_type, format_)
    assert isinstance(content, BinaryImage) is media_type.startswith('image/')


@pytest.mark.parametrize(
    ('url', 'media_type'),
    [
        ('https://example.com/a.png?size=1', 'image/png'),
        ('https://example.com/a.pdf#page=2', 'application/pdf'),
        ('https://example.com/a.mp3?as=.wav', 'audio/mpeg'),
        ('https://example.com?file=a.png', 'image/png'),
        ('https://example.com/get?as=1&from=http://example.org/dir/a.mp3', 'audio/mpeg'),
        ('https://example.com/get?file=a.png&size=1', None),
        ('https://example.com/get?file=a', None),
        ('https://example.com/get?file', None),
        ('https://example.mp4', None),
        ('http://[broken/a.png', None),
        ('https://example.com/a', None),
        ('https://example.com/', None),
        ('', None),
        ('a.yaml', 'application/yaml'),
        ('a.toml', 'application/toml'),
        ('a.txt.gz', 'text/plain'),
        ('data:image/gif;base64,AAAA', 'image/gif'),
        ('s3://bucket/key.mp4', 'video/mp4'),
    ],
)
@pytest.mark.parametrize('cls', URLS)
def test_what_a_link_hides_is_an_error_that_says_what_to_do(cls: Any, url: str, media_type: str | None) -> None:
    if media_type is not None:
        assert cls(url).media_type == media_type
        return
    with pytest.raises(ValueError, match=rf'{cls.__name__}\(.*media_type='):
        cls(url).media_type  # noqa: B018
    assert cls(url, media_type='x/y').media_type == 'x/y'


@pytest.mark.parametrize(
    ('cls', 'error'), [(ImageUrl, KeyError), (VideoUrl, KeyError), (AudioUrl, KeyError), (DocumentUrl, ValueError)]
)
def test_media_types_without_a_format(cls: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match='not a media type of an? '):
        cls('u', media_type='x/y').format  # noqa: B018
    for other in (BinaryContent(b'', media_type='x/y'), UploadedFile('f', 'openai')):
        with pytest.raises(ValueError, match='format'):
            other.format  # noqa: B018


@pytest.mark.parametrize(
    ('url', 'youtube'),
    [
        ('https://youtu.be/x', True),
        ('http://www.youtube.com/watch?v=1', True),
        ('https://YOUTUBE.com/x.webm', True),
        ('https://m.youtube.com/x', False),
        ('https://youtube.com.evil.example/x', False),
        ('https://example.com/?u=https://youtu.be/x', False),
        ('http://[broken', False),
    ],
)
def test_youtube_is_told_by_the_host(url: str, youtube: bool) -> None:
    video = VideoUrl(url)
    assert video.is_youtube is youtube
    if youtube:
        assert video.media_type == 'video/mp4'


def test_identifiers_come_from_the_content_unless_given() -> None:
    assert ImageUrl('https://example.com/a.png').identifier == ImageUrl('https://example.com/a.png').identifier
    assert len(ImageUrl('u').identifier) == 6
    assert BinaryContent(b'abc', media_type='a/b').identifier == 'a9993e'
    assert BinaryContent(b'abc', media_type='a/b', identifier='mine').identifier == 'mine'
    assert UploadedFile('f', 'openai').identifier == '4a0a19'
    assert ImageUrl('u', identifier='').identifier == ImageUrl('u').identifier


def test_equality_is_of_the_content() -> None:
    assert ImageUrl('u', media_type='a/b', identifier='x') == ImageUrl('u')
    assert ImageUrl('u') != ImageUrl('v')
    assert ImageUrl('u') != VideoUrl('u')
    assert BinaryContent(b'a', media_type='image/png') != BinaryImage(b'a', media_type='image/png')
    with pytest.raises(TypeError):
        hash(ImageUrl('u'))


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        (ImageUrl('u'), "ImageUrl(url='u')"),
        (
            ImageUrl('u', media_type='a/b', identifier='i', force_download='allow-local', vendor_metadata={}),
            "ImageUrl(url='u', force_download='allow-local', vendor_metadata={}, _media_type='a/b', _identifier='i')",
        ),
        (BinaryContent(b'a', media_type='a/b'), "BinaryContent(data=b'a', media_type='a/b')"),
        (UploadedFile('f', 'openai'), "UploadedFile(file_id='f', provider_name='openai')"),
        (TextContent('t', metadata=1), "TextContent(content='t', metadata=1)"),
        (CachePoint(), "CachePoint(kind='cache-point', ttl='5m')"),
    ],
)
def test_repr_leaves_out_defaults(value: Any, text: str) -> None:
    assert repr(value) == text


@pytest.mark.parametrize(
    'make',
    [
        lambda: ImageUrl(1),  # type: ignore[arg-type]
        lambda: ImageUrl(),  # type: ignore[call-arg]
        lambda: ImageUrl('u', force_download='maybe'),  # type: ignore[arg-type]
        lambda: ImageUrl('u', kind='video-url'),  # type: ignore[arg-type]
        lambda: BinaryContent(b'a'),  # type: ignore[call-arg]
        lambda: BinaryContent(1, media_type='a/b'),  # type: ignore[arg-type]
        lambda: BinaryImage(b'a', media_type='text/plain'),
        lambda: UploadedFile('f', 'nobody'),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_are_found_at_once(make: Any) -> None:
    with pytest.raises(ValidationError):
        make()


def test_links_are_abstract() -> None:
    with pytest.raises(TypeError):
        FileUrl('u')  # type: ignore[abstract]


@pytest.mark.parametrize(
    'value',
    [
        ImageUrl('u', media_type='a/b', identifier='i'),
        BinaryContent(b'a', media_type='a/b', identifier='i'),
        BinaryImage(b'a', media_type='image/png', identifier='i'),
        UploadedFile('f', 'openai', media_type='a/b', identifier='i'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_copies_keep_everything(value: Any) -> None:
    for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), dataclasses.replace(value)):
        assert twin == value
        assert (type(twin), twin.identifier, twin.media_type) == (type(value), value.identifier, value.media_type)


@pytest.mark.parametrize(
    ('uri', 'expected'),
    [
        ('data:text/plain;base64,YWJj', BinaryContent(b'abc', media_type='text/plain')),
        ('data:text/plain;charset=utf-8;base64,YWJj', BinaryContent(b'abc', media_type='text/plain;charset=utf-8')),
        ('data:image/png;base64,YWJj', BinaryImage(b'abc', media_type='image/png')),
        ('data:a/b;base64,', BinaryContent(b'', media_type='a/b')),
    ],
)
def test_data_uris_are_read_and_written(uri: str, expected: BinaryContent) -> None:
    assert BinaryContent.from_data_uri(uri) == expected
    assert expected.data_uri == uri


@pytest.mark.parametrize('uri', ['', 'abc', 'data:', 'a:text/plain,abc', 'data:a/b;base64,Y'])
def test_no_data_uris(uri: str) -> None:
    with pytest.raises(ValueError):
        BinaryContent.from_data_uri(uri)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        BinaryContent.from_path(tmp_path / 'none.png')
    with pytest.raises(OSError):
        BinaryContent.from_path(tmp_path)
    (tmp_path / 'a.txt').write_text('x')
    with pytest.raises(ValueError, match='image/'):
        BinaryImage.from_path(tmp_path / 'a.txt')
    (tmp_path / 'unknown').write_bytes(b'')
    assert BinaryContent.from_path(str(tmp_path / 'unknown')).media_type == 'application/octet-stream'


def test_bytes_are_not_copied() -> None:
    data = b'x' * 1000
    assert BinaryContent(data, media_type='a/b').data is data


@pytest.mark.parametrize(
    ('media_type', 'kinds'),
    [
        ('audio/x-wav', ['is_audio']),
        ('video/avi', ['is_video']),
        ('image/svg+xml', ['is_image']),
        ('text/html', ['is_document']),
        ('application/json', []),
    ],
)
def test_kinds_of_bytes(media_type: str, kinds: list[str]) -> None:
    content = BinaryContent(b'', media_type=media_type)
    names = ['is_audio', 'is_video', 'is_image', 'is_document']
    assert [name for name in names if getattr(content, name)] == kinds
    assert isinstance(BinaryContent.narrow_type(content), BinaryImage) is ('is_image' in kinds)


def test_json_has_the_properties_and_reads_them_back() -> None:
    adapter: TypeAdapter[list[UserContent]] = TypeAdapter(list[UserContent])
    items: list[Any] = [
        'text',
        TextContent('t', metadata={'a': 1}),
        ImageUrl('https://example.com/a.png'),
        BinaryContent(b'\xff\xfe\xfb', media_type='a/b', identifier='i'),
        UploadedFile('f', 'openai'),
        CachePoint(ttl='1h'),
    ]
    dumped = adapter.dump_python(items, mode='json')
    assert dumped[2] == {
        'url': 'https://example.com/a.png',
        'force_download': False,
        'vendor_metadata': None,
        'kind': 'image-url',
        'media_type': 'image/png',
        'identifier': ImageUrl('https://example.com/a.png').identifier,
    }
    assert (dumped[3]['data'], dumped[3]['identifier']) == ('__77', 'i')
    assert adapter.validate_python(dumped) == items
    # Histories that were written by hand may have the usual alphabet of base64.
    assert adapter.validate_json('[{"kind":"binary","data":"//77","media_type":"a/b"}]') == [items[3]]


@pytest.mark.parametrize(
    'json',
    [
        '[{"url":"u"}]',
        '[{"kind":5}]',
        '[5]',
        '[{"kind":"binary","data":"%%","media_type":"a/b"}]',
        '[{"kind":"cache-point","ttl":"9h"}]',
    ],
)
def test_wrong_json_is_refused(json: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(list[UserContent]).validate_json(json)


def test_what_is_multi_modal() -> None:
    assert is_multi_modal_content(ImageUrl('u'))
    assert is_multi_modal_content(BinaryImage(b'', media_type='image/png'))
    assert is_multi_modal_content(UploadedFile('f', 'openai'))
    for other in ('text', TextContent('t'), CachePoint(), {'kind': 'image-url'}, None):
        assert not is_multi_modal_content(other)


@pytest.mark.parametrize('kind', [*URLS, BinaryContent, BinaryImage, UploadedFile], ids=lambda kind: kind.__name__)
def test_models_read_one_line_about_media(kind: type) -> None:
    description = TypeAdapter(kind).json_schema()['description']
    assert description and '\n' not in description


FIRST_USE = """
import pickle, sys, threading
from pydantic import TypeAdapter
from stead.messages import BinaryContent, ImageUrl, UploadedFile, UserContent

sys.setswitchinterval(1e-6)
ready = threading.Barrier(8)
outcomes = []

def use(number):
    ready.wait()
    if number % 2:
        data = [{'kind': 'image-url', 'url': 'a.png'}, {'kind': 'binary', 'data': b'a', 'media_type': 'image/png'}]
        link, content = TypeAdapter(list[UserContent]).validate_python(data)
    else:
        link, content = ImageUrl('a.png'), BinaryContent(b'a', media_type='image/png')
    loaded = TypeAdapter(object).dump_python([link, content, UploadedFile('f', 'openai')], mode='json')
    outcomes.append((link.media_type, content.format, loaded))

threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(outcomes) == 8 and all(each == outcomes[0] for each in outcomes), outcomes
"""


def test_threads_may_use_media_first_at_the_same_time() -> None:
    assert run_program(FIRST_USE).stderr == ''
