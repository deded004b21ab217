"""What is read from docstrings of every style: the description, what parameters mean, what is returned."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field

from stead import Tool, UserError
from stead._kit.docstrings import doc_descriptions, parse_docstring

GOOGLE = """Do it.

    More about it.

    Args:
        a: The a.
        b (str, optional): The b,
            which goes on.
"""
NUMPY = """Do it.

    More about it.

    Parameters
    ----------
    a : int
        The a.
    b
        The b,
        which goes on.
"""
SPHINX = """Do it.

    More about it.

    :param a: The a.
    :param str b: The b,
        which goes on.
"""


def documented(docstring: str | None) -> Callable[..., Any]:
    def function(a: int, b: str = 'x') -> str: ...

    function.__doc__ = docstring
    return function


def read(docstring: str | None, **options: Any) -> tuple[str | None, list[str | None]]:
    tool = Tool(documented(docstring), **options)
    properties = tool.tool_def.parameters_json_schema['properties'].values()
    return tool.description, [item.get('description') for item in properties]


@pytest.mark.parametrize(('style', 'docstring'), [('google', GOOGLE), ('numpy', NUMPY), ('sphinx', SPHINX)])
def test_docstrings_of_every_style_are_read(style: Any, docstring: str):
    description, (a, b) = read(docstring)
    assert (description, a) == ('Do it.\n\nMore about it.', 'The a.')
    assert b is not None and b.split() == 'The b, which goes on.'.split()
    assert read(docstring, docstring_format=style) == (description, [a, b])


@pytest.mark.parametrize(
    ('style', 'other'), [('google', NUMPY), ('numpy', GOOGLE), ('sphinx', GOOGLE), ('google', SPHINX)]
)
def test_a_style_that_is_asked_for_is_not_guessed(style: Any, other: str):
    assert read(other, docstring_format=style)[1] == [None, None]


@pytest.mark.parametrize(
    ('docstring', 'description'),
    [
        (None, None),
        ('', ''),
        ('Do it.', 'Do it.'),
        ('  \n Do it.  \n', 'Do it.'),
        ('Do it: now.', 'Do it: now.'),
        ('Do it:\n\n- one\n- two\n', 'Do it:\n\n- one\n- two'),
        ('Do it --- now.', 'Do it --- now.'),
        ('Do it.\n\n        Indented.\n    ', 'Do it.\n\nIndented.'),
    ],
)
def test_docstrings_without_sections(docstring: str | None, description: str | None):
    assert read(docstring) == (description, [None, None])


@pytest.mark.parametrize(
    ('docstring', 'lines'),
    [
        ('Do it.\n\nReturns:\n    What comes out.', ['<description>What comes out.</description>']),
        (
            'Do it.\n\nReturns:\n    str: What comes out.',
            ['<type>str</type>', '<description>What comes out.</description>'],
        ),
        (
            'Do it.\n\nReturns\n-------\nstr\n    What comes out.',
            ['<type>str</type>', '<description>What comes out.</description>'],
        ),
        (
            'Do it.\n\n:returns: What comes out.\n:rtype: str',
            ['<type>str</type>', '<description>What comes out.</description>'],
        ),
    ],
)
def test_what_is_returned_is_part_of_the_description(docstring: str, lines: list[str]):
    description, _ = read(docstring)
    assert description is not None
    assert description.split('\n') == ['<summary>Do it.</summary>', '<returns>', *lines, '</returns>']


def test_descriptions_in_annotations_come_first():
    def function(a: Annotated[int, Field(description='of the field')], b: int = Field(1, description='of the default')):
        """Do it.

        Args:
            a: Of the docstring.
            b: Of the docstring.
        """

    properties = Tool(function).tool_def.parameters_json_schema['properties']
    assert [item['description'] for item in properties.values()] == ['of the field', 'of the default']


def test_parameters_that_take_many():
    def function(*args: int, **kwargs: int):
        """Do it.

        Args:
            *args: The numbers.
            **kwargs: The others.
        """

    tool = Tool(function, require_parameter_descriptions=True)
    assert tool.tool_def.parameters_json_schema['properties']['args']['description'] == 'The numbers.'


def test_every_parameter_must_be_described():
    with pytest.raises(UserError) as caught:
        Tool(documented('Do it.\n\nArgs:\n    a: The a.'), name='tool', require_parameter_descriptions=True)
    assert str(caught.value) == (
        "Cannot make a tool of 'tool': parameters b have no description. Describe them in the docstring, or leave out "
        '`require_parameter_descriptions`.'
    )
    Tool(documented(GOOGLE), require_parameter_descriptions=True)


def test_fields_count_as_descriptions():
    def function(a: Annotated[int, Field(description='a')], b: int = Field(1, description='b')): ...

    Tool(function, require_parameter_descriptions=True)


def test_the_run_context_needs_no_description():
    from stead import RunContext

    def function(ctx: RunContext[Any]): ...

    function.__annotations__['ctx'] = RunContext[Any]
    Tool(function, require_parameter_descriptions=True)


def test_nothing_is_logged_about_what_docstrings_leave_out(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.DEBUG):
        assert parse_docstring('Do it.\n\nArgs:\n    unknown: Nobody.\n    nothing', 'google')[0] == 'Do it.'
    assert not caplog.records
    assert not logging.getLogger('griffe').disabled


def test_threads_may_read_docstrings_at_once():
    threads = [
        threading.Thread(target=parse_docstring, args=(f'Do {number}.\n\nArgs:\n    a: The a.', 'google'))
        for number in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not logging.getLogger('griffe').disabled


def test_descriptions_of_a_function():
    assert doc_descriptions(documented(GOOGLE))[1] == {'a': 'The a.', 'b': 'The b,\nwhich goes on.'}
    assert doc_descriptions(documented(None)) == (None, {})
    found = doc_descriptions(documented(NUMPY), docstring_format='numpy')[1]
    found['a'] = 'changed'  # a copy of one's own
    assert doc_descriptions(documented(NUMPY))[1]['a'] == 'The a.'
