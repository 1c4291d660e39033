import type { ReactElement } from 'react';
import { TrailLink } from '../../../app/address.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { Time } from '../../../ui/time.tsx';
import { isWaiting, type ThreadMessage } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import styles from '../thread.module.css';

interface MessageHeadProps {
  readonly ns: string;
  readonly message: ThreadMessage;
  readonly agent: string;
  /** None for people who only talk. */
  readonly items: readonly MenuItem[];
}

/** Who said it and when, and what can be done with it. */
export const MessageHead = ({ ns, message, agent, items }: MessageHeadProps): ReactElement => {
  const { role, labels, createdAt, isLive } = message;
  const attempt = Number(labels['svc/attempt'] ?? '1');
  return (
    <div className={styles.head}>
      <strong>{role === 'user' ? texts.you : role === 'assistant' ? agent : texts.system}</strong>
      <Time at={createdAt} />
      {labels['svc/profile'] && <span>{labels['svc/profile']}</span>}
      {isLive && <Progress message={message} />}
      {attempt > 1 && <Badge tone="warn">{`Recovered, attempt ${attempt}`}</Badge>}
      {labels['svc/message-state'] === 'stopped' && <Badge tone="calm">{texts.stopped}</Badge>}
      {labels['svc/message-state'] === 'failed' && <Badge tone="bad">{texts.failed}</Badge>}
      <span className={styles.space} />
      {items.length > 0 && (
        <>
          <TrailLink ns={ns} id={recordOf(message)}>
            {texts.trail}
          </TrailLink>
          <Menu label={texts.messageActions} items={items} />
        </>
      )}
    </div>
  );
};

/** The record whose trail is shown: a message has one once it is stored, its turn has one from the beginning. */
const recordOf = ({ id, isLive, labels }: ThreadMessage): string => (isLive && labels['svc/turn']) || id;

const Progress = ({ message }: { readonly message: ThreadMessage }): ReactElement =>
  isWaiting(message) ? <Badge tone="warn">{texts.waiting}</Badge> : <Badge tone="busy">{texts.writing}</Badge>;
