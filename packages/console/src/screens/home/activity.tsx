import type { Delivery, WorkflowRun } from '@svc/api/data';
import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { Section } from '../../ui/page.tsx';
import { Bars } from './bars.tsx';
import styles from './home.module.css';
import type { Conversation } from './home-data.ts';
import { HOUR_MS, isWithin, lastHour } from './home-facts.ts';
import { texts } from './texts.ts';

interface ActivityProps {
  readonly conversations: readonly Conversation[];
  readonly deliveries: readonly Delivery[];
  readonly runs: readonly WorkflowRun[];
  readonly nowMs: number;
  /** What is not counted. */
  readonly note: string | undefined;
}

/** The last hour: numbers with small charts, each a link to its list. */
export const Activity = ({ conversations, deliveries, runs, nowMs, note }: ActivityProps): ReactElement => {
  const charts = [
    {
      label: texts.conversations,
      moments: conversations.map(({ at }) => at),
      to: addresses.sessions(EVERYWHERE),
    },
    {
      label: texts.deliveries,
      moments: deliveries.map(({ createdAt }) => createdAt),
      to: addresses.deliveries(EVERYWHERE),
    },
    { label: texts.runs, moments: runs.map(({ createdAt }) => createdAt), to: addresses.workflows(EVERYWHERE) },
  ];
  return (
    <Section title={texts.activity}>
      <div className={styles.charts}>
        {charts.map(({ label, moments, to }) => {
          const count = moments.filter((moment) => isWithin(moment, HOUR_MS, nowMs)).length;
          return (
            <div key={label} className={styles.chart}>
              <span className={styles.number}>{count}</span>
              <Goto to={to}>{label}</Goto>
              <Bars label={`${label}: ${count}, ${texts.perFive}`} values={lastHour(moments, nowMs)} />
            </div>
          );
        })}
      </div>
      {note && <p className={styles.soft}>{note}</p>}
    </Section>
  );
};
