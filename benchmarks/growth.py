"""Measure what a step costs with the SDKs of OpenAI, Anthropic and Google, while the history grows, and draw it.

    python benchmarks/growth.py [--reference PYTHON] [--steps N ...] [--json FILE] [--svg FILE]
    python benchmarks/growth.py --from FILE --svg FILE

Each figure is of a process of its own (`benchmarks/growth_loop.py`): an agent of stead, the same of the mirrored library, for
which `--reference` names a Python that has it, and the typed method of the SDK in a loop by hand. Figures are CPU time, in
microseconds a step, the mean of all steps of the run. `--from` draws figures that `--json` kept.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LOOP = Path(__file__).with_name('growth_loop.py')
STEPS = (10, 20, 50, 100, 200, 400)
VENDORS = {'openai': 'OpenAI, chat completions', 'anthropic': 'Anthropic', 'google': 'Google'}
PACKAGES = {'pydantic_ai': 'pydantic-ai', 'sdk': 'SDK alone', 'stead': 'stead'}

Figures = dict[str, dict[str, dict[str, float]]]
"""Microseconds by vendor, package and number of steps."""

WIDTH, PANEL, TOP, BOTTOM = 440, 216, 62, 34
LEFT, RIGHT = 58, 276
PLOT_TOP, PLOT_BOTTOM = 30, 186
LEAST, MOST = 200.0, 400_000.0
"""Microseconds at the ends of the vertical axis."""
STYLE = """
    svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    .page { fill: #ffffff; stroke: #c8d0d4; }
    .title { fill: #14212b; font-size: 15px; font-weight: 600; }
    .more, .tick { fill: #4c595f; font-size: 13px; }
    .grid { stroke: #e2e7ea; stroke-width: 1; }
    .axis { stroke: #8c989e; stroke-width: 1; }
    .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
    .label { font-size: 13px; font-weight: 600; }
    .pydantic_ai { stroke: #6b5aa8; } text.pydantic_ai { fill: #6b5aa8; stroke: none; }
    .sdk { stroke: #a8690a; stroke-dasharray: 6 4; } text.sdk { fill: #96600c; stroke: none; }
    .stead { stroke: #0b7a75; stroke-width: 3.2; } text.stead { fill: #0b7a75; stroke: none; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #1d2226; stroke: #475259; }
      .title { fill: #f2f5f6; }
      .more, .tick { fill: #b4c0c6; }
      .grid { stroke: #333c42; }
      .axis { stroke: #74828a; }
      .pydantic_ai { stroke: #b3a4ee; } text.pydantic_ai { fill: #c0b4f2; }
      .sdk { stroke: #e3a63c; } text.sdk { fill: #efb759; }
      .stead { stroke: #4fc7be; } text.stead { fill: #66d3cb; }
    }
"""


def measured(steps: list[int], reference: str | None) -> Figures:
    """Return the figures, and print each as it comes."""
    figures: Figures = {}
    for vendor in VENDORS:
        for package in PACKAGES:
            python = reference if package == 'pydantic_ai' else sys.executable
            if python is None:
                continue
            for count in steps:
                command = [python, '-W', 'ignore', str(LOOP), package, vendor, str(count)]
                environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
                process = subprocess.run(command, env=environment, capture_output=True, text=True)
                if process.returncode:
                    sys.exit(process.stderr)
                cost = float(process.stdout.splitlines()[-1])
                figures.setdefault(vendor, {}).setdefault(package, {})[str(count)] = round(cost, 1)
                print(f'{vendor:10} {package:12} {count:4} steps {cost / 1000:10.2f} ms/step', flush=True)
    return figures


def short(microseconds: float) -> str:
    """Return a time in milliseconds, with two digits."""
    value = microseconds / 1000
    return f'{value:.1f} ms' if value < 9.95 else f'{value:.0f} ms'


def across(steps: float) -> float:
    """Return the place of a number of steps."""
    low, high = math.log10(STEPS[0]), math.log10(STEPS[-1])
    return LEFT + (math.log10(steps) - low) / (high - low) * (RIGHT - LEFT)


def down(microseconds: float) -> float:
    """Return the place of a cost in a panel."""
    low, high = math.log10(LEAST), math.log10(MOST)
    return PLOT_BOTTOM - (math.log10(microseconds) - low) / (high - low) * (PLOT_BOTTOM - PLOT_TOP)


def apart(places: list[float], distance: float) -> list[float]:
    """Return places in the same order, top first, with a distance between them."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + distance) if moved else place)
    return moved


def panel(title: str, figures: dict[str, dict[str, float]]) -> Iterator[str]:
    """Yield the elements of the plot of a vendor."""
    yield f'<text class="title" x="14" y="16">{title}</text>'
    for cost in (1_000, 10_000, 100_000):
        y = down(cost)
        yield f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="tick" x="{LEFT - 6}" y="{y + 4.5:.1f}" text-anchor="end">{cost // 1000} ms</text>'
    yield f'<line class="axis" x1="{LEFT}" x2="{RIGHT}" y1="{PLOT_BOTTOM}" y2="{PLOT_BOTTOM}"/>'
    for count in STEPS:
        yield f'<text class="tick" x="{across(count):.1f}" y="{PLOT_BOTTOM + 17}" text-anchor="middle">{count}</text>'
    last = {package: list(costs.values())[-1] for package, costs in figures.items()}
    packages = sorted(figures, key=lambda package: -last[package])
    labels = apart([down(last[package]) for package in packages], 17)
    for package, y in zip(packages, labels):
        points = ' '.join(f'{across(int(n)):.1f},{down(cost):.1f}' for n, cost in figures[package].items())
        yield f'<polyline class="line {package}" points="{points}"/>'
        text = f'{PACKAGES[package]} {short(last[package])}'
        yield f'<text class="label {package}" x="{RIGHT + 7}" y="{y + 4.5:.1f}">{text}</text>'


def drawn(figures: Figures) -> str:
    """Return the plots of all vendors as SVG, one below the other, so that they can be read on a phone."""
    height = TOP + PANEL * len(figures) + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"',
        '  role="img" aria-labelledby="title">',
        '  <title id="title">CPU time of a step, for runs of 10 to 400 steps, with the SDKs of three vendors</title>',
        f'  <style>{STYLE}  </style>',
        f'  <rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>',
        '  <text class="title" x="14" y="28">CPU time of a step</text>',
        '  <text class="more" x="14" y="48">by the number of steps of the run; both scales are logarithmic</text>',
    ]
    for number, (vendor, of_vendor) in enumerate(figures.items()):
        lines.append(f'  <g transform="translate(0 {TOP + PANEL * number + 8})">')
        lines += [f'    {element}' for element in panel(VENDORS[vendor], of_vendor)]
        lines.append('  </g>')
    middle = (LEFT + RIGHT) / 2
    lines.append(
        f'  <text class="more" x="{middle:.0f}" y="{height - 14}" text-anchor="middle">steps of the run</text>'
    )
    return '\n'.join([*lines, '</svg>', ''])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--reference', metavar='PYTHON', help='a Python with the mirrored library')
    parser.add_argument('--steps', type=int, nargs='+', default=list(STEPS))
    parser.add_argument('--json', type=Path, help='where to keep the figures')
    parser.add_argument('--svg', type=Path, help='where to draw them')
    parser.add_argument('--from', dest='source', type=Path, help='figures that --json kept')
    options = parser.parse_args()
    figures: Figures
    if options.source is not None:
        figures = json.loads(options.source.read_text(encoding='utf-8'))
    else:
        figures = measured(options.steps, options.reference)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + '\n', encoding='utf-8')
    if options.svg is not None:
        options.svg.write_text(drawn(figures), encoding='utf-8')


if __name__ == '__main__':
    main()
