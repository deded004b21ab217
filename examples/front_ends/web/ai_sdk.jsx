// A front end with `useChat` of the AI SDK: text as it comes, the basket as data, and questions about orders.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, getToolName, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

function Part({ part, answer, isBusy }) {
  if (part.type === 'text') return <span>{part.text}</span>;
  if (part.type === 'data-basket') return <span className="tool"> basket: {part.data.items.join(', ')} </span>;
  if (!isToolUIPart(part)) return null;
  if (part.state !== 'approval-requested') return <span className="tool">[{getToolName(part)}: {part.state}] </span>;
  return (
    <span>
      Approve the call of {getToolName(part)}?{' '}
      <button disabled={isBusy} onClick={() => answer({ id: part.approval.id, approved: true })}>Yes</button>{' '}
      <button disabled={isBusy} onClick={() => answer({ id: part.approval.id, approved: false, reason: 'The user does not want it.' })}>No</button>
    </span>
  );
}

function Chat() {
  const [input, setInput] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, stop, status, error } = useChat({
    transport: new DefaultChatTransport({ api: '/ai-sdk' }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  // One run at a time: the next prompt or answer belongs to what this one leaves. Enter does nothing while the button is disabled.
  const isBusy = status === 'submitted' || status === 'streaming';
  const submit = (event) => {
    event.preventDefault();
    sendMessage({ text: input });
    setInput('');
  };
  return (
    <>
      <ul id="messages" aria-live="polite">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part, number) => <Part key={number} part={part} answer={addToolApprovalResponse} isBusy={isBusy} />)}
          </li>
        ))}
      </ul>
      <p id="error" role="alert">{error?.message}</p>
      <form onSubmit={submit}>
        <input name="prompt" aria-label="prompt" autoComplete="off" autoFocus value={input} onChange={(event) => setInput(event.target.value)} />
        <button disabled={isBusy}>Send</button>
        <button type="button" onClick={stop}>Stop</button>
      </form>
    </>
  );
}

createRoot(document.getElementById('root')).render(<Chat />);
