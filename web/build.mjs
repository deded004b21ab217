// Builds the pages into src/stead/ui/built (or the folder that is passed), the same bytes each time.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, '../src/stead/ui/built'));
mkdirSync(out, { recursive: true });

await build({
  absWorkingDir: here,
  entryPoints: { chat: 'src/chat/main.tsx', inspect: 'src/inspect/main.tsx', style: 'src/style.css' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'ascii',
  logLevel: 'warning',
});
for (const page of ['chat', 'inspect']) copyFileSync(join(here, `src/${page}/index.html`), join(out, `${page}.html`));

// What the bundles contain, with the licence of each: they ship together.
const bundled = ['preact', 'marked', 'highlight.js'];
const licences = bundled.map((name) => {
  const folder = join(here, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = { preact: 'LICENSE', marked: 'LICENSE', 'highlight.js': 'LICENSE' }[name];
  let text;
  try { text = readFileSync(join(folder, file), 'utf8'); } catch { text = readFileSync(join(folder, 'LICENSE.md'), 'utf8'); }
  return `${name} ${version} (${license})\n\n${text.replaceAll('\r\n', '\n').trim()}\n`;
});
writeFileSync(join(out, 'licenses.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));
