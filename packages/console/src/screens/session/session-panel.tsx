import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Problem } from '../../ui/problem.tsx';
import { useSessionActions } from './actions/index.ts';
import { ChatView } from './chat-view.tsx';
import { SESSION_PATH } from './index.ts';
import { Overridden } from './overridden.tsx';
import { useConversation, useSessionFacts } from './session-data.ts';
import styles from './session-page.module.css';
import { sessionOf } from './session-text.ts';
import { StateBadge } from './state-badge.tsx';
import { texts } from './texts.ts';

/** A conversation next to another one, to compare what they say. */
export const SessionPanel = ({ panelKey }: PanelProps): ReactElement => {
  const session = useMemo(() => sessionOf(panelKey), [panelKey]);
  const navigate = useNavigate();
  const { conversation, view } = useConversation(session);
  const { data: facts, error } = useSessionFacts(session);
  const actions = useSessionActions(session, () => void conversation.refresh());
  const problem = error ?? actions.fork.error;
  const { ns, agent, sessionId } = session;
  return (
    <div className={styles.compared}>
      <div className={styles.comparedHead}>
        <h2>{facts?.labels['svc/forked-from'] === undefined ? agent : texts.forkOf(agent)}</h2>
        <StateBadge state={facts?.state ?? 'IDLE'} />
        <Goto to={addresses.session(ns, agent, sessionId)}>{texts.openAlone}</Goto>
      </div>
      {problem !== null && <Problem error={problem} />}
      {facts !== undefined && <Overridden session={session} facts={facts} />}
      <ChatView
        session={session}
        facts={facts}
        conversation={conversation}
        view={view}
        actions={actions}
        isPlain={false}
        onTurn={(turn) =>
          void navigate({ to: SESSION_PATH, params: { ns, agent, sessionId }, search: { view: 'timeline', turn } })
        }
      />
    </div>
  );
};
