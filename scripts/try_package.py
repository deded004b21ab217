"""Try what is published: `python scripts/try_package.py dist` installs the wheel into an environment of its own, and uses it.

It also looks into the sdist for what a packager needs to build and test: the sources, the tests and what these read.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

PROGRAM = "from stead import Agent; print(Agent('test').run_sync('Hello').output)"
NEEDED = ('LICENSE', 'SECURITY.md', 'CHANGELOG.md', 'README.md', 'Makefile', 'pyproject.toml', 'tests/conftest.py')
"""Files of the sdist, in addition to the folders."""
FOLDERS = ('src/stead', 'tests', 'docs', 'examples', 'benchmarks', 'scripts', 'web')


def run(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def try_wheel(wheel: Path) -> None:
    """Install a wheel, and see that its parts fit together, that command and library work, and a new project."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ('Scripts' if sys.platform == 'win32' else 'bin') / 'python'
        run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wheel)
        run(python, '-m', 'pip', 'check', '--disable-pip-version-check')
        words = run(python, '-W', 'error', '-m', 'stead', '--version').split()
        if words != ['stead', wheel.name.split('-')[1]]:
            raise SystemExit(f'`stead --version` of {wheel.name} says {" ".join(words)!r}')
        if run(python, '-W', 'error', '-c', PROGRAM) != 'success (no tool calls)\n':
            raise SystemExit(f'an agent does not run with {wheel.name}')
        run(python, '-m', 'stead', 'new', Path(folder) / 'shop', '--model', 'test')
        run('make', '-C', Path(folder) / 'shop', 'test', f'PYTHON={python}')


def missing_in(sdist: Path) -> list[str]:
    """Return what an sdist lacks."""
    with tarfile.open(sdist) as archive:
        names = {name.partition('/')[2] for name in archive.getnames()}
    missing = [name for name in NEEDED if name not in names]
    return missing + [folder for folder in FOLDERS if not any(name.startswith(f'{folder}/') for name in names)]


def main(folder: Path) -> int:
    (wheel,) = folder.glob('*.whl')
    (sdist,) = folder.glob('*.tar.gz')
    if missing := missing_in(sdist):
        print(f'{sdist.name} lacks {", ".join(missing)}')
        return 1
    try_wheel(wheel)
    print(f'{wheel.name} and {sdist.name} can be published')
    return 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
