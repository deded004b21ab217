import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../shared/controls';
import { Icon } from '../shared/icons';
import type { FilePart } from './model';

export type Setup = { name: string; models: { id: string; name: string; tools: string[] }[]; tools: { id: string; name: string }[]; examples: string[] };
type Props = {
  setup: Setup; typed: string; busy: boolean; model: string; tools: string[]; field: RefObject<HTMLTextAreaElement | null>;
  setModel: (id: string) => void; setTools: (ids: string[]) => void; send: (text: string, files: FilePart[]) => void; stop: () => void; editLast: () => void;
};

const MOST = 10 * 1024 * 1024;

const read = (file: File) => new Promise<FilePart>((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve({ url: String(reader.result), media: file.type, name: file.name });
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

export function Composer({ setup, typed, busy, model, tools, field, setModel, setTools, send, stop, editLast }: Props) {
  const [text, setText] = useState(typed);
  const [files, setFiles] = useState<FilePart[]>([]);
  const [problem, setProblem] = useState('');
  const [target, setTarget] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const reading = useRef(0); // what is sent meanwhile waits, so that it has these files
  const due = useRef(false);
  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
  }, [text]);
  const add = async (list: Iterable<File>) => {
    const chosen = [...list];
    const sizes = chosen.reduce((sum, file) => sum + file.size, files.reduce((sum, file) => sum + file.url.length * 0.75, 0));
    if (sizes > MOST) return setProblem('Files can have 10 MB together.');
    setProblem('');
    reading.current += 1;
    try {
      const more = await Promise.all(chosen.map(read));
      setFiles((before) => [...before, ...more]);
    } catch {
      due.current = false;
      setProblem('A file cannot be read.');
    } finally { reading.current -= 1; }
  };
  const submit = () => {
    due.current = reading.current > 0;
    if (due.current) return;
    if (busy || (!text.trim() && !files.length)) return;
    send(text.trim(), files);
    setText('');
    setFiles([]);
  };
  useLayoutEffect(() => { if (due.current && !reading.current) submit(); });
  const able = setup.models.find((one) => one.id === model)?.tools ?? [];
  const offered = setup.tools.filter((tool) => able.includes(tool.id));
  return (
    <form class={`composer ${target ? 'is-target' : ''}`} onSubmit={(event) => { event.preventDefault(); submit(); }}
      onDragOver={(event) => { event.preventDefault(); setTarget(true); }} onDragLeave={() => setTarget(false)}
      onDrop={(event) => { event.preventDefault(); setTarget(false); if (event.dataTransfer) void add(event.dataTransfer.files); }}>
      {files.length > 0 && (
        <div class="chips">
          {files.map((file, index) => (
            <span key={index} class="chip">
              {/^data:image\//.test(file.url) ? <img src={file.url} alt="" /> : <Icon name="file" size={16} />}
              <span class="cut">{file.name}</span>
              <IconButton icon="close" label={`Remove ${file.name}`} class="small" onClick={() => setFiles(files.filter((_, other) => other !== index))} />
            </span>
          ))}
        </div>
      )}
      {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
      <textarea ref={field} rows={1} value={text} aria-label="Message" placeholder={`Message ${setup.name}`} autofocus
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => { const found = event.clipboardData?.files; if (found?.length) { event.preventDefault(); void add(found); } }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
          if (event.key === 'ArrowUp' && !text && !busy) { event.preventDefault(); editLast(); }
        }} />
      <div class="bar">
        <input ref={input} type="file" multiple hidden onChange={(event) => { if (event.currentTarget.files) void add(event.currentTarget.files); event.currentTarget.value = ''; }} />
        <IconButton icon="clip" label="Attach files" onClick={() => input.current?.click()} />
        {setup.models.length > 1 && (
          <span class="picker"><select class="pick" aria-label="Model" value={model} onChange={(event) => setModel(event.currentTarget.value)}>
            {setup.models.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
          </select><Icon name="down" size={14} /></span>
        )}
        {offered.map((tool) => (
          <button key={tool.id} type="button" class="button quiet" aria-pressed={tools.includes(tool.id)}
            onClick={() => setTools(tools.includes(tool.id) ? tools.filter((id) => id !== tool.id) : [...tools, tool.id])}>{tool.name}</button>
        ))}
        <span class="grow" />
        {busy ? <IconButton icon="stop" label="Stop" kind="main" class="round" onClick={stop} />
          : <IconButton icon="send" label="Send" kind="main" class="round" type="submit" disabled={!text.trim() && !files.length} />}
      </div>
    </form>
  );
}
