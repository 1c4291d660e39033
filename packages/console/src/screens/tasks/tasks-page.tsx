import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useTasks } from './task-data.ts';
import { boardOf, cardOf, phaseWords, type TaskCard, titleOf } from './task-facts.ts';
import styles from './tasks.module.css';
import { texts } from './texts.ts';

/** The tasks of a namespace, or of all, as a board by phase. */
export const TasksPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const found = useTasks(ns);
  const resources = found.data?.pages.flatMap((page) => page.resources) ?? [];
  const cards = resources.flatMap((resource) => cardOf(resource) ?? []);
  const newPlace = addresses.newResource(ns === EVERYWHERE ? 'default' : ns, 'Task');
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          <Goto to={newPlace}>{texts.create}</Goto>
          <CopyMenu
            command={`svc get tasks ${ns === EVERYWHERE ? '-A' : `-n ${ns}`}`}
            path={`/v1/ns/${ns}/resources?kind=Task`}
          />
        </>
      }
    >
      <Listing
        found={found}
        count={cards.length}
        empty={
          <Empty icon="task" title={texts.none}>
            <p>{texts.noneLead}</p>
            <Goto to={newPlace}>{texts.create}</Goto>
            <code>svc explain task</code>
          </Empty>
        }
      >
        <div className={styles.board}>
          {boardOf(cards).map(({ title, cards: own }) => (
            <section key={title} className={styles.column} aria-label={title}>
              <h2>
                {title} <span className={styles.soft}>{own.length}</span>
              </h2>
              <ul className={styles.cards}>
                {own.map((card) => (
                  <Card key={card.uid} card={card} />
                ))}
              </ul>
            </section>
          ))}
        </div>
      </Listing>
      {found.hasNextPage && <Button onClick={() => void found.fetchNextPage()}>{texts.more}</Button>}
    </Page>
  );
};

const Card = ({ card }: { readonly card: TaskCard }): ReactElement => {
  const { ns, name, spec, status, phase } = card;
  const { text, tone } = phaseWords(phase);
  const people = [spec.owner?.name, spec.delegate?.name].filter(Boolean).join(' → ');
  return (
    <li className={styles.card}>
      <Goto to={addresses.task(ns, name)}>{titleOf(card)}</Goto>
      <span className={styles.soft}>{[people, ns].filter(Boolean).join(' · ')}</span>
      {status.progressSummary !== '' && <span className={styles.progress}>{status.progressSummary}</span>}
      <span className={styles.foot}>
        <Badge tone={tone}>{text}</Badge>
        <span className={styles.soft}>
          <Time at={status.updatedAt} />
        </span>
      </span>
    </li>
  );
};
