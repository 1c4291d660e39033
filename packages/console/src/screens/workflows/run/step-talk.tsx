import { MessageRole } from '@svc/api/data';
import { textOf } from '@svc/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Loading } from '../../../ui/loading.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { texts } from '../texts.ts';
import styles from '../workflows.module.css';
import { useStepTalk } from './run-data.ts';

interface StepTalkProps {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
}

const WRITERS: Readonly<Partial<Record<MessageRole, string>>> = {
  [MessageRole.ROLE_USER]: 'Workflow',
  [MessageRole.ROLE_SYSTEM]: 'System',
};

/** What the agent of a step was asked and said. */
export const StepTalk = ({ ns, agent, sessionId }: StepTalkProps): ReactElement => {
  const found = useStepTalk(ns, agent, sessionId);
  // The address belongs to another screen.
  const to: string = `/ns/${ns}/agents/${agent}/sessions/${sessionId}`;
  return (
    <div>
      <h3>{texts.session}</h3>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && <p>{texts.noMessages}</p>}
      <ul className={styles.talk} aria-label={texts.messages}>
        {(found.data ?? []).map((message) => (
          <li key={message.id}>
            <h4>{WRITERS[message.role] ?? agent}</h4>
            {textOf(message)}
          </li>
        ))}
      </ul>
      <Link to={to}>{texts.openSession}</Link>
    </div>
  );
};
