"""Control tokens in texts: the engine reads them wherever they stand in a prompt, so content must not hold any.

With `<|im_end|>` in a result, a page that a tool has fetched could end its own turn, and begin one of the system.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Those of the common families, since base models have no template that names theirs.
_COMMON = (
    r'<\|[^|<>\n]{1,60}\|>',  # ChatML, Llama 3, Phi, Command R
    r'<\uff5c[^<>\n]{1,60}\uff5c>',  # DeepSeek
    r'</?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|start_of_image|end_of_image|image_soft_token)>',
    r'<<?/?SYS>>?',
    r'\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|IMG_BREAK|IMG_END|THINK)\]',
)
_IN_TEMPLATES = re.compile(r'</?[A-Za-z_\uff5c|][^<>\s{}"\'%]{0,60}>|\[/?[A-Z_]{3,40}\]')


@lru_cache(maxsize=32)
def control_tokens(template: str | None) -> re.Pattern[str]:
    """Return a pattern of the control tokens in texts.

    Args:
        template: The template of conversations, whose own markup counts too; `None` for a base model.
    """
    own = sorted(set(_IN_TEMPLATES.findall(template or '')), key=len, reverse=True)
    return re.compile('|'.join([*_COMMON, *map(re.escape, own)]))


def without_control_tokens(text: str, tokens: re.Pattern[str]) -> str:
    """Return a text in which no control token is read: a space follows the first character of each.

    Nothing is taken out, since what stood around it could become another token.
    """
    return tokens.sub(lambda found: f'{found[0][0]} {found[0][1:]}', text) if '<' in text or '[' in text else text
