"""Media types by the ending of a link, for each kind of link."""

from _common import attempt, fact
from pydantic_ai.messages import AudioUrl, DocumentUrl, ImageUrl, VideoUrl

ENDINGS = 'png JPG mp4 mp3 pdf docx txt md csv webp mkv flv wmv aac wav oga aiff flac html xlsx gif mov rtf doc json'
for kind in (ImageUrl, VideoUrl, AudioUrl, DocumentUrl):
    for ending in ENDINGS.split():
        url = kind(f'http://x/a.{ending}')
        fact(f'{kind.__name__} {ending}', [attempt(lambda: url.media_type), attempt(lambda: url.format)])
fact('none', attempt(lambda: ImageUrl('http://x/a').media_type))
fact('youtube', [VideoUrl('https://youtu.be/x').media_type, VideoUrl('https://www.youtube.com/watch?v=1').is_youtube])
