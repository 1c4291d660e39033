import type { SessionKey } from '@svc/client';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../../access/access-context.ts';
import { replyText, withReplyText } from '../../../api/reply-text.ts';
import { useWrite } from '../../../api/use-call.ts';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { DELIVERY_LABEL, type ThreadMessage } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import styles from '../thread.module.css';

interface ReviewProps {
  readonly session: SessionKey;
  readonly message: ThreadMessage;
  readonly onDone: () => void;
}

interface Decision {
  readonly status: 'delivery_requested' | 'skipped';
  /** Parts in place of the stored ones; none leaves them. */
  readonly parts: ReturnType<typeof withReplyText>;
}

/** A reply to a platform that waits for a person: sent as it is, edited first, or not sent. */
export const Review = ({ session, message, onDone }: ReviewProps): ReactElement => {
  const can = useCan();
  const [text, setText] = useState<string>();
  const decide = useWrite(
    (client, { status, parts }: Decision) =>
      client.sessionControl.updateSessionMessage({
        ...session,
        messageId: message.id,
        labels: { [DELIVERY_LABEL]: status },
        parts,
      }),
    { changes: { topics: ['delivery', 'message'] }, onDone },
  );
  const send = (): void =>
    decide.mutate({
      status: 'delivery_requested',
      parts: text === undefined ? [] : withReplyText(message.parts, text),
    });
  return (
    <section className={styles.card} aria-label={texts.heldTitle}>
      <strong>{texts.heldTitle}</strong>
      {text !== undefined && <TextArea label={texts.heldText} value={text} onChange={setText} rows={6} autoFocus />}
      {decide.error && <Problem error={decide.error} />}
      {can('operator', session) && (
        <div className={styles.buttons}>
          <Button kind="primary" icon="send" isBusy={decide.isPending} onClick={send}>
            {texts.heldSend}
          </Button>
          {text === undefined ? (
            <Button icon="edit" onClick={() => setText(replyText(message.parts))}>
              {texts.heldEdit}
            </Button>
          ) : (
            <Button onClick={() => setText(undefined)}>{texts.cancel}</Button>
          )}
          <Button isBusy={decide.isPending} onClick={() => decide.mutate({ status: 'skipped', parts: [] })}>
            {texts.heldSkip}
          </Button>
        </div>
      )}
    </section>
  );
};
