import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './home.module.css';
import type { Conversation } from './home-data.ts';
import type { ScheduleLine } from './home-facts.ts';
import { texts } from './texts.ts';

const SHOWN = 8;

/** Conversations whose agent works or waits. */
export const ActiveNow = ({ conversations }: { readonly conversations: readonly Conversation[] }): ReactElement => (
  <Section title={texts.active}>
    {conversations.length === 0 && <p className={styles.calm}>{texts.noneActive}</p>}
    <ul className={styles.lines}>
      {conversations.slice(0, SHOWN).map(({ ns, agent, id, at, state }) => (
        <li key={id}>
          <Goto to={addresses.session(ns, agent, id)}>{`${agent} in ${ns}`}</Goto>
          <Badge tone={state === 'WAITING' ? 'warn' : 'busy'}>
            {state === 'WAITING' ? texts.waiting : texts.working}
          </Badge>
          <Time at={at} />
        </li>
      ))}
    </ul>
    {conversations.length > SHOWN && (
      <Goto to={addresses.sessions(EVERYWHERE)}>{texts.more(conversations.length - SHOWN)}</Goto>
    )}
  </Section>
);

/** Schedules that run soon. */
export const DueSchedules = ({ lines }: { readonly lines: readonly ScheduleLine[] }): ReactElement => (
  <Section title={texts.due}>
    {lines.length === 0 && <p className={styles.calm}>{texts.noneDue}</p>}
    <ul className={styles.lines}>
      {lines.slice(0, SHOWN).map(({ ns, name, nextRunAt }) => (
        <li key={`${ns}/${name}`}>
          <Goto to={addresses.schedule(ns, name)}>{`${name} in ${ns}`}</Goto>
          <Time at={nextRunAt} />
        </li>
      ))}
    </ul>
    {lines.length > SHOWN && <Goto to={addresses.schedules(EVERYWHERE)}>{texts.more(lines.length - SHOWN)}</Goto>}
  </Section>
);
