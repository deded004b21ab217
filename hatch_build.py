"""What the package says about itself, filled in when it is built: the addresses of the project, and a README without dead links.

The README links to files beside it, which an index page does not have. Where the project is published is not written down here;
whoever builds the package says so in the environment:

- `STEAD_REPOSITORY_URL`, such as `https://forge.example/stead`: its files are expected at `/blob/v<version>/<path>` and
  `/raw/v<version>/<path>` below it; those of a version between two tags at `/blob/HEAD/<path>`.
- `STEAD_DOCS_URL`, where the site that `make docs` builds is published.

Links to pages of `docs/` lead to the site if it is known, all others to the repository. Without an address a link becomes its
text, and a table of pictures is left out.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r'(?P<picture>!?)\[(?P<text>(?:`[^`]*`|[^\[\]])*)\]\((?P<target>[^()\s]+)\)')
PICTURES = re.compile(r'^\| \| \|\n\|---\|---\|\n(?:\| !\[.*\n)+\n?', re.MULTILINE)


def tag(version: str) -> str:
    """Return the tag that has the files of a version; versions between two tags have none."""
    return 'HEAD' if '.dev' in version else f'v{version}'


def readme(text: str, version: str, repository: str | None, site: str | None) -> str:
    """Return the README with links that hold on any page.

    Args:
        text: The README as it is in the repository.
        version: The version that is built.
        repository: The address of the repository, if it is known.
        site: The address of the documentation, if it is known.
    """

    def resolve(link: re.Match[str]) -> str:
        path, _, anchor = link['target'].partition('#')
        if not path or '://' in path:
            return link[0]
        if site and path.startswith('docs/') and path.endswith('.md'):
            page = path.removeprefix('docs/').removesuffix('.md').removesuffix('index')
            address = f'{site}/{page}/' if page else f'{site}/'
        elif repository:
            address = f'{repository}/{"raw" if link["picture"] else "blob"}/{tag(version)}/{path}'
        else:
            return link['text']
        return f'{link["picture"]}[{link["text"]}]({address}{"#" * bool(anchor)}{anchor})'

    return LINK.sub(resolve, text if repository else PICTURES.sub('', text))


def addresses(version: str, repository: str | None, site: str | None) -> dict[str, str]:
    """Return the links that an index page shows: see `readme` for the arguments."""
    found: dict[str, str] = {}
    if site:
        found |= {'Documentation': f'{site}/', 'Changelog': f'{site}/changelog/'}
    if repository:
        found |= {'Source': repository}
        found.setdefault('Changelog', f'{repository}/blob/{tag(version)}/CHANGELOG.md')
    return found


class SteadMetadataHook(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = os.environ.get('STEAD_REPOSITORY_URL', '').rstrip('/') or None
        site = os.environ.get('STEAD_DOCS_URL', '').rstrip('/') or None
        text = Path(self.root, 'README.md').read_text(encoding='utf-8')
        metadata['readme'] = {
            'content-type': 'text/markdown',
            'text': readme(text, metadata['version'], repository, site),
        }
        metadata['urls'] = addresses(metadata['version'], repository, site)
