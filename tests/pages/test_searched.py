"""What people type into the search of the documentation leads to a page about it."""

from __future__ import annotations

from pathlib import Path

from scripts.docs.searched import SEARCHED_FOR

DOCS = Path(__file__).parents[2] / 'docs'


def test_each_word_leads_to_one_page_that_exists() -> None:
    assert [page for page in SEARCHED_FOR if not (DOCS / page).is_file()] == []
    words = [word for words in SEARCHED_FOR.values() for word in words]
    assert len(words) == len({*words})
    assert {'handoff', 'retry', 'deps'} <= {*words}


def test_every_picture_of_the_gallery_exists() -> None:
    gallery = (DOCS / 'examples.md').read_text(encoding='utf-8').split('class="gallery"')[1].split('</div>')[0]
    pictures = [part.split(')')[0] for part in gallery.split('](') if part.startswith('pictures/')]
    assert len(pictures) == 6
    assert all((DOCS / picture).is_file() for picture in pictures)
