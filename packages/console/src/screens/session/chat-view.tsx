import type { PermissionRequest } from '@svc/api/data';
import type { SessionResponse } from '@svc/api/gateway';
import type { SessionKey } from '@svc/client';
import { type ReactElement, useMemo, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import {
  agentValues,
  messageItems,
  type Retry,
  RetryForm,
  sessionValues,
  TryForm,
  type useSessionActions,
} from './actions/index.ts';
import { Composer, composerStyles as styles } from './composer/index.ts';
import {
  type Conversation,
  type ConversationView,
  plainRows,
  type ThreadMessage,
  type ThreadRow,
  textIn,
  threadMessages,
  threadRows,
} from './conversation/index.ts';
import { OpenRequest } from './request/index.ts';
import { useMayOverride, useOpenRequests, useProfiles, useSessionAgent } from './session-data.ts';
import { texts } from './texts.ts';
import { RowView, Thread } from './thread/index.ts';

interface ChatProps {
  readonly session: SessionKey;
  readonly facts: SessionResponse | undefined;
  readonly conversation: Conversation;
  readonly view: ConversationView;
  readonly actions: ReturnType<typeof useSessionActions>;
  readonly isPlain: boolean;
  /** Message to begin at, else the end. */
  readonly messageId?: string | undefined;
  /** Shows a turn in the timeline. */
  readonly onTurn: (turnId: string) => void;
}

/** The conversation, and where a person answers. */
export const ChatView = (props: ChatProps): ReactElement => {
  const { session, facts, conversation, view, actions, isPlain, messageId, onTurn } = props;
  const mayWrite = useCan()('operator', session);
  const mayOverride = useMayOverride(session);
  const [retried, setRetried] = useState<AskedAgain>();
  /** How often the person has sent something: each time the thread goes to its end. */
  const [sent, setSent] = useState(0);
  const requests = useOpenRequests(session, facts?.activeTurnId ?? '');
  const messages = useMemo(() => threadMessages(view.stored, view.live), [view.stored, view.live]);
  const all = useMemo(() => threadRows(messages), [messages]);
  const rows = isPlain ? plainRows(all) : all;
  const itemsOf = messageItems({
    session,
    messages,
    conversation,
    actions,
    mayWrite,
    mayOverride,
    onRetry: (message) => setRetried({ message, isTry: false }),
    onTry: (message) => setRetried({ message, isTry: true }),
    onTurn,
  });
  if (!view.isLoaded) {
    return view.error === undefined ? <Loading /> : <Problem error={view.error} onRetry={conversation.start} />;
  }
  return (
    <>
      {rows.length === 0 ? (
        <div className={styles.rest}>
          <Empty icon="chat" title={texts.empty}>
            <p>{texts.emptyHint}</p>
          </Empty>
        </div>
      ) : (
        <Thread
          rows={rows}
          messageId={messageId}
          sent={sent}
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
      {withoutRow(requests, rows).map((request) => (
        <OpenRequest key={request.id} session={session} request={request} />
      ))}
      {view.error !== undefined && <Problem error={view.error} onRetry={conversation.start} />}
      {!view.isConnected && <p className={styles.quiet}>{texts.lost}</p>}
      <ChatFoot
        {...props}
        mayWrite={mayWrite}
        retried={retried}
        onRetried={() => setRetried(undefined)}
        onSent={() => {
          setSent(sent + 1);
          void conversation.refresh();
        }}
      />
    </>
  );
};

/** Those whose message has not come yet. */
const withoutRow = (
  requests: readonly PermissionRequest[],
  rows: readonly ThreadRow[],
): readonly PermissionRequest[] => {
  if (requests.length === 0) return requests;
  const shown = new Set(rows.flatMap((row) => (row.kind === 'request' ? [textIn(row.part, 'request_id')] : [])));
  return requests.filter(({ id }) => !shown.has(id));
};

/** A message that is asked once more: with another text, or of another model, temperature or prompt. */
interface AskedAgain {
  readonly message: ThreadMessage;
  readonly isTry: boolean;
}

interface ChatFootProps extends ChatProps {
  readonly mayWrite: boolean;
  /** The message that is asked once more, instead of a new one. */
  readonly retried: AskedAgain | undefined;
  readonly onRetried: () => void;
  readonly onSent: () => void;
}

const ChatFoot = (props: ChatFootProps): ReactElement => {
  const { session, facts, conversation, actions, isPlain, mayWrite, retried, onRetried, onSent } = props;
  const profiles = useProfiles(session);
  const isBusy = facts !== undefined && facts.state !== 'IDLE';
  if (!mayWrite) return <p className={styles.quiet}>{texts.noRight}</p>;
  return (
    <>
      <p className="visually-hidden" role="status">
        {isBusy ? texts.writing : texts.finished}
      </p>
      {retried === undefined ? (
        <Composer session={session} isBusy={isBusy} profiles={profiles} isPlain={isPlain} onSent={onSent} />
      ) : (
        <AgainForm
          key={`${retried.message.id} ${retried.isTry}`}
          {...props}
          retried={retried}
          isBusy={actions.retry.isPending}
          error={actions.retry.error}
          onClose={onRetried}
          onRetry={(retry) =>
            actions.retry.mutate(
              { ...retry, message: retried.message, through: () => conversation.idBefore(retried.message.id) },
              { onSuccess: onRetried },
            )
          }
        />
      )}
    </>
  );
};

interface AgainFormProps extends Pick<ChatFootProps, 'session' | 'facts'> {
  readonly retried: AskedAgain;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onRetry: (retry: Omit<Retry, 'message' | 'through'>) => void;
  readonly onClose: () => void;
}

const AgainForm = ({ session, facts, retried, ...form }: AgainFormProps): ReactElement => {
  const { isBusy, error, onRetry, onClose } = form;
  const agent = useSessionAgent(session);
  const common = { message: retried.message, isBusy, error, onClose };
  const labels = facts?.labels ?? {};
  return retried.isTry ? (
    <TryForm
      {...common}
      values={sessionValues(agentValues(agent?.spec), facts?.overrides)}
      onTry={(tried) => onRetry({ ...tried, labels: {}, profile: '' })}
    />
  ) : (
    <RetryForm {...common} labels={labels} profiles={agent?.spec?.modelPolicy?.profiles ?? []} onRetry={onRetry} />
  );
};
