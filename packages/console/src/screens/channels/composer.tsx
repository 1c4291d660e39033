import type { ChannelSubscription } from '@svc/api/resources';
import { type ReactElement, useRef, useState } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './channel.module.css';
import { type ChannelKey, usePost } from './channel-data.ts';
import { MentionField } from './mention-field.tsx';
import { texts } from './texts.ts';

interface ComposerProps {
  readonly channelKey: ChannelKey;
  readonly isClosed: boolean;
  readonly subscriptions: readonly ChannelSubscription[];
}

/** Where a person writes, with the agents that are only called by name to tick. */
export const Composer = ({ channelKey, isClosed, subscriptions }: ComposerProps): ReactElement => {
  const { whoAmI } = useAccess();
  const draftKey = `svc.draft ${channelKey.ns}/${channelKey.name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey) ?? '');
  const [called, setCalled] = useState<readonly string[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (next: string): void => {
    setText(next);
    sessionStorage.setItem(draftKey, next);
  };
  const post = usePost(channelKey, () => {
    write('');
    setCalled([]);
  });
  const canPost = text.trim() !== '' && !isClosed;
  const send = (): void => {
    if (canPost && !post.isPending) post.mutate({ content: text, author: whoAmI.identity, subscriptionNames: called });
  };
  const manual = subscriptions.filter(({ spec }) => spec?.trigger === 'manual');
  useKey({ keys: 'c', does: texts.focus, run: () => field.current?.focus() });
  return (
    <div className={styles.composer}>
      {post.error && <Problem error={post.error} />}
      <MentionField
        field={field}
        text={text}
        onChange={write}
        onSend={send}
        names={subscriptions.map(({ spec }) => spec?.agent ?? '')}
        isReadOnly={isClosed}
      />
      <div className={styles.composerFoot}>
        {manual.map(({ metadata }) => {
          const name = metadata?.name ?? '';
          return (
            <Checkbox
              key={name}
              label={texts.alsoCall(name)}
              checked={called.includes(name)}
              onChange={(isOn) => setCalled(isOn ? [...called, name] : called.filter((other) => other !== name))}
            />
          );
        })}
        <Button
          kind="primary"
          icon="send"
          isBusy={post.isPending}
          disabled={!canPost}
          disabledReason={isClosed ? texts.closed : texts.blank}
          onClick={send}
        >
          {texts.send}
        </Button>
      </div>
    </div>
  );
};
