"""Binary content from data URIs and from files."""

import tempfile
from pathlib import Path

from _common import attempt, fact
from pydantic_ai.messages import BinaryContent, BinaryImage

for uri in (
    'data:text/plain;base64,YWJj',
    'data:image/png;base64,YWJj',
    'data:;base64,YWJj',
    'data:text/plain;charset=utf-8;base64,YWJj',
    'data:a/b;base64,',
    'data:a/b;base64,%%%',
    'data:image/png;base64,YW Jj',
    'zz',
    '',
    'data:',
    'data:a/b,abc',
    'data:base64,YWJj',
    'DATA:a/b;base64,YWJj',
    'data:a/b;base64,YWJ',
):
    for cls in (BinaryContent, BinaryImage):
        fact(f'{cls.__name__} {uri}', attempt(lambda: repr(cls.from_data_uri(uri))))
folder = Path(tempfile.mkdtemp())
for name in (
    'a.png',
    'a.PNG',
    'a.txt',
    'a',
    'a.md',
    'a.docx',
    'a.mp3',
    'a.wav',
    'a.ogg',
    'a.json',
    '.png',
    'a.mkv',
    'a.yaml',
    'a b.png',
    'a?.png',
    'a#b.pdf',
    'a.tar.gz',
    'a.unknownending',
):
    (folder / name).write_bytes(b'abc')
    fact(name, [repr(BinaryContent.from_path(folder / name)), repr(BinaryContent.from_path(str(folder / name)))])
fact(
    'errors',
    [
        attempt(lambda: BinaryContent.from_path(folder)),
        attempt(lambda: BinaryContent.from_path(folder / 'none')),
        attempt(lambda: BinaryImage.from_path(folder / 'a.txt')),
    ],
)
for content in (
    BinaryContent(b'a', media_type='image/png', vendor_metadata={'a': 1}),
    BinaryImage(b'a', media_type='image/png'),
    BinaryContent(b'a', media_type='a/b'),
):
    narrowed = BinaryContent.narrow_type(content)
    fact('narrow', [repr(narrowed), narrowed is content])
