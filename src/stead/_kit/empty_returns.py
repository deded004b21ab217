"""Functions that return nothing, where their result is needed."""

from __future__ import annotations


def returns_nothing(function: object) -> bool:
    """Return whether a Python function has no `return` with a value; `False` where that is not known."""
    import dis

    code = getattr(function, '__code__', None)
    if code is None:
        return False
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == 'RETURN_CONST' and instruction.argval is not None:
            return False
        if instruction.opname == 'RETURN_VALUE' and (
            before is None
            or before.opname != 'LOAD_CONST'
            or before.argval is not None
            or instruction.is_jump_target  # with a value from elsewhere
        ):
            return False
        before = instruction
    return True
