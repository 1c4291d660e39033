import { recordKey } from '../../../../resources/index.ts';
import { parseBody } from '../../../../runtime/contract.ts';
import type { ReadTx, TurnRow } from '../../../../store/contracts/index.ts';
import type { TrailEntry, TrailPlace, TrailReading, TrailSource } from '../../../trail-source.ts';
import { scheduleSpec } from '../schedule-kind.ts';
import { storedStatus } from '../schedule-status.ts';
import { scheduleOfTurn } from './start-run.ts';

/** Turns of a session that are searched for the one that an instant began. */
const TURNS_MAX = 50;

const FIRING_ID = /^(?<name>.+)@(?<instant>\d{1,16})$/u;

/** What schedules know: which turn an instant began, and the instant that began a turn. */
export const firingTrail: TrailSource = {
  find: async (reads, { namespace, id }) => {
    const name = FIRING_ID.exec(id)?.groups?.['name'];
    if (name === undefined) return [];
    const schedule = await reads.resources.get(recordKey('Schedule', namespace, name));
    return schedule === undefined ? [] : [{ kind: 'schedule_firing', id, namespace }];
  },
  read: async (reads, place) => {
    if (place.kind === 'turn') return await readTurn(reads, place);
    return place.kind === 'schedule_firing' ? await readFiring(reads, place) : undefined;
  },
};

const RUN_AT = 'svc/schedule-run-at';

const readTurn = async (reads: ReadTx, { id }: TrailPlace): Promise<TrailReading | undefined> => {
  const turn = await reads.log.turn(id);
  const firing = turn === undefined ? undefined : firingOf(turn);
  if (turn === undefined || firing === undefined) return undefined;
  return { entries: [firing], links: [], causes: { [turn.userMessageId]: firing.id } };
};

/** The instant that began the turn; undefined for turns that no schedule began. */
const firingOf = (turn: TurnRow): TrailEntry | undefined => {
  const body = parseBody(turn);
  const schedule = scheduleOfTurn(body, turn.namespace);
  const instant = body.cause.labels[RUN_AT];
  if (schedule === undefined || instant === undefined) return undefined;
  const { namespace, name } = schedule.key;
  return { kind: 'schedule_firing', id: `${name}@${instant}`, namespace, name, at: Number(instant), state: 'fired' };
};

/** The turn is in the session that the schedule used last, or in one that was made for the instant. */
const readFiring = async (reads: ReadTx, { id, namespace }: TrailPlace): Promise<TrailReading | undefined> => {
  const { name = '', instant = '' } = FIRING_ID.exec(id)?.groups ?? {};
  const schedule = await reads.resources.get(recordKey('Schedule', namespace, name));
  // Runs of workflows are known to their own feature.
  if (schedule === undefined || (scheduleSpec(schedule).target?.workflow ?? '') !== '') return undefined;
  const made = await reads.resources.list({
    kind: 'Session',
    scope: { type: 'namespace', namespace },
    labels: [
      { op: 'in', key: 'svc/schedule-name', values: [name] },
      { op: 'in', key: RUN_AT, values: [instant] },
    ],
    limit: TURNS_MAX,
  });
  const sessions = new Set([...made.map(({ key }) => key.name), storedStatus(schedule).lastSessionId ?? '']);
  const links: TrailPlace[] = [];
  for (const session of sessions)
    for (const turn of session === '' ? [] : await reads.log.turns(session, { limit: TURNS_MAX }))
      if (firingOf(turn)?.id === id) links.push({ kind: 'turn', id: turn.id, namespace });
  if (links.length > 0) return { entries: [], links };
  const entry = { kind: 'schedule_firing', id, namespace, name, at: Number(instant), state: 'unknown' };
  return { entries: [{ ...entry, text: 'no turn of this instant is kept' }], links };
};
