import { type Turn, TurnState } from '@svc/api/data';
import type { SessionKey } from '@svc/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Time } from '../../../ui/time.tsx';
import { durationText } from '../../../ui/time-texts.ts';
import { usageText } from '../figures.ts';
import { SESSION_PATH } from '../index.ts';
import { barStyle } from './bar-style.ts';
import { type TimeScale, timeScale } from './time-scale.ts';
import styles from './timeline.module.css';
import { useTurns } from './timeline-data.ts';
import { turnSpan } from './turn-bars.ts';
import { TurnDetail } from './turn-detail.tsx';

const TONES: Readonly<Record<TurnState, Tone>> = {
  [TurnState.UNSPECIFIED]: 'calm',
  [TurnState.QUEUED]: 'calm',
  [TurnState.RUNNING]: 'busy',
  [TurnState.WAITING]: 'warn',
  [TurnState.COMPLETED]: 'good',
  [TurnState.FAILED]: 'bad',
  [TurnState.STOPPED]: 'calm',
};

const WORDS: Readonly<Record<TurnState, string>> = {
  [TurnState.UNSPECIFIED]: 'Unknown',
  [TurnState.QUEUED]: 'Queued',
  [TurnState.RUNNING]: 'Runs',
  [TurnState.WAITING]: 'Waits',
  [TurnState.COMPLETED]: 'Completed',
  [TurnState.FAILED]: 'Failed',
  [TurnState.STOPPED]: 'Stopped',
};

/** The turns of a session on one time axis, and what took time in the one that is open. */
export const TimelineView = ({ session }: { readonly session: SessionKey }): ReactElement => {
  const search = useSearch({ from: SESSION_PATH });
  const navigate = useNavigate();
  const found = useTurns(session);
  const isFailedOnly = search.failed === '1';
  const all = useMemo(() => found.data?.pages.flatMap(({ turns }) => turns) ?? [], [found.data]);
  const turns = isFailedOnly ? all.filter(({ state }) => state === TurnState.FAILED) : all;
  const openId = search.turn ?? turns[0]?.id;
  const nowMs = Date.now();
  const scale = timeScale(turns.map((turn) => turnSpan(turn, nowMs)));
  if (found.isPending) return <Loading />;
  return (
    <div className={styles.timeline}>
      <Checkbox
        label="Failed only"
        checked={isFailedOnly}
        onChange={(checked) =>
          void navigate({ to: '.', search: (before) => ({ ...before, failed: checked ? '1' : undefined }) })
        }
      />
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {turns.length === 0 && (
        <Empty icon="clock" title={isFailedOnly ? 'No turn failed' : 'No turn has run yet'}>
          <p>Each message to the agent begins a turn. Its model calls, tools and waits appear here.</p>
        </Empty>
      )}
      <ol className={styles.turns}>
        {turns.map((turn) => (
          <li key={turn.id} ref={turn.id === search.turn ? showInView : undefined}>
            <TurnLine
              turn={turn}
              scale={scale}
              nowMs={nowMs}
              isOpen={turn.id === openId}
              onOpen={() =>
                void navigate({
                  to: '.',
                  search: (before) => ({ ...before, turn: turn.id === openId ? 'none' : turn.id }),
                })
              }
            />
            {turn.id === openId && <TurnDetail session={session} turn={turn} nowMs={nowMs} />}
          </li>
        ))}
      </ol>
      {found.hasNextPage && (
        <Button isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          Older turns
        </Button>
      )}
    </div>
  );
};

interface TurnLineProps {
  readonly turn: Turn;
  readonly scale: TimeScale;
  readonly nowMs: number;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

const TurnLine = ({ turn, scale, nowMs, isOpen, onOpen }: TurnLineProps): ReactElement => {
  const { startMs, endMs } = turnSpan(turn, nowMs);
  return (
    <button type="button" className={styles.turn} aria-expanded={isOpen} onClick={onOpen}>
      <Icon name={isOpen ? 'down' : 'right'} size={14} />
      <span className={styles.state}>
        <Badge tone={TONES[turn.state]}>{WORDS[turn.state]}</Badge>
        {turn.attempt > 1 && <Badge tone="warn">{`Recovered, attempt ${turn.attempt}`}</Badge>}
      </span>
      <span className={styles.when}>
        <Time at={turn.createdAt} />
        <small>{[turn.cause, turn.identity].filter(Boolean).join(', ')}</small>
      </span>
      <span className={styles.track} style={barStyle(scale(startMs), scale(endMs))}>
        <span data-kind="turn" data-failed={turn.state === TurnState.FAILED} />
      </span>
      <span className={styles.number}>{durationText(endMs - startMs)}</span>
      <span className={styles.number}>{usageText(turn.usage)}</span>
    </button>
  );
};

/** The turn of the address may be far down. */
const showInView = (line: HTMLElement | null): void => line?.scrollIntoView({ block: 'nearest' });
