"""The built files of the pages: they are what their sources make, small, and name their licences."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import cast

import pytest

from stead._kit import secret

ROOT = Path(__file__).parent.parent.parent
BUILT = ROOT / 'src' / 'stead' / 'ui' / 'built'
WEB = ROOT / 'web'


def test_they_are_small() -> None:
    sizes = {file.name: len(gzip.compress(file.read_bytes(), 9)) for file in BUILT.iterdir()}
    names = {re.sub(r'-[A-Z0-9]{8}\.', '.', name) for name in sizes}
    pages = {'chat.html', 'chat.js', 'inspect.html', 'inspect.js', 'chunk.js', 'markdown.js'}
    assert names == {*pages, 'run.js', 'style.css', 'licenses.txt'}
    assert sum(sizes.values()) < 200_000


def test_what_they_contain_is_licensed() -> None:
    licences = (BUILT / 'licenses.txt').read_text()
    for package in ('preact', 'marked', 'highlight.js'):
        assert re.search(rf'^{re.escape(package)} [0-9.]+ \(', licences, re.MULTILINE)


def test_nothing_becomes_markup_or_is_fetched_from_elsewhere() -> None:
    for file in WEB.joinpath('src').rglob('*.ts*'):
        assert not re.search(
            r'innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function', file.read_text()
        ), file
    for page in BUILT.glob('*.html'):
        text = page.read_text(encoding='utf-8')
        assert not re.search(r' on\w+=| style=|://', text), page
        # What stands in the page itself is the style, one script, and what the server tells it: the policy has their hashes.
        inside = re.findall(r'<(script|style)([^>]*)>', text)
        wanted = [('style', ''), ('script', ''), ('script', ' type="application/json" id="setup"')]
        assert inside == wanted[: 3 if page.name == 'chat.html' else 2]
        # Nothing has to be there before the first paint but the page itself, and nothing holds that paint back.
        assert re.findall(r'<link[^>]*>', text) == ['<link rel="icon" href="data:,">']
        assert not re.search(r' src=|blocking=|@import|@font-face|url\(|backdrop-filter', text), page


@pytest.mark.skipif(not shutil.which('node'), reason='node is not installed')
@pytest.mark.skipif(not WEB.joinpath('node_modules').exists(), reason='`make web` has not installed the packages')
def test_they_are_what_their_sources_make(tmp_path: Path) -> None:
    subprocess.run(['node', 'build.mjs', str(tmp_path)], cwd=WEB, check=True, timeout=60)
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in BUILT.iterdir()}
    for file in BUILT.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), f'{file.name}: run `make web`'


SECRETS: list[object] = [
    'password=hunter2&x=1',
    'Authorization: Bearer abcdefghijklmnop, and more',
    'basic dXNlcjpwYXNzd29yZA==',
    'sk-proj-0123456789abcdefghij and xsk-0123456789abcdefghij',
    'ghp_0123456789abcdefghijABCDEF and AKIA0123456789ABCDEF',
    'eyJhbGciOiJIUzI1NiJ9abc.eyJzdWIiOiIxIn0.sig',
    'postgres://desk:secret@10.0.0.7/x and http://a.example/b',
    '{"password": "a phrase, with a \\" in it", "note": "fine"}',
    '{"args": "{\\"api_key\\": \\"x y\\", \\"n\\": 1}"}',
    "{'token': 'a b', 'monkey': 'c d'}",
    'keyboard=x, private_key=y, access-key=z, donkey=w',
    'a text without any',
    '{"pin": 4, "password": 123456, "max_tokens": 16, "inner": "{\\"api_key\\": -1.5e9}"} {\'token\': 7, \'n\': 1}',
    {'password': 123456, 'token_count': 5, 'api_key': 0, 'cookie': True, 'secret': '', 'token': None},
    {'password': 'x', 'nested': [{'accessToken': 'y', 'tokens': 'z'}], 'url': 'ftp://u:p@h'},
]


def test_the_page_hides_what_the_server_hides_by_the_same_words() -> None:
    text = WEB.joinpath('src', 'shared', 'format.ts').read_text(encoding='utf-8')
    assert f'const SECRETS = String.raw`{secret.SECRET_WORDS}`' in text
    assert f"const CODES = '{'|'.join(secret.VENDOR_CODES)}'" in text


@pytest.mark.skipif(not shutil.which('node'), reason='node is not installed')
@pytest.mark.skipif(not WEB.joinpath('node_modules').exists(), reason='`make web` has not installed the packages')
def test_the_page_hides_what_the_server_hides(tmp_path: Path) -> None:
    script = f"""
        import {{ build }} from 'esbuild';
        await build({{ entryPoints: ['src/shared/format.ts'], bundle: true, format: 'esm', outfile: {json.dumps(str(tmp_path / 'f.mjs'))} }});
        const {{ masked }} = await import({json.dumps(str(tmp_path / 'f.mjs'))});
        process.stdout.write(JSON.stringify({json.dumps(SECRETS)}.map(masked)));
    """
    done = subprocess.run(
        ['node', '--input-type=module', '-e', script], cwd=WEB, check=True, capture_output=True, text=True, timeout=60
    )
    assert json.loads(done.stdout) == [hidden(value) for value in SECRETS]


def hidden(value: object, name: object = '') -> object:
    """Return a value as what shows runs in the terminal does."""
    if isinstance(value, str):
        return secret.MASK if secret.is_secret(name, value) else secret.masked_text(value)
    if isinstance(value, list):
        return [hidden(item) for item in value]
    if not isinstance(value, dict):
        return secret.MASK if secret.is_secret(name, value) else value
    return {key: hidden(item, key) for key, item in cast('dict[str, object]', value).items()}
