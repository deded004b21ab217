"""nginx takes the configuration of `docs/deploy.md` as it stands there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / 'docs' / 'deploy.md'


@pytest.mark.skipif(not (shutil.which('nginx') and shutil.which('openssl')), reason='needs nginx and openssl')
def test_nginx_takes_the_configuration(tmp_path: Path) -> None:
    (site,) = re.findall(r'```nginx\n(.*?)```', PAGE.read_text(encoding='utf-8'), re.DOTALL)
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=chat.example.com']
        + ['-keyout', 'chat.key', '-out', 'chat.pem'],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    (tmp_path / 'nginx.conf').write_text(
        f'pid {tmp_path}/pid; events {{}} http {{ access_log off; {site.replace("/etc/nginx", str(tmp_path))} }}'
    )
    process = subprocess.run(
        ['nginx', '-t', '-e', 'stderr', '-c', str(tmp_path / 'nginx.conf')], capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    assert 'warn' not in process.stderr
