"""What programs import from here and OpenAI's SDK has: values for arguments that are left out, adapters for annotations.

Programs read with the adapters what `openai_include_raw_annotations` leaves in `provider_details`. They are made when one
of them is used: to build an adapter takes longer than a request.
"""

from __future__ import annotations

from openai import NOT_GIVEN, Omit
from openai.types.chat.chat_completion_message import Annotation as ChatAnnotation
from openai.types.responses.response_output_text import Annotation as TextAnnotation
from pydantic import TypeAdapter

OMIT = Omit()
chat_annotation_ta: TypeAdapter[ChatAnnotation] = TypeAdapter(ChatAnnotation)
"""Reads one annotation of a message of chat completions."""
chat_annotations_ta: TypeAdapter[list[ChatAnnotation]] = TypeAdapter(list[ChatAnnotation])
"""Reads all annotations of a message of chat completions."""
responses_output_text_annotation_ta: TypeAdapter[TextAnnotation] = TypeAdapter(TextAnnotation)
"""Reads one annotation of a text of the Responses API."""
responses_output_text_annotations_ta: TypeAdapter[list[TextAnnotation]] = TypeAdapter(list[TextAnnotation])
"""Reads all annotations of a text of the Responses API."""


__all__ = (
    'NOT_GIVEN',
    'OMIT',
    'chat_annotation_ta',
    'chat_annotations_ta',
    'responses_output_text_annotation_ta',
    'responses_output_text_annotations_ta',
)
