import { TaskPhase } from '@svc/api/resources';
import { useParams } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto, TrailLink } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { sizeText } from '../../ui/time-texts.ts';
import { useMove, useTask } from './task-data.ts';
import { moveName, movesFrom, phaseWords, type TaskCard, titleOf } from './task-facts.ts';
import styles from './tasks.module.css';
import { texts } from './texts.ts';

/** One task: the work, how far it is, its results, and where it can go from here. */
export const TaskPage = (): ReactElement => {
  const { ns = '', name = '' } = useParams({ strict: false });
  const found = useTask(ns, name);
  const card = found.data?.card;
  const { text, tone } = phaseWords(card?.phase ?? TaskPhase.UNSPECIFIED);
  const can = useCan();
  return (
    <Page
      title={card === undefined ? name : titleOf(card)}
      above={<Goto to={addresses.tasks(ns)}>{`${texts.title} in ${ns}`}</Goto>}
      badge={card && <Badge tone={tone}>{text}</Badge>}
      actions={<CopyMenu command={`svc describe task ${name} -n ${ns}`} path={`/v1/ns/${ns}/resources/Task/${name}`} />}
    >
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {card && (
        <div className={styles.columns}>
          <TaskFacts card={card} />
          {can('operator', { ns }) && (
            <Moves key={`${ns}/${name} ${card.phase}`} card={card} version={found.data?.version ?? ''} />
          )}
        </div>
      )}
    </Page>
  );
};

const TaskFacts = ({ card: { ns, name, spec, status } }: { readonly card: TaskCard }): ReactElement => {
  const work = status.executionRef;
  return (
    <Section title={texts.description}>
      {spec.description !== '' && <p className={styles.text}>{spec.description}</p>}
      <Facts
        rows={[
          [texts.owner, spec.owner?.name],
          [texts.delegate, spec.delegate?.name],
          [texts.type, spec.type],
          [texts.namespace, ns],
          [
            texts.session,
            work !== undefined && work.sessionId !== '' && (
              <Goto key="session" to={addresses.session(work.namespace || ns, work.name, work.sessionId)}>
                {work.sessionId}
              </Goto>
            ),
          ],
          [
            texts.story,
            <TrailLink key="trail" ns={ns} id={name}>
              {texts.trail}
            </TrailLink>,
          ],
          [texts.created, <Time key="created" at={status.createdAt} />],
          [texts.updated, <Time key="updated" at={status.updatedAt} />],
          [texts.ended, status.completedAt !== 0n && <Time key="ended" at={status.completedAt} />],
          [texts.expires, status.completedAt === 0n && <Time key="expires" at={status.expiresAt} />],
        ]}
      />
      {status.progressSummary !== '' && (
        <>
          <h3>{texts.progress}</h3>
          <p className={styles.text}>{status.progressSummary}</p>
        </>
      )}
      {status.resultArtifacts.length + status.outputArtifactUris.length > 0 && <Results status={status} />}
    </Section>
  );
};

const Results = ({ status }: Pick<TaskCard, 'status'>): ReactElement => (
  <>
    <h3>{texts.results}</h3>
    <ul className={styles.cards}>
      {status.resultArtifacts.map(({ key, filename, mediaType, sizeBytes }) => (
        <li key={key} className={styles.foot}>
          <code>{filename || key}</code>
          <span className={styles.soft}>{`${mediaType} ${sizeText(Number(sizeBytes))}`}</span>
        </li>
      ))}
      {status.outputArtifactUris.map((uri) => (
        <li key={uri}>
          <code>{uri}</code>
        </li>
      ))}
    </ul>
  </>
);

const Moves = ({ card, version }: { readonly card: TaskCard; readonly version: string }): ReactElement => {
  const [summary, setSummary] = useState('');
  const [isAsking, setAsking] = useState(false);
  const move = useMove(card.ns, card.name, () => notify(texts.moved));
  const moves = movesFrom(card.phase);
  const to = (phase: TaskPhase): void => move.mutate({ phase, summary, version });
  // Work that goes back to its delegate needs words for what is left.
  const needsWords = (phase: TaskPhase): boolean =>
    phase === TaskPhase.RUNNING && card.phase === TaskPhase.NEEDS_REVIEW && summary.trim() === '';
  if (moves.length === 0) {
    return (
      <Section title={texts.move}>
        <p className={styles.soft}>{texts.noMoves}</p>
      </Section>
    );
  }
  return (
    <Section title={texts.move}>
      <TextArea label={texts.summary} hint={texts.summaryHint} value={summary} onChange={setSummary} rows={3} />
      {move.error && <Problem error={move.error} />}
      <div className={styles.buttons}>
        {moves.map((phase) => (
          <Button
            key={phase}
            kind={phase === TaskPhase.CANCELED ? 'danger' : 'normal'}
            isBusy={move.isPending}
            disabled={needsWords(phase)}
            disabledReason={texts.needsSummary}
            onClick={() => (phase === TaskPhase.CANCELED ? setAsking(true) : to(phase))}
          >
            {moveName(card.phase, phase)}
          </Button>
        ))}
      </div>
      {isAsking && (
        <Confirm
          title={texts.cancelTitle}
          action={texts.cancel}
          onConfirm={() => to(TaskPhase.CANCELED)}
          onClose={() => setAsking(false)}
        >
          <p>{texts.cancelLead}</p>
        </Confirm>
      )}
    </Section>
  );
};
