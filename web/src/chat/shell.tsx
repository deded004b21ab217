// The page as it is in its file, so that it is painted before a script has run. Only the build loads this. The server fills in
// what is between double braces: see `_shell.py`.
import { renderToString } from 'preact-render-to-string';
import { App } from './app';

const model = { id: '{{id}}', name: '{{label}}', tools: ['t'] };
const drawn = renderToString(<App typed="" setup={{
  name: '{{name}}', models: [model, { ...model, id: 'another' }], tools: [{ id: 't', name: '{{label}}' }], examples: ['{{label}}'],
}} />);

function replaced(html: string, pattern: RegExp, by: string): string {
  const shell = html.replace(pattern, by);
  if (shell === html) throw new Error(`The page has nothing like ${pattern}.`);
  return shell;
}

export const shell = [
  [/<option selected value="{{id}}">(.*?)<\/option><option.*?<\/option>/, '{{#models}}<option value="{{id}}">$1</option>{{/models}}'],
  [/(<span class="picker">.*?<\/span>)/, '{{#choice}}$1{{/choice}}'],
  [/(<button[^>]*aria-pressed[^>]*>.*?<\/button>)/, '{{#tools}}$1{{/tools}}'],
  [/<div class="examples">(.*?)<\/div>/, '{{#offer}}<div class="examples">{{#examples}}$1{{/examples}}</div>{{/offer}}'],
].reduce((html, [pattern, by]) => replaced(html, pattern as RegExp, by as string), drawn);
