import type { SessionResponse } from '@svc/api/gateway';
import type { SessionKey } from '@svc/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useEffect, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { useSessionActions } from './actions/index.ts';
import { ChatView } from './chat-view.tsx';
import type { Conversation, ConversationView } from './conversation/index.ts';
import { costText, countText } from './figures.ts';
import { SESSION_PATH, type SessionView, VIEWS } from './index.ts';
import { Overridden } from './overridden.tsx';
import { useConversation, useSessionFacts, useSessionKey } from './session-data.ts';
import styles from './session-page.module.css';
import { StateBadge } from './state-badge.tsx';
import { texts } from './texts.ts';
import { TimelineView } from './timeline/index.ts';

const LABELS: Readonly<Record<SessionView, string>> = { chat: texts.chat, timeline: texts.timeline, json: texts.json };

/** One conversation. */
export const SessionPage = (): ReactElement => {
  const session = useSessionKey();
  // Another session is another page: drafts, place and forms are its own.
  return <OneSession key={`${session.ns} ${session.agent} ${session.sessionId}`} session={session} />;
};

const OneSession = ({ session }: { readonly session: SessionKey }): ReactElement => {
  const search = useSearch({ from: SESSION_PATH });
  const navigate = useNavigate();
  const { conversation, view } = useConversation(session);
  const found = useSessionFacts(session);
  const actions = useSessionActions(session, () => void conversation.refresh());
  const shown = VIEWS.find((view) => view === search.view) ?? 'chat';
  const isPlain = search.plain === '1';
  const facts = found.data;
  const show = (next: SessionView): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, view: next === 'chat' ? undefined : next }) });
  useKey({ keys: 'v', does: texts.view, run: () => show(VIEWS[(VIEWS.indexOf(shown) + 1) % VIEWS.length] ?? 'chat') });
  const problem =
    found.error ?? actions.fork.error ?? actions.compact.error ?? actions.clear.error ?? actions.remove.error;
  return (
    <Page
      title={session.agent}
      isFilled
      above={
        <nav aria-label={texts.sessions} className={styles.above}>
          <Link to="/ns/$ns/sessions" params={{ ns: session.ns }} search={{ agent: session.agent }}>
            {texts.sessions}
          </Link>
          <code>{session.sessionId}</code>
        </nav>
      }
      badge={
        <>
          <StateBadge state={facts?.state ?? 'IDLE'} />
          {facts !== undefined && facts.queuedTurns > 0 && <span>{`${facts.queuedTurns} ${texts.queued}`}</span>}
        </>
      }
      actions={<SessionMenu session={session} actions={actions} isPlain={isPlain} />}
      filters={
        !isPlain && (
          <>
            <Segments
              label={texts.view}
              value={shown}
              options={VIEWS.map((value) => ({ value, label: LABELS[value] }))}
              onChange={show}
            />
            {facts !== undefined && <Figures facts={facts} />}
          </>
        )
      }
    >
      {problem !== null && <Problem error={problem} />}
      {facts !== undefined && <Overridden session={session} facts={facts} showsSource />}
      {(isPlain || shown === 'chat') && (
        <ChatView
          session={session}
          facts={facts}
          conversation={conversation}
          view={view}
          actions={actions}
          isPlain={isPlain}
          messageId={search.message}
          onTurn={(turn) => void navigate({ to: '.', search: (before) => ({ ...before, view: 'timeline', turn }) })}
        />
      )}
      {!isPlain && shown === 'timeline' && <TimelineView session={session} />}
      {!isPlain && shown === 'json' && <SessionJson facts={facts} conversation={conversation} view={view} />}
    </Page>
  );
};

interface SessionJsonProps {
  readonly facts: SessionResponse | undefined;
  readonly conversation: Conversation;
  readonly view: ConversationView;
}

/** The session and its newest messages as the API answers them. */
const SessionJson = ({ facts, conversation, view }: SessionJsonProps): ReactElement => {
  const { isLoaded } = view;
  // The few that the chat begins with are not all that can be read at once.
  useEffect(() => {
    if (isLoaded) void conversation.refresh();
  }, [isLoaded, conversation]);
  return (
    <div className={styles.json}>
      <JsonView value={{ session: facts, messages: view.stored }} />
    </div>
  );
};

const Figures = ({
  facts,
}: {
  readonly facts: NonNullable<ReturnType<typeof useSessionFacts>['data']>;
}): ReactElement => {
  const { contextTokens, totalUsage } = facts;
  const cost = totalUsage?.costMicros;
  return (
    <span className={styles.figures}>
      {[
        contextTokens &&
          `${texts.context} ${countText(Number(contextTokens.totalTokens || contextTokens.inputTokens))}`,
        totalUsage && `${texts.total} ${countText(Number(totalUsage.totalTokens))} tokens`,
        cost !== undefined && costText(Number(cost)),
      ]
        .filter(Boolean)
        .join(' · ')}
    </span>
  );
};

interface SessionMenuProps {
  readonly session: SessionKey;
  readonly actions: ReturnType<typeof useSessionActions>;
  readonly isPlain: boolean;
}

const SessionMenu = ({ session, actions, isPlain }: SessionMenuProps): ReactElement => {
  const can = useCan();
  const navigate = useNavigate();
  const [asks, setAsks] = useState<'clear' | 'remove'>();
  const mayWrite = can('operator', session);
  const { ns, agent, sessionId } = session;
  const togglePlain = (): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, plain: isPlain ? undefined : '1' }) });
  const items: readonly MenuItem[] = [
    { label: texts.forkAll, icon: 'fork', onSelect: () => actions.fork.mutate('') },
    { label: texts.compact, icon: 'layers', onSelect: () => actions.compact.mutate() },
    { label: texts.clear, icon: 'close', isDanger: true, onSelect: () => setAsks('clear') },
    { label: texts.remove, icon: 'trash', isDanger: true, onSelect: () => setAsks('remove') },
  ];
  if (isPlain) return <Button onClick={togglePlain}>{texts.fullView}</Button>;
  return (
    <>
      <CopyMenu
        command={`svc chat ${agent} -n ${ns} --session ${sessionId}`}
        path={`/v1/ns/${ns}/agents/${agent}/sessions/${sessionId}`}
      />
      <IconButton label={texts.plain} icon="eye" onClick={togglePlain} />
      {mayWrite && <Menu label={texts.actions} items={items} />}
      {asks === 'clear' && (
        <Confirm
          title={texts.clearTitle}
          action={texts.clear}
          onConfirm={() => actions.clear.mutate()}
          onClose={() => setAsks(undefined)}
        >
          {texts.clearText}
        </Confirm>
      )}
      {asks === 'remove' && (
        <Confirm
          title={texts.removeTitle}
          action={texts.remove}
          onConfirm={() => actions.remove.mutate()}
          onClose={() => setAsks(undefined)}
        >
          {texts.removeText}
        </Confirm>
      )}
    </>
  );
};
