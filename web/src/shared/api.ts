/** An answer that says what is wrong, in words for people. */
export class Refused extends Error {
  constructor(readonly status: number, message: string) { super(message); }
}

const token = (() => {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  try {
    if (found) {
      sessionStorage.setItem('stead-token', found);
      history.replaceState(null, '', location.pathname + location.search);
    }
    return found ?? sessionStorage.getItem('stead-token') ?? '';
  } catch { return found ?? ''; }
})();

let first: Promise<unknown> | undefined;

/** Let other requests wait for the answer to one, or its failure. */
export const after = (one: Promise<unknown>) => { first = one.catch(() => undefined); };

async function asked(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  if (first) await first;
  try {
    response = await fetch(`api/${path}`, { ...init, headers: { ...init.headers, ...(token ? { 'x-stead-token': token } : {}) } });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Refused(0, 'The server cannot be reached. It may have been stopped.');
  }
  if (!response.ok) {
    const said = await response.json().then((data: { error?: unknown }) => data.error, () => undefined);
    throw new Refused(response.status, typeof said === 'string' ? said : `The server answered with status ${response.status}.`);
  }
  return response;
}

export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> => (await asked(path, { signal })).json() as Promise<T>;

const posting = (body: unknown, signal?: AbortSignal): RequestInit =>
  ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal });

export const post = async <T>(path: string, body: unknown): Promise<T> => (await asked(path, posting(body))).json() as Promise<T>;

/** Send something, or ask for what is under way, and take the events of the answer while they come. An answer that is no stream is one
    event. */
export async function stream(path: string, body: unknown, signal: AbortSignal, take: (event: any) => void): Promise<void> {
  const response = await asked(path, body === undefined ? { signal } : posting(body, signal));
  if (response.status === 204) return;
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    take({ type: 'json', data: await response.json() });
    return;
  }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let read; !(read = await reader.read()).done;) {
    const events = (rest + read.value).split('\n\n');
    rest = events.pop()!;
    for (const line of events.join('\n').split('\n')) if (line.startsWith('data: ') && line !== 'data: [DONE]') take(JSON.parse(line.slice(6)));
  }
}
