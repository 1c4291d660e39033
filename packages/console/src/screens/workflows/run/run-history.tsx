import type { ReactElement } from 'react';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Time } from '../../../ui/time.tsx';
import { texts } from '../texts.ts';
import styles from '../workflows.module.css';
import { type RunAddress, useRunEvents } from './run-data.ts';

/** What happened in a run, oldest first. */
export const RunHistory = ({ address }: { readonly address: RunAddress }): ReactElement => {
  const { events, error } = useRunEvents(address);
  return (
    <Section title={texts.history}>
      {error && <Problem error={error} />}
      <ol className={styles.history}>
        {events.map(({ id, timestamp, type, stepId, message }) => (
          <li key={id}>
            <Time at={timestamp} />
            <span>{type.replaceAll('_', ' ')}</span>
            <span>{stepId}</span>
            <span title={message}>{message}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
};
