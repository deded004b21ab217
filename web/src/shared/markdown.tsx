// Markdown as elements. `marked` finds its structure; nothing becomes markup by way of text, so there is nothing to sanitize:
// HTML in it is shown as it was written, links lead to the web or nowhere, and no image is fetched.
import { Lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useMemo, useRef } from 'preact/hooks';
import { CodeBlock } from './code';

export { coloured } from './code';

const DEEPEST = 40;
const PIECE = 25_000; // characters after which a long text is parted, where it can be
const LONGEST = 200_000; // characters that are laid out in one piece
const MOST = 40; // pieces that are laid out

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

/** Where the pieces of a text end, from the end of those that are known. A piece ends before a block that goes on with nothing above. */
function endsOf(text: string, known: number[]): number[] {
  const ends = [...known];
  let start = ends.at(-1) ?? 0;
  let fence = '';
  let isAfterBlank = false;
  for (let at = start; at < text.length && ends.length < MOST && text.length - start > PIECE;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if (!fence && isAfterBlank && at - start >= PIECE && /^[\p{L}#]/u.test(line)) {
      ends.push(start = at);
      isAfterBlank = false;
    }
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (!fence) fence = mark ?? '';
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
    isAfterBlank = !line.trim();
    if (end < 0) break;
    at = end + 1;
  }
  return ends;
}

/** The lines that say where links lead, which may stand in another piece than the links. */
const placesOf = (text: string) => (text.includes(']:') ? text.match(/^ {0,3}\[[^\]\n]+\]:.*$/gm) ?? [] : []).slice(0, 500).join('\n');

const Piece = memo(function Piece({ text, places, plain }: { text: string; places: string; plain: boolean }) {
  const tokens = useMemo(() => {
    if (plain || text.length > LONGEST) return null;
    const lexer = new Lexer({ gfm: true, breaks: true });
    try {
      if (places) Object.assign(lexer.tokens.links, new Lexer().lex(places).links);
      return lexer.lex(text);
    } catch { return null; }
  }, [text, places, plain]);
  if (tokens === null) return <><p class="soft small-text">What follows is too long to be laid out. It is shown as it was written.</p><p class="words">{text}</p></>;
  return <>{tokens.map((token, index) => <Block key={index} token={token} />)}</>;
});

/** Text of a model. While it grows, blocks that are complete stay the elements that they are, and pieces that are complete are not
    read again. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const parted = useRef({ text: '', ends: [] as number[] });
  const pieces = useMemo(() => {
    const ends = endsOf(text, text.startsWith(parted.current.text) ? parted.current.ends : []);
    parted.current = { text: text.slice(0, ends.at(-1) ?? 0), ends };
    return [0, ...ends].map((start, place) => text.slice(start, ends[place]));
  }, [text]);
  const places = useMemo(() => (pieces.length > 1 ? placesOf(text) : ''), [text]);
  return <div class="prose">{pieces.map((piece, place) => <Piece key={place} text={piece} places={places} plain={place === MOST} />)}</div>;
});
