import { MessageRole, type SessionMessage } from '@svc/api/data';
import { textOf } from '@svc/client';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useRead, useWrite } from '../../api/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './agents.module.css';
import { texts } from './texts.ts';

interface TestTurnProps {
  readonly ns: string;
  readonly agent: string;
}

const WAIT_SECONDS = 120;

/** A short conversation next to the form, with the agent as it is saved. */
export const TestTurn = ({ ns, agent }: TestTurnProps): ReactElement => {
  const [sessionId, setSessionId] = useState('');
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const messages = useRead({
    key: ['ListSessionMessages', ns, agent, sessionId],
    call: async (client, signal) =>
      sessionId === ''
        ? []
        : (await client.gateway.listSessionMessages({ ns, agent, sessionId }, { signal })).items.flatMap(
            ({ message }) => message ?? [],
          ),
    shows: { topics: ['message', 'turn'] },
  });
  const send = useWrite<string, unknown>(
    async (client, message) => {
      let id = sessionId;
      if (id === '') {
        const { session } = await client.gateway.createSession({ ns, agent });
        id = session?.metadata?.name ?? '';
        setSessionId(id);
      }
      return client.gateway.sendMessage(
        { ns, agent, sessionId: id, message, waitSeconds: WAIT_SECONDS },
        { timeoutMs: (WAIT_SECONDS + 10) * 1_000 },
      );
    },
    { changes: { topics: ['message'] }, onDone: () => setText('') },
  );
  const submit = (): void => {
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  return (
    <aside className={styles.test} aria-label={texts.testTurn}>
      <p className={styles.soft}>{texts.testLead}</p>
      <div className={styles.messages} aria-live="polite">
        {messages.data?.map((message) => (
          <Message key={message.id} message={message} />
        ))}
        {messages.error && <Problem error={messages.error} />}
        {send.error && <Problem error={send.error} />}
        {send.isPending && <Loading label={texts.waiting} />}
      </div>
      <form
        className={styles.write}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextArea
          label={texts.message}
          isLabelHidden
          placeholder={texts.message}
          value={text}
          onChange={setText}
          onEnter={submit}
          rows={2}
        />
        <div className={styles.actions}>
          <Button
            kind="primary"
            type="submit"
            icon="send"
            isBusy={send.isPending}
            disabled={text.trim() === ''}
            disabledReason={texts.message}
          >
            {texts.send}
          </Button>
          {sessionId !== '' && <Button onClick={() => setSessionId('')}>{texts.newSession}</Button>}
          {sessionId !== '' && (
            <Button
              icon="external"
              onClick={() =>
                void navigate({ to: '/ns/$ns/agents/$agent/sessions/$sessionId', params: { ns, agent, sessionId } })
              }
            >
              {texts.openSession}
            </Button>
          )}
        </div>
      </form>
    </aside>
  );
};

const Message = ({ message }: { readonly message: SessionMessage }): ReactElement | null => {
  const text = textOf(message);
  if (text === '') return null;
  const isMine = message.role === MessageRole.ROLE_USER;
  return (
    <div className={isMine ? styles.mine : styles.reply}>
      {isMine && <span className="visually-hidden">{texts.you}</span>}
      <Markdown text={text} />
    </div>
  );
};
