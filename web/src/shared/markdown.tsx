// Markdown as elements. `marked` finds its structure; nothing becomes markup by way of text, so there is nothing to sanitize:
// HTML in it is shown as it was written, links lead to the web or nowhere, and no image is fetched.
import { marked, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { CodeBlock } from './code';

export { coloured } from './code';

const DEEPEST = 40;
const LONGEST = 200_000;

/** The address of a link that may be followed, or nothing. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&nbsp;': '\u00a0' };
const plain = (text: string) => text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (found) => ENTITIES[found]!);

function inline(tokens: Token[] | undefined, depth: number): ComponentChildren {
  if (depth > DEEPEST) return tokens?.map((token) => token.raw).join('');
  return tokens?.map((token, index) => {
    switch (token.type) {
      case 'strong': return <strong key={index}>{inline(token.tokens, depth + 1)}</strong>;
      case 'em': return <em key={index}>{inline(token.tokens, depth + 1)}</em>;
      case 'del': return <del key={index}>{inline(token.tokens, depth + 1)}</del>;
      case 'codespan': return <code key={index}>{plain(token.text)}</code>;
      case 'br': return <br key={index} />;
      case 'link': {
        const href = safeLink(token.href);
        const text = inline(token.tokens, depth + 1);
        return href ? <a key={index} href={href} target="_blank" rel="noopener noreferrer">{text}</a> : <span key={index}>{text}</span>;
      }
      case 'image': {
        const href = safeLink(token.href);
        const text = token.text || 'image';
        return href ? <a key={index} href={href} target="_blank" rel="noopener noreferrer">{text}</a> : <span key={index}>{text}</span>;
      }
      case 'html': return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br key={index} /> : token.raw;
      case 'text': return 'tokens' in token && token.tokens ? inline(token.tokens, depth + 1) : plain(token.text);
      case 'escape': return plain(token.text);
      case 'checkbox': return null;
      default: return token.raw;
    }
  });
}

function block(token: Token, depth: number, key?: number): ComponentChildren {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case 'space': case 'def': return null;
    case 'heading': {
      // The page has the first two levels.
      const Level = `h${Math.min(token.depth + 2, 6)}` as 'h3';
      return <Level key={key}>{inline(token.tokens, depth + 1)}</Level>;
    }
    case 'paragraph': return <p key={key}>{inline(token.tokens, depth + 1)}</p>;
    case 'text': return <span key={key}>{token.tokens ? inline(token.tokens, depth + 1) : plain(token.text)}</span>;
    case 'code': return <CodeBlock key={key} text={token.text} language={(token.lang ?? '').split(/\s/)[0]} />;
    case 'blockquote': return <blockquote key={key}>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case 'hr': return <hr key={key} />;
    case 'list': {
      const list = token as Tokens.List;
      const items = list.items.map((item, index) => (
        <li key={index} class={item.task ? 'task' : undefined}>
          {item.task ? <><input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? 'done' : 'open'} /><div>{blocks(item.tokens, depth + 1)}</div></> : blocks(item.tokens, depth + 1)}
        </li>
      ));
      return list.ordered ? <ol key={key} start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case 'table': {
      const table = token as Tokens.Table;
      const cell = (item: Tokens.TableCell) => inline(item.tokens, depth + 1);
      return (
        <div key={key} class="table" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead><tr>{table.header.map((item, index) => <th key={index} class={item.align ? `to-${item.align}` : undefined}>{cell(item)}</th>)}</tr></thead>
            <tbody>{table.rows.map((row, number) => (
              <tr key={number}>{row.map((item, index) => <td key={index} class={item.align ? `to-${item.align}` : undefined}>{cell(item)}</td>)}</tr>
            ))}</tbody>
          </table>
        </div>
      );
    }
    case 'html': return <p key={key}>{token.raw.trim()}</p>;
    default: return <p key={key}>{inline([token], depth + 1)}</p>;
  }
}

const blocks = (tokens: Token[], depth: number) => tokens.map((token, index) => block(token, depth, index));

const Block = memo(({ token }: { token: Token }) => <>{block(token, 0)}</>, (before, after) =>
  before.token.raw === after.token.raw && before.token.type === after.token.type);

/** Text of a model. While it grows, blocks that are complete stay the elements that they are. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => {
    if (text.length > LONGEST) return null;
    try { return marked.lexer(text, { gfm: true, breaks: true }); } catch { return null; }
  }, [text]);
  if (tokens === null) return <div class="prose"><p class="words">{text}</p></div>;
  return <div class="prose">{tokens.map((token, index) => <Block key={index} token={token} />)}</div>;
});
