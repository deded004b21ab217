// Builds the pages into src/stead/ui/built (or the folder that is passed), the same bytes each time.
import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, '../src/stead/ui/built'));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const options = {
  absWorkingDir: here,
  outdir: out,
  bundle: true,
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'ascii',
  logLevel: 'warning',
};
const pages = ['chat', 'inspect'];

// What is painted first is in the page itself. These bring it to life.
const entryPoints = Object.fromEntries(pages.map((page) => [page, `src/${page}/main.tsx`]));
const { metafile } = await build({ ...options, entryPoints, format: 'esm', splitting: true, chunkNames: '[name]-[hash]', metafile: true });

// A run as a page of its own has all of it inside.
await build({ ...options, entryPoints: { run: 'src/inspect/alone.tsx', style: 'src/style.css' }, format: 'iife' });

const textOf = async (file, more) => (await build({ ...options, ...more, entryPoints: [file], write: false })).outputFiles[0].text.trim();
const shells = mkdtempSync(join(tmpdir(), 'shells-'));

/** The script of a page, and what it imports: all are asked for at once. */
function filesOf(page) {
  const [name] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === `src/${page}/main.tsx`);
  const found = new Set([name]);
  for (const one of found) for (const { path, kind } of metafile.outputs[one].imports) if (kind === 'import-statement') found.add(path);
  return [...found].map((path) => `./built/${basename(path)}`);
}

// A page may come in pieces, and what comes would move what is there: it is shown when something follows it.
const style = `${readFileSync(join(out, 'style.css'), 'utf8').trim()}#app:not(:has(+*)){opacity:0}`;

globalThis.location = new URL('http://localhost/');
for (const page of pages) {
  writeFileSync(join(shells, `${page}.mjs`), await textOf(`src/${page}/shell.tsx`, { format: 'esm', platform: 'node' }));
  const { shell } = await import(pathToFileURL(join(shells, `${page}.mjs`)));
  const early = await textOf('src/shared/early.ts', { format: 'iife', define: { FILES: JSON.stringify(filesOf(page)) } });
  const parts = { style, early, shell };
  const html = readFileSync(join(here, `src/${page}/index.html`), 'utf8');
  writeFileSync(join(out, `${page}.html`), html.replaceAll(/<!--(\w+)-->/g, (found, name) => parts[name] ?? found));
}
rmSync(shells, { recursive: true });

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
