import { TaskPhase } from '@svc/api/resources';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DetailFrame } from './detail-frame.tsx';
import styles from './inbox.module.css';
import { useMoveTask } from './inbox-data.ts';
import type { TaskItem } from './inbox-item.ts';
import { texts } from './texts.ts';

interface TaskDetailProps {
  readonly item: TaskItem;
  readonly onDone: () => void;
}

/** A task whose delegate says that it is done. */
export const TaskDetail = (props: TaskDetailProps): ReactElement => {
  const { item } = props;
  const { spec, status, metadata } = item.task;
  const session = status?.executionRef;
  const can = useCan();
  return (
    <DetailFrame
      item={item}
      trailId={metadata?.name ?? ''}
      facts={[
        [texts.owner, spec?.owner?.name],
        [texts.delegate, spec?.delegate?.name],
        [
          texts.session,
          session === undefined || session.sessionId === '' ? (
            ''
          ) : (
            <Goto key="session" to={addresses.session(session.namespace || item.ns, session.name, session.sessionId)}>
              {session.sessionId}
            </Goto>
          ),
        ],
      ]}
      answers={can('operator', { ns: item.ns }) ? <Answers {...props} /> : undefined}
    >
      {spec?.description && <p className={styles.text}>{spec.description}</p>}
      {status?.progressSummary && (
        <section className={styles.about}>
          <h3>{texts.progress}</h3>
          <p className={styles.text}>{status.progressSummary}</p>
        </section>
      )}
      {(status?.outputArtifactUris.length ?? 0) > 0 && (
        <section className={styles.about}>
          <h3>{texts.artifacts}</h3>
          <ul>
            {status?.outputArtifactUris.map((uri) => (
              <li key={uri}>
                <code>{uri}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </DetailFrame>
  );
};

const Answers = ({ item, onDone }: TaskDetailProps): ReactElement => {
  const move = useMoveTask(onDone);
  const [summary, setSummary] = useState('');
  const to = (phase: TaskPhase): void => move.mutate({ item, phase, summary });
  const accept = (): void => to(TaskPhase.SUCCEEDED);
  const sendBack = (): void => to(TaskPhase.RUNNING);
  const canSendBack = summary.trim() !== '';
  useKey({ keys: 'a', does: texts.accept, run: accept }, !move.isPending);
  useKey({ keys: 'd', does: texts.sendBack, run: sendBack }, canSendBack && !move.isPending);
  return (
    <>
      <TextArea label={texts.review} hint={texts.reviewHint} value={summary} onChange={setSummary} rows={2} />
      {move.error && <Problem error={move.error} />}
      <div className={styles.buttons}>
        <Button kind="primary" icon="check" shortcut="a" isBusy={move.isPending} onClick={accept}>
          {texts.accept}
        </Button>
        <Button
          icon="retry"
          shortcut="d"
          isBusy={move.isPending}
          disabled={!canSendBack}
          disabledReason={texts.sendBackReason}
          onClick={sendBack}
        >
          {texts.sendBack}
        </Button>
        <Button kind="danger" isBusy={move.isPending} onClick={() => to(TaskPhase.FAILED)}>
          {texts.fail}
        </Button>
      </div>
    </>
  );
};
