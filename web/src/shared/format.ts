export function duration(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

export function count(number: number): string {
  if (number < 1000) return String(number);
  if (number < 1_000_000) return `${(number / 1000).toFixed(number < 10_000 ? 1 : 0)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

export function money(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

export function plural(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

export function since(seconds: number, now = Date.now() / 1000): string {
  const passed = now - seconds;
  if (passed < 60) return 'just now';
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86400) return `${Math.floor(passed / 3600)} h ago`;
  if (passed < 7 * 86400) return `${Math.floor(passed / 86400)} d ago`;
  return new Date(seconds * 1000).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** `get_order_status` as a person would write it. */
export function titled(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2').trim().toLowerCase();
  return words ? words[0]!.toUpperCase() + words.slice(1) : name;
}

// What `src/stead/_kit/secret.py` hides; a test compares both.
const SECRETS = String.raw`passw(?:or)?d|passphrase|secret|token|(?:api|access|private)[_-]?key|authorization|credentials?|cookie`;
const CODES = 'sk-|ghp_|gho_|ghs_|github_pat_|xoxb-|xoxp-|glpat-|akia|aiza|hf_|eyj';
const SECRET = new RegExp(`(?:${SECRETS})$`, 'i');
const WRITTEN = new RegExp(
  [
    String.raw`(?<=(?:${SECRETS})=)[^\s"'&,;<>\\]+`,
    String.raw`(?<=(?:${SECRETS})"\s{0,9}:\s{0,9}")(?:[^"\\]|\\.)+`,
    String.raw`(?<=(?:${SECRETS})\\"\s{0,9}:\s{0,9}\\")(?:[^"\\]|\\\\(?:\\.|.))+`,
    String.raw`(?<=(?:${SECRETS})'\s{0,9}:\s{0,9}')(?:[^'\\]|\\.)+`,
    String.raw`(?<=(?:${SECRETS})(\\*["'])\s{0,9}:\s{0,9})-?\d[\w.+-]*`, // a number, whose mask has the quotes of its name
    String.raw`(?<=:\/\/[^/\s:@"']{0,200}:)[^/\s@"']{1,200}(?=@)`,
    String.raw`(?<=(?:bearer|basic)\s+)[\w.~+/=-]{12,}`,
    String.raw`(?<![\p{L}\p{N}_])(?:${CODES})[\w-]{16,}(?:\.[\w-]+)*`,
  ].join('|'),
  'gisu',
);

/** A value without what looks like a secret: texts and numbers under names such as `password`, and passwords and keys in texts. */
export function masked(value: unknown): any {
  if (typeof value === 'string') return value.length > 50_000 ? value : value.replace(WRITTEN, '$1••••••$1');
  if (Array.isArray(value)) return value.map(masked);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, item !== '' && ['string', 'number'].includes(typeof item) && SECRET.test(name) ? '••••••' : masked(item)]));
}

/** The first thing that says what a call is about. */
export function gist(args: unknown, longest = 60): string {
  if (typeof args === 'string') return cut(args, longest);
  if (args === null || typeof args !== 'object') return args === undefined ? '' : String(args);
  const values = Object.values(args).filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
  return cut(values.map(String).join(', '), longest);
}

export function cut(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
