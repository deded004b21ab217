"""Binary content: formats of media types, identifiers, data URIs and equality."""

from _common import attempt, fact
from pydantic_ai.messages import BinaryContent, BinaryImage, ImageUrl

MEDIA_TYPES = (
    'audio/wav audio/mpeg video/mp4 application/pdf text/plain foo/bar audio/x-wav video/3gpp text/markdown '
    'image/svg+xml application/json'
)
for media_type in MEDIA_TYPES.split():
    content = BinaryContent(b'', media_type=media_type)
    fact(
        media_type,
        [attempt(lambda: content.format), content.is_audio, content.is_video, content.is_document, content.is_image],
    )
image = BinaryContent(b'abc', media_type='image/png')
fact(
    'image',
    [repr(image), image.identifier, image.data_uri, image.base64, type(BinaryContent.narrow_type(image)).__name__],
)
fact('uri', repr(BinaryContent.from_data_uri('data:text/plain;base64,YWJj')))
fact('equal', [ImageUrl('a') == ImageUrl('a', identifier='x'), image == BinaryImage(b'abc', media_type='image/png')])
fact(
    'identifiers',
    [
        ImageUrl('http://x/a.png').identifier,
        ImageUrl('a', identifier='q').identifier,
        ImageUrl('a', media_type='image/zz').media_type,
    ],
)
fact(
    'errors',
    [attempt(lambda: BinaryContent.from_data_uri('zz')), attempt(lambda: BinaryContent.from_path('/no/such/file'))],
)
