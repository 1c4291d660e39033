import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './home.module.css';
import { useExisting } from './home-data.ts';
import { firstSteps } from './home-facts.ts';
import { stepTexts } from './texts.ts';

const KEY = 'svc.first-steps-hidden';

const PLACES = {
  talk: addresses.agent('default', 'demo'),
  key: addresses.newResource('default', 'Secret'),
  agent: addresses.newResource('default', 'Agent'),
  tool: addresses.newResource('default', 'McpServer'),
  room: addresses.newResource('default', 'Channel'),
} as const;

/** What to do with a new instance, until all of it is done or the person hides it. */
export const FirstSteps = (): ReactElement | null => {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(KEY) === 'true');
  const can = useCan();
  const isWanted = !isHidden && can('admin', { ns: 'default' });
  const existing = useExisting(isWanted);
  if (!isWanted || existing.data === undefined) return null;
  const steps = firstSteps(existing.data);
  if (steps.every(({ isDone }) => isDone)) return null;
  const hide = (): void => {
    localStorage.setItem(KEY, 'true');
    setHidden(true);
  };
  return (
    <Section
      title={stepTexts.title}
      actions={
        <Button kind="quiet" icon="close" onClick={hide}>
          {stepTexts.dismiss}
        </Button>
      }
    >
      <p className={styles.soft}>{stepTexts.lead}</p>
      <ol className={styles.steps}>
        {steps.map(({ step, isDone }) => {
          const { title, lead, command, action } = stepTexts[step];
          return (
            <li key={step} className={styles.step}>
              <span className={styles.needHead}>
                <Badge tone={isDone ? 'good' : 'calm'}>{isDone ? stepTexts.done : stepTexts.open}</Badge>
                <strong>{title}</strong>
              </span>
              <span>{lead}</span>
              <span className={styles.stepWays}>
                <Goto to={PLACES[step]}>{action}</Goto>
                <code>{command}</code>
              </span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
};
