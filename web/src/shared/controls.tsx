import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons';

type Button = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> & { icon: IconName; label: string; children?: ComponentChildren; disabled?: boolean; type?: 'button' | 'submit'; kind?: string };

/** A button with an icon. Without children the label is for those who cannot see it, and a tooltip. */
export function IconButton({ icon, label, children, kind = 'quiet', type = 'button', ...rest }: Button) {
  return (
    <button {...rest} type={type} class={`button ${kind} ${children ? '' : 'square'} ${rest.class ?? ''}`}
      aria-label={children ? undefined : label} title={children ? undefined : label}>
      <Icon name={icon} />{children}
    </button>
  );
}

export function CopyButton({ text, what = 'text' }: { text: string; what?: string }) {
  const [done, setDone] = useState(false);
  const timer = useRef<number>(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); } catch { return; }
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), 1500) as unknown as number;
  };
  return <IconButton icon={done ? 'check' : 'copy'} label={done ? 'Copied' : `Copy ${what}`} onClick={copy} class="small" />;
}

const THEMES = ['system', 'light', 'dark'] as const;

export function applyTheme(theme: string) {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function stored(name: string): string | null {
  try { return localStorage.getItem(name); } catch { return null; }
}

export function store(name: string, value: string) {
  try { localStorage.setItem(name, value); } catch { /* a browser without storage forgets it */ }
}

/** The theme that was chosen. The server paints a page in it from its first moment, so it knows it from a cookie. */
export const chosenTheme = () => /(?:^|; )stead-theme=(light|dark|system)/.exec(document.cookie)?.[1] ?? stored('stead-theme') ?? 'system';

export function ThemeButton() {
  const [theme, setTheme] = useState(typeof document === 'undefined' ? 'system' : chosenTheme());
  const choose = (next: string) => {
    setTheme(next);
    applyTheme(next);
    store('stead-theme', next); // for a page that no server has sent
    document.cookie = `stead-theme=${next}; path=/; max-age=31536000; samesite=lax`;
  };
  const next = THEMES[(THEMES.indexOf(theme as 'system') + 1) % THEMES.length]!;
  return <IconButton icon={theme === 'dark' ? 'moon' : 'sun'} label={`Colours: ${theme}. Change to ${next}`} onClick={() => choose(next)} />;
}

export function Status({ status }: { status: string }) {
  const words: Record<string, string> = { running: 'Running', waiting: 'Waiting', done: 'Done', failed: 'Failed', abandoned: 'Abandoned', answered: 'Answered', cancelled: 'Cancelled', stopped: 'Stopped' };
  return <span class={`status is-${status}`}><span class="dot" />{words[status] ?? status}</span>;
}

/** What a screen reader says. It is never redrawn; its text changes, and only then is it read. */
export function Announcer({ text }: { text: string }) {
  return <div class="unseen" role="status" aria-live="polite">{text}</div>;
}
