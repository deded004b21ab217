// Code with colours. What highlight.js finds becomes elements of ours: no text is ever read as markup.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { memo } from 'preact/compat';
import type { ComponentChildren } from 'preact';
import { CopyButton } from './controls';

const languages = { bash, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const LONGEST = 50_000; // characters that are coloured

type Found = { scope?: string; children: (Found | string)[] };

function drawn(nodes: (Found | string)[]): ComponentChildren {
  return nodes.map((node, index) =>
    typeof node === 'string' ? node : (
      <span key={index} class={node.scope ? `hl-${node.scope.split('.')[0]}` : undefined}>{drawn(node.children)}</span>
    ));
}

export function coloured(text: string, language: string | undefined): ComponentChildren {
  if (!language || text.length > LONGEST || !hljs.getLanguage(language)) return text;
  const found = hljs.highlight(text, { language, ignoreIllegals: true }) as unknown as { _emitter: { rootNode: Found } };
  return drawn(found._emitter.rootNode.children);
}

export const CodeBlock = memo(function CodeBlock({ text, language, label }: { text: string; language?: string; label?: string }) {
  return (
    <figure class="code">
      <figcaption><span>{label ?? (language || 'text')}</span><CopyButton text={text} what="code" /></figcaption>
      <pre tabIndex={0}><code>{coloured(text, language?.toLowerCase())}</code></pre>
    </figure>
  );
});
