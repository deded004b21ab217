"""What vendors say about the sources of a text, as citations of stead. No I/O.

A source that has neither an address nor anything else to say is left out; vendors whose own form must be sent back keep that
form beside this one.
"""

from __future__ import annotations

from collections.abc import Iterable

from .._kit.json_types import JsonObject, as_dict
from ..messages import (
    Citation,
    CitationSource,
    ContentCitationAnchor,
    DocumentCitationSource,
    MarkerCitationAnchor,
    WebCitationSource,
)


def cited_passages(notes: Iterable[object], length: int) -> list[Citation] | None:
    """Return the citation of a text that is supported as a whole, as Anthropic has it; `None` without sources.

    Args:
        notes: What the vendor says, an object for each passage.
        length: The length of the text.
    """
    sources = [source for note in notes if (source := _passage(as_dict(note))) is not None]
    if not sources:
        return None
    return [Citation(sources, anchor=ContentCitationAnchor(start=0, end=length) if length else None)]


def cited_marks(notes: Iterable[object]) -> tuple[JsonObject | None, list[Citation] | None]:
    """Return the provider details and the citations of a text with marks that stand for the sources, as OpenAI has it.

    Both are `None` without sources.
    """
    citations, own = list[Citation](), list[JsonObject]()
    for note in map(as_dict, notes):
        place = as_dict(note.get('url_citation')) or note  # chat completions put the fields one level deeper
        if (source := _marked(place)) is not None:
            citations.append(Citation([source], anchor=_mark(place.get('start_index'), place.get('end_index'))))
            own.append(note)
    return ({'citations': own}, citations) if citations else (None, None)


def _passage(note: JsonObject) -> CitationSource | None:
    kind, url, excerpt = str(note.get('type')), _text(note.get('url')), _text(note.get('cited_text'))
    excerpts = [excerpt] if excerpt else []
    if kind == 'web_search_result_location':
        return WebCitationSource(url, title=_text(note.get('title')), excerpts=excerpts) if url else None
    if kind == 'search_result_location':
        return None
    return _document(_text(note.get('file_id')), _text(note.get('document_title')), excerpts)


def _marked(note: JsonObject) -> CitationSource | None:
    if url := _text(note.get('url')):
        return WebCitationSource(url, title=_text(note.get('title')))
    return _document(_text(note.get('file_id')), _text(note.get('filename')), [])


def _document(document_id: str | None, title: str | None, excerpts: list[str]) -> CitationSource | None:
    if document_id is None and title is None and not excerpts:
        return None
    return DocumentCitationSource(document_id=document_id, title=title, excerpts=excerpts)


def _mark(start: object, end: object) -> MarkerCitationAnchor | None:
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
        return MarkerCitationAnchor(start=start, end=end)
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
