import type { SessionResponse } from '@svc/api/gateway';
import type { SessionKey } from '@svc/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useMemo, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { copyText } from '../../ui/copy-text.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { Problem } from '../../ui/problem.tsx';
import { askedBefore } from './actions/fork-point.ts';
import { RetryForm } from './actions/retry-form.tsx';
import type { useSessionActions } from './actions/use-session-actions.ts';
import { Composer } from './composer/composer.tsx';
import styles from './composer/composer.module.css';
import type { Conversation, ConversationView } from './conversation/conversation.ts';
import { textIn } from './conversation/part-payload.ts';
import { plainRows, type ThreadMessage, threadMessages, threadRows, wordsOf } from './conversation/thread-rows.ts';
import { OpenRequest } from './request/request-row.tsx';
import { useOpenRequests, useProfiles } from './session-data.ts';
import { texts } from './texts.ts';
import { RowView } from './thread/row-view.tsx';
import { Thread } from './thread/thread.tsx';

interface ChatProps {
  readonly session: SessionKey;
  readonly facts: SessionResponse | undefined;
  readonly conversation: Conversation;
  readonly view: ConversationView;
  readonly actions: ReturnType<typeof useSessionActions>;
  readonly isPlain: boolean;
}

/** The conversation, and where a person answers. */
export const ChatView = ({ session, facts, conversation, view, actions, isPlain }: ChatProps): ReactElement => {
  const can = useCan();
  const { message: messageId } = useSearch({ strict: false });
  const [retried, setRetried] = useState<ThreadMessage>();
  const profiles = useProfiles(session);
  const requests = useOpenRequests(session, facts?.activeTurnId ?? '');
  const messages = useMemo(() => threadMessages(view.stored, view.live), [view.stored, view.live]);
  const all = useMemo(() => threadRows(messages), [messages]);
  const rows = isPlain ? plainRows(all) : all;
  const mayWrite = can('operator', session);
  const itemsOf = useMessageItems({ session, messages, conversation, actions, mayWrite, onRetry: setRetried });
  const isBusy = facts !== undefined && facts.state !== 'IDLE';
  const rowsOfRequests = new Set(rows.flatMap((row) => (row.kind === 'request' ? [textIn(row.part, 'request_id')] : [])));
  if (!view.isLoaded) {
    return view.error === undefined ? (
      <Loading />
    ) : (
      <Problem error={view.error} onRetry={() => void conversation.refresh()} />
    );
  }
  return (
    <>
      {rows.length === 0 ? (
        <Empty icon="chat" title={texts.empty}>
          <p>{texts.emptyHint}</p>
        </Empty>
      ) : (
        <Thread
          rows={rows}
          messageId={messageId}
          onStart={view.hasOlder ? () => void conversation.loadOlder() : undefined}
          render={(row) => (
            <RowView
              row={row}
              session={session}
              requests={requests}
              items={isPlain || row.kind !== 'head' ? [] : itemsOf(row.message)}
              onChanged={() => void conversation.refresh()}
            />
          )}
        />
      )}
      {requests
        .filter(({ id }) => !rowsOfRequests.has(id))
        .map((request) => (
          <OpenRequest key={request.id} session={session} request={request} />
        ))}
      {view.error !== undefined && <Problem error={view.error} />}
      {!view.isConnected && <p className={styles.quiet}>{texts.lost}</p>}
      <p className="visually-hidden" role="status">
        {isBusy ? texts.writing : texts.finished}
      </p>
      {!mayWrite && <p className={styles.quiet}>{texts.noRight}</p>}
      {mayWrite && retried === undefined && (
        <Composer
          session={session}
          isBusy={isBusy}
          profiles={profiles}
          isPlain={isPlain}
          onSent={() => void conversation.refresh()}
        />
      )}
      {mayWrite && retried !== undefined && (
        <RetryForm
          key={retried.id}
          message={retried}
          labels={facts?.labels ?? {}}
          profiles={profiles}
          isBusy={actions.retry.isPending}
          error={actions.retry.error}
          onClose={() => setRetried(undefined)}
          onRetry={(retry) =>
            actions.retry.mutate(
              { ...retry, message: retried, through: () => conversation.idBefore(retried.id) },
              { onSuccess: () => setRetried(undefined) },
            )
          }
        />
      )}
    </>
  );
};

interface MessageItems extends Pick<ChatProps, 'session' | 'conversation' | 'actions'> {
  readonly messages: readonly ThreadMessage[];
  readonly mayWrite: boolean;
  readonly onRetry: (message: ThreadMessage) => void;
}

/** What can be done with one message. */
const useMessageItems = (given: MessageItems): ((message: ThreadMessage) => readonly MenuItem[]) => {
  const { messages, conversation, actions, mayWrite, onRetry } = given;
  const navigate = useNavigate();
  return (message) => {
    const asked = message.role === 'user' ? message : askedBefore(messages, message.id);
    const turn = message.labels['svc/turn'];
    const again = (retried: ThreadMessage): void =>
      actions.retry.mutate({
        message: retried,
        text: wordsOf(retried),
        through: () => conversation.idBefore(retried.id),
        labels: {},
        profile: '',
      });
    const items: readonly (MenuItem | false)[] = [
      { label: texts.copyText, icon: 'copy', onSelect: () => void copyText(wordsOf(message), 'text') },
      mayWrite && { label: texts.fork, icon: 'fork', onSelect: () => actions.fork.mutate(message.id) },
      mayWrite && asked !== undefined && { label: texts.edit, icon: 'edit', onSelect: () => onRetry(asked) },
      mayWrite &&
        asked !== undefined &&
        message.role === 'assistant' && { label: texts.regenerate, icon: 'retry', onSelect: () => again(asked) },
      turn !== undefined && {
        label: texts.seeTurn,
        icon: 'clock',
        onSelect: () => void navigate({ to: '.', search: (before) => ({ ...before, view: 'timeline', turn }) }),
      },
      {
        label: 'Copy link',
        icon: 'external',
        onSelect: () => void copyText(linkTo(message.id), 'link'),
      },
    ];
    return items.filter((item) => item !== false);
  };
};

const linkTo = (messageId: string): string => {
  const address = new URL(location.href);
  address.searchParams.set('message', messageId);
  return address.href;
};
