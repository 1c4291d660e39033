import type { Delivery, WorkflowRun } from '@svc/api/data';
import type { Resource } from '@svc/api/resources';
import { addresses } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import type { Tone } from '../../ui/badge.tsx';
import { type InboxItem, type InboxKind, kindNames } from '../inbox/index.ts';
import type { LiveTurn } from './home-data.ts';
import { DAY_MS, isWithin, nearLimits, type ScheduleLine } from './home-facts.ts';
import { texts } from './texts.ts';

/** Something that a person should look at: a number that leads to its list. */
export interface Need {
  readonly label: string;
  readonly count: number;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly tone: Tone;
  /** The most telling of them, in words. */
  readonly example: string;
}

interface Facts {
  readonly items: readonly InboxItem[];
  readonly turns: readonly LiveTurn[];
  readonly deliveries: readonly Delivery[];
  readonly runs: readonly WorkflowRun[];
  readonly schedules: readonly ScheduleLine[];
  readonly classes: readonly Resource[];
  readonly policies: readonly Resource[];
  readonly nowMs: number;
}

const INBOX_KINDS: readonly InboxKind[] = ['permission', 'input', 'sign_in', 'budget', 'held', 'step', 'task'];

/** What needs a person, requests first; what there is none of is left out. */
export const needsOf = (facts: Facts): readonly Need[] =>
  [...inboxNeeds(facts), ...failureNeeds(facts), ...limitNeeds(facts)].filter(({ count }) => count > 0);

const inboxNeeds = ({ items }: Facts): readonly Need[] =>
  INBOX_KINDS.map((kind) => {
    const found = items.filter((item) => item.kind === kind);
    return {
      label: kindNames[kind],
      count: found.length,
      to: '/inbox',
      search: { kind },
      tone: 'warn',
      example: found[0]?.title ?? '',
    };
  });

const failureNeeds = ({ turns, deliveries, runs, schedules, classes, nowMs }: Facts): readonly Need[] => {
  const failedTurns = turns.filter(({ state }) => state === 'TURN_STATE_FAILED');
  const lost = deliveries.filter(
    ({ state, updatedAt }) => ['dead', 'rejected'].includes(state) && isWithin(updatedAt, DAY_MS, nowMs),
  );
  const failedRuns = runs.filter(({ status, updatedAt }) => status === 'FAILED' && isWithin(updatedAt, DAY_MS, nowMs));
  const failing = schedules.filter(({ lastError }) => lastError !== '');
  const away = classes.filter(
    ({ status }) => status?.kind.case === 'connectorClass' && status.kind.value.phase === 'degraded',
  );
  const [turn] = failedTurns;
  const [firstFailing] = failing;
  return [
    {
      label: texts.failedTurns,
      count: failedTurns.length,
      to: turn === undefined ? '/' : addresses.session(turn.ns, turn.agent, turn.sessionId),
      tone: 'bad',
      example: turn?.error ?? '',
    },
    {
      label: texts.failedDeliveries,
      count: lost.length,
      to: addresses.deliveries(EVERYWHERE),
      search: { state: lost.some(({ state }) => state === 'dead') ? 'dead' : 'rejected' },
      tone: 'bad',
      example: lost[0]?.lastError ?? '',
    },
    {
      label: texts.failedRuns,
      count: failedRuns.length,
      to: addresses.workflows(failedRuns[0]?.ns ?? EVERYWHERE),
      tone: 'bad',
      example: failedRuns[0]?.error ?? '',
    },
    {
      label: texts.failedSchedules,
      count: failing.length,
      to: addresses.schedules(EVERYWHERE),
      search: { show: 'failing' },
      tone: 'bad',
      example: firstFailing === undefined ? '' : `${firstFailing.name}: ${firstFailing.lastError}`,
    },
    {
      label: texts.degraded,
      count: away.length,
      to: addresses.connectors(EVERYWHERE),
      tone: 'bad',
      example: away.map(({ metadata }) => metadata?.name ?? '').join(', '),
    },
  ];
};

const limitNeeds = ({ policies }: Facts): readonly Need[] => {
  const near = nearLimits(policies);
  const [fullest] = near;
  return [
    {
      label: texts.limits,
      count: near.length,
      to: addresses.resources(fullest?.ns ?? EVERYWHERE, 'UsagePolicy'),
      tone: 'warn',
      example:
        fullest === undefined
          ? ''
          : `${fullest.policy}: ${fullest.used} of ${fullest.max} ${fullest.metric} in ${fullest.window}`,
    },
  ];
};
