import type { ReactElement, ReactNode } from 'react';
import { TrailLink } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './inbox.module.css';
import type { InboxItem } from './inbox-item.ts';
import { effects, kindNames, texts } from './texts.ts';

interface DetailFrameProps {
  readonly item: InboxItem;
  /** Of its kind; the common ones are added. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
  /** Id of the record whose trail tells why this is asked. */
  readonly trailId: string;
  /** What is asked about. */
  readonly children: ReactNode;
  /** The ways to answer; undefined for those who may only read. */
  readonly answers: ReactNode | undefined;
}

/** What all items show in the same places: the question, the facts, what is asked about, the answers and their effect. */
export const DetailFrame = ({ item, facts, trailId, children, answers }: DetailFrameProps): ReactElement => (
  <article className={styles.frame} aria-label={item.title}>
    <header className={styles.question}>
      <Badge tone="warn">{kindNames[item.kind]}</Badge>
      <h2>{item.title}</h2>
    </header>
    <Facts
      rows={[
        ...facts,
        [texts.namespace, item.ns],
        [texts.since, <Time key="since" at={item.at} />],
        [texts.until, item.expiresAt === 0n ? undefined : <Time key="until" at={item.expiresAt} />],
        [
          texts.turn,
          <TrailLink key="trail" ns={item.ns} id={trailId}>
            {texts.trail}
          </TrailLink>,
        ],
      ]}
    />
    {children}
    <footer className={styles.answers} data-answers>
      {answers ?? <p>{texts.readOnly}</p>}
      <p className={styles.effect}>
        <strong>{texts.after}:</strong> {effects[item.kind]}
      </p>
    </footer>
  </article>
);
