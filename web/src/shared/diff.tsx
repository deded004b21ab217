// What is different between two texts, line by line.
export type Line = { kind: 'same' | 'gone' | 'new'; text: string };

const MOST = 1_500; // lines that are compared

export function linesOf(before: string, after: string): Line[] {
  const split = (text: string) => (text ? text.split('\n') : []);
  const a = split(before), b = split(after);
  if (a.length > MOST || b.length > MOST) {
    return before === after ? a.map((text) => ({ kind: 'same', text })) : [...a.map((text): Line => ({ kind: 'gone', text })), ...b.map((text): Line => ({ kind: 'new', text }))];
  }
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1]! + 1 : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { lines.push({ kind: 'same', text: a[i]! }); i++; j++; }
    else if (j < b.length && (i === a.length || longest[i * width + j + 1]! > longest[(i + 1) * width + j]!)) lines.push({ kind: 'new', text: b[j++]! });
    else lines.push({ kind: 'gone', text: a[i++]! });
  }
  return lines;
}

const AROUND = 3; // lines that are the same are shown so far from others

function folded(lines: Line[]): (Line | number)[] {
  const near = lines.map((_, index) => lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => line.kind !== 'same'));
  const shown: (Line | number)[] = [];
  lines.forEach((line, index) => {
    const before = shown.at(-1);
    if (near[index] || near.every((one) => !one)) shown.push(line);
    else if (typeof before === 'number') shown[shown.length - 1] = before + 1;
    else shown.push(1);
  });
  return shown;
}

export function Diff({ before, after, label }: { before: string; after: string; label?: string }) {
  const signs = { same: ' ', gone: '−', new: '+' };
  return (
    <pre class="diff" tabIndex={0} role="group" aria-label={label ?? 'What is different'}>
      {folded(linesOf(before, after)).map((line, index) => typeof line === 'number' ? <span key={index} class="soft">  {line} {line === 1 ? 'line' : 'lines'} the same{'\n'}</span> : <span key={index} class={`is-${line.kind}`}><span class="unseen">{line.kind === 'gone' ? 'removed: ' : line.kind === 'new' ? 'added: ' : ''}</span><span aria-hidden="true">{signs[line.kind]}</span> {line.text}{'\n'}</span>)}
    </pre>
  );
}
