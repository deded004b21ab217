"""Which arguments the types of content take; copies, pickles, and their JSON schemas."""

import copy
import dataclasses
import pickle

from _common import attempt, fact
from pydantic import TypeAdapter
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    BinaryImage,
    CachePoint,
    DocumentUrl,
    FilePart,
    FileUrl,
    ImageUrl,
    TextContent,
    TextPartDelta,
    ToolCallPart,
    ToolReturn,
    UploadedFile,
    VideoUrl,
)

CONSTRUCTORS = [
    lambda: ImageUrl('u', media_type='a/b', identifier='i'),
    lambda: ImageUrl('u', media_type='', identifier=''),
    lambda: VideoUrl('u', force_download='allow-local'),
    lambda: AudioUrl(url='u', vendor_metadata={}),
    lambda: DocumentUrl('u', kind='document-url'),
    lambda: ImageUrl(1),
    lambda: ImageUrl(),
    lambda: ImageUrl('u', 'v'),
    lambda: ImageUrl('u', force_download='no'),
    lambda: ImageUrl('u', vendor_metadata=3),
    lambda: ImageUrl('u', kind='video-url'),
    lambda: FileUrl('u'),
    lambda: BinaryContent(b'a'),
    lambda: BinaryContent(1, media_type='a/b'),
    lambda: BinaryContent('YWJj', media_type='a/b'),
    lambda: BinaryContent(bytearray(b'a'), media_type='a/b'),
    lambda: BinaryContent(b'a', media_type=1),
    lambda: BinaryContent(b'a', media_type='a/b', kind='x'),
    lambda: BinaryImage(b'a'),
    lambda: BinaryImage(b'a', media_type='a/b'),
    lambda: BinaryImage(b'a', media_type='image/any', identifier='i'),
    lambda: UploadedFile('f', 'nobody'),
    lambda: UploadedFile(1, 'openai'),
    lambda: UploadedFile('f'),
    lambda: UploadedFile('f', 'xai', media_type='a/b', identifier='i'),
    lambda: TextContent(1),
    lambda: CachePoint(ttl='9h'),
    lambda: CachePoint('cache-point', '1h'),
    lambda: ToolReturn[int]('x'),
]
for number, make in enumerate(CONSTRUCTORS):
    fact(number, attempt(lambda: repr(make())))
for value in (
    ImageUrl('u', media_type='a/b', identifier='i'),
    BinaryImage(b'a', media_type='image/png', identifier='i'),
    UploadedFile('f', 'openai', identifier='i'),
):
    fact(
        type(value).__name__,
        [
            repr(copy.copy(value)),
            repr(copy.deepcopy(value)),
            repr(pickle.loads(pickle.dumps(value))),
            dataclasses.asdict(value),
            attempt(lambda: hash(value)),
        ],
    )


def bare(schema):
    if isinstance(schema, dict):
        return {
            key: bare(value) for key, value in schema.items() if not (key == 'description' and isinstance(value, str))
        }
    return [bare(value) for value in schema] if isinstance(schema, list) else schema


for cls in (ImageUrl, BinaryContent, UploadedFile, TextContent, CachePoint, FilePart, ToolCallPart, TextPartDelta):
    for mode in ('validation', 'serialization'):
        fact(f'{cls.__name__} {mode}', bare(TypeAdapter(cls).json_schema(mode=mode)))
