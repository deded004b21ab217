"""Media types and formats of links and of uploaded files."""

from _common import attempt, fact
from pydantic_ai.messages import AudioUrl, DocumentUrl, ImageUrl, UploadedFile, VideoUrl

# Links with a query or a fragment are left out: what the reference makes of them depends on the version of Python.
URLS = [
    'https://x.com/a',
    'https://x.com/.pdf',
    'https://x.com/a.',
    '',
    'a.png',
    '/p/a.mp4',
    'https://x.com/a.pdf/',
    'data:image/png;base64,YWJj',
    'data:,abc',
    'gs://bucket/a.pdf',
    'HTTPS://X.COM/A.PNG',
    'https://x.com/a.pdf%20',
    'https://x.com/a.txt.gz',
    'https://x.com/a b.png',
    'https://x.com/dir.d/a',
]
for cls in (ImageUrl, VideoUrl, AudioUrl, DocumentUrl):
    for url in URLS:
        link = cls(url)
        fact(f'{cls.__name__} {url}', [attempt(lambda: link.media_type), attempt(lambda: link.format), link.identifier])
for url in (
    'https://youtu.be/x',
    'http://youtu.be/x',
    'https://youtu.be',
    'https://www.youtube.com/x.webm',
    'https://YOUTUBE.com/x',
    'https://m.youtube.com/x',
    'https://youtube.com.evil/',
    'youtube.com/x',
    'https://music.youtube.com/',
):
    video = VideoUrl(url)
    fact(url, [video.is_youtube, attempt(lambda: video.media_type), attempt(lambda: video.format)])
for file_id in (
    'f',
    '',
    'f.pdf',
    'https://x/f.mp4',
    's3://b/f.mp3',
    'f.docx?x=1',
    's3://b/a.md?owner=1',
    'f.pdf#page',
    'https://files.example/v1/abc',
    'a.unknownending',
):
    file = UploadedFile(file_id, 'bedrock')
    fact(f'file {file_id}', [file.media_type, attempt(lambda: file.format), file.identifier])
