import type { Turn } from '@svc/api/data';
import type { SessionKey } from '@svc/client';
import type { ReactElement } from 'react';
import { usePanels } from '../../../app/panels/use-panels.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { durationText } from '../../../ui/time-texts.ts';
import { usageText } from '../figures.ts';
import { stepAddressText } from '../prompt/index.ts';
import { barStyle } from './bar-style.ts';
import styles from './timeline.module.css';
import { useReplies, useSteps } from './timeline-data.ts';
import { type TurnBar, turnBars, turnSpan } from './turn-bars.ts';

interface TurnDetailProps {
  readonly session: SessionKey;
  readonly turn: Turn;
  readonly nowMs: number;
}

/** What took time in one turn, each on its own line below the axis of the turn. */
export const TurnDetail = ({ session, turn, nowMs }: TurnDetailProps): ReactElement => {
  const steps = useSteps(session, turn.id);
  const replies = useReplies(session, turn);
  if (steps.error) return <Problem error={steps.error} onRetry={() => void steps.refetch()} />;
  if (steps.data === undefined) return <Loading />;
  const bars = turnBars({ turn, steps: steps.data.steps, replies, nowMs });
  const { startMs, endMs } = turnSpan(turn, nowMs);
  const lengthMs = Math.max(1, endMs - startMs);
  const place = (ms: number): number => Math.min(1, Math.max(0, (ms - startMs) / lengthMs));
  return (
    <div className={styles.detail}>
      {turn.error !== '' && <p className={styles.error}>{turn.error}</p>}
      <ol>
        {bars.map((bar) => (
          <li key={bar.key}>
            <BarLine session={session} turnId={turn.id} bar={bar} from={place(bar.startMs)} to={place(bar.endMs)} />
          </li>
        ))}
      </ol>
      <p className={styles.axis}>
        <span>0</span>
        <span>{durationText(lengthMs / 2)}</span>
        <span>{durationText(lengthMs)}</span>
      </p>
    </div>
  );
};

interface BarLineProps {
  readonly session: SessionKey;
  readonly turnId: string;
  readonly bar: TurnBar;
  readonly from: number;
  readonly to: number;
}

const BarLine = ({ session, turnId, bar, from, to }: BarLineProps): ReactElement => {
  const { open, stack } = usePanels();
  const { step } = bar;
  const content = (
    <>
      <span className={styles.label}>
        {bar.label}
        {bar.isFailed && <Badge tone="bad">failed</Badge>}
        {step !== undefined && <small>{step.model}</small>}
      </span>
      <span className={styles.track} style={barStyle(from, to)}>
        <span data-kind={bar.kind} data-failed={bar.isFailed} />
      </span>
      <span className={styles.number}>{durationText(bar.endMs - bar.startMs)}</span>
      <span className={styles.number}>{usageText(step?.usage)}</span>
    </>
  );
  if (step === undefined) return <div className={styles.bar}>{content}</div>;
  const key = stepAddressText({ session, turnId, step: step.step, compaction: step.compaction });
  return (
    <button
      type="button"
      className={styles.bar}
      title="What the model saw"
      aria-pressed={stack.at(-1)?.key === key}
      onClick={() => open({ type: 'step', key })}
    >
      {content}
    </button>
  );
};
