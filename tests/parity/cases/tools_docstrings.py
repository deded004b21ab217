"""What is read from docstrings of every style: the description, what parameters mean, what is returned."""

from _tools import show
from pydantic_ai import Tool

DOCSTRINGS = {
    'none': None,
    'empty': '',
    'blank': '   \n  ',
    'line': 'Do it.',
    'line with colon': 'Do it: now.',
    'lines': """Do it.

    And more,
    on two lines.
    """,
    'indented': """
        Do it.

            Code here.
        """,
    'google': """Do it.

    Args:
        a: The a.
        b: The b, which
            goes on.
    """,
    'google typed': """Do it.

    Args:
        a (int): The a.
        b (str, optional): The b.
    """,
    'google parameters': """Do it.

    Parameters:
        a: The a.
    """,
    'google arguments': """Do it.

    Arguments:
        a: The a.
    """,
    'google returns': """Do it.

    Args:
        a: The a.

    Returns:
        What comes out.
    """,
    'google returns typed': """Do it.

    Returns:
        str: What comes out.
    """,
    'google returns lines': """Do it.

    Returns:
        What comes out,
        on two lines.
    """,
    'google only args': """
    Args:
        a: The a.
    """,
    'google only returns': """
    Returns:
        What comes out.
    """,
    'google raises': """Do it.

    Args:
        a: The a.

    Raises:
        ValueError: Never.
    """,
    'google examples': """Do it.

    Examples:
        >>> f(1)
        1
    """,
    'google text after': """Do it.

    Args:
        a: The a.

    More text.
    """,
    'google note': """Do it.

    Note:
        Be careful.

    Args:
        a: The a.
    """,
    'google unknown': """Do it.

    Args:
        nobody: Not a parameter.
    """,
    'numpy': """Do it.

    Parameters
    ----------
    a : int
        The a.
    b : str
        The b.
    """,
    'numpy bare': """Do it.

    Parameters
    ----------
    a
        The a.
    b, c
        Both.
    """,
    'numpy returns': """Do it.

    Parameters
    ----------
    a : int
        The a.

    Returns
    -------
    str
        What comes out.
    """,
    'numpy returns named': """Do it.

    Returns
    -------
    out : str
        What comes out.
    """,
    'numpy only returns': """
    Returns
    -------
    str
        What comes out.
    """,
    'sphinx': """Do it.

    :param a: The a.
    :param b: The b.
    """,
    'sphinx typed': """Do it.

    :param int a: The a.
    :type b: str
    :param b: The b.
    """,
    'sphinx returns': """Do it.

    :param a: The a.
    :returns: What comes out.
    :rtype: str
    """,
    'sphinx return': """Do it.

    :return: What comes out.
    """,
    'sphinx lines': """Do it.

    :param a: The a,
        which goes on.
    :raises ValueError: Never.
    """,
    'markup': """Do `it` with <b>tags</b> & "quotes".

    Args:
        a: The `a` <i>.
    """,
    'mixed': """Do it.

    Args:
        a: The a.

    :param b: The b.
    """,
}

for label, docstring in DOCSTRINGS.items():
    for style in ('auto', 'google', 'numpy', 'sphinx'):

        def function(a: int, b: str = 'x') -> str: ...

        function.__doc__ = docstring
        tool = Tool(function, docstring_format=style)
        properties = tool.tool_def.parameters_json_schema['properties']
        show(
            f'{label} as {style}',
            [tool.description, {name: item.get('description') for name, item in properties.items()}],
        )
        try:
            Tool(function, docstring_format=style, require_parameter_descriptions=True)
        except Exception as error:
            print('    refused', type(error).__name__)
