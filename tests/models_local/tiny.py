"""A model of the smallest kind, made in milliseconds: real enough for the decoder, with weights that are noise.

What it writes is as random as the grammar allows, which is what the tests of the grammar want; and it is fast.
"""

from __future__ import annotations

import random
import struct
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WIDTH, INNER, HEADS = 32, 64, 2
PIECES = (
    '{"',
    '": ',
    '", "',
    '"}',
    '"}}',
    '}}',
    ', "',
    '[',
    ']',
    '": "',
    '": {"',
    'tool',
    'arguments',
    'answer',
    '▁{"',
)
WORDS = (
    '▁the',
    '▁a',
    '▁of',
    '▁yes',
    '▁no',
    '00',
    '12',
    '-0',
    '20',
    'true',
    'false',
    'null',
    '\\n',
    '\\"',
    'é',
    '日',
    '本',
)
SAMPLES = ('\n', 'Answer:', '\nAnswer:', 'Question:', '\nQuestion:', 'Result:')


def tiny_model(
    path: Path,
    *,
    chat_template: str | None = None,
    context: int = 8192,
    seed: int = 1,
    space_prefix: bool = False,
    more: Sequence[str] = (),
) -> Path:
    """Write the file of a tiny model.

    Args:
        path: Where.
        chat_template: How conversations are written; none for a base model.
        context: What it says it was trained on.
        seed: What the weights are made of.
        more: More pieces of the vocabulary.
        space_prefix: Whether the tokenizer puts a space before texts, as old ones do.
    """
    vocabulary = ['<unk>', '<s>', '</s>', *(f'<0x{byte:02X}>' for byte in range(256))]
    kinds = [2, 3, 3, *([6] * 256)]
    for piece in [*(chr(code) for code in range(33, 127)), '▁', *PIECES, *WORDS, *SAMPLES, *more]:
        if piece not in vocabulary:
            vocabulary.append(piece)
            kinds.append(1)
    facts: list[tuple[str, Any]] = [
        ('general.architecture', 'llama'),
        ('general.name', 'tiny'),
        ('llama.context_length', context),
        ('llama.embedding_length', WIDTH),
        ('llama.block_count', 1),
        ('llama.feed_forward_length', INNER),
        ('llama.attention.head_count', HEADS),
        ('llama.attention.head_count_kv', HEADS),
        ('llama.rope.dimension_count', WIDTH // HEADS),
        ('llama.attention.layer_norm_rms_epsilon', 1e-5),
        ('llama.vocab_size', len(vocabulary)),
        ('tokenizer.ggml.model', 'llama'),
        ('tokenizer.ggml.tokens', vocabulary),
        ('tokenizer.ggml.scores', [float(len(piece)) for piece in vocabulary]),
        ('tokenizer.ggml.token_type', kinds),
        ('tokenizer.ggml.bos_token_id', 1),
        ('tokenizer.ggml.eos_token_id', 2),
        ('tokenizer.ggml.unknown_token_id', 0),
        ('tokenizer.ggml.add_bos_token', True),
        ('tokenizer.ggml.add_space_prefix', space_prefix),
    ]
    if chat_template is not None:
        facts.append(('tokenizer.chat_template', chat_template))
    shapes = {'token_embd.weight': (WIDTH, len(vocabulary)), 'output_norm.weight': (WIDTH,)}
    shapes['output.weight'] = (WIDTH, len(vocabulary))
    for name, shape in (
        ('attn_norm', (WIDTH,)),
        ('attn_q', (WIDTH, WIDTH)),
        ('attn_k', (WIDTH, WIDTH)),
        ('attn_v', (WIDTH, WIDTH)),
        ('attn_output', (WIDTH, WIDTH)),
        ('ffn_norm', (WIDTH,)),
        ('ffn_gate', (WIDTH, INNER)),
        ('ffn_up', (WIDTH, INNER)),
        ('ffn_down', (INNER, WIDTH)),
    ):
        shapes[f'blk.0.{name}.weight'] = shape
    noise = random.Random(seed)
    head, body = b'', b''
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = array('f', (1.0 if len(shape) == 1 else noise.gauss(0, 0.2) for _ in range(count)))
        head += _text(name) + struct.pack(f'<I{len(shape)}QIQ', len(shape), *shape, 0, len(body))
        body += values.tobytes() + bytes(-4 * count % 32)
    begin = struct.pack('<4sIQQ', b'GGUF', 3, len(shapes), len(facts))
    begin += b''.join(_text(name) + _fact(value) for name, value in facts) + head
    path.write_bytes(begin + bytes(-len(begin) % 32) + body)
    return path


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack('<Q', len(data)) + data


def _fact(value: Any) -> bytes:
    kind, data = _plain(value)
    return struct.pack('<I', kind) + data


def _plain(value: Any) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return 7, struct.pack('<?', value)
    if isinstance(value, int):
        return 4, struct.pack('<I', value)
    if isinstance(value, float):
        return 6, struct.pack('<f', value)
    if isinstance(value, str):
        return 8, _text(value)
    items = [(5, struct.pack('<i', item)) if isinstance(item, int) else _plain(item) for item in value]
    return 9, struct.pack('<IQ', items[0][0], len(items)) + b''.join(data for _, data in items)
