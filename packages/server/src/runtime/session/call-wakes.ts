import type { Bus, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import type { ToolPause } from '../../tools/contract.ts';
import { type CallWakes, PERMISSION_ANSWERED, type TurnBody, WAKE_TURNS } from '../contract.ts';
import { isTurnOver, parseBody } from '../record/index.ts';

/** One transaction and what its steps use. */
interface Scope {
  readonly tx: WriteTx;
  readonly ports: { readonly bus: Pick<Bus, 'publish'> };
}

/** True for a turn that waits without a worker. */
export const isParked = (turn: TurnRow): boolean => turn.state === 'WAITING' && turn.worker === '';

/** Saves the turn with `body`; a parked one becomes claimable again. */
export const wakeTurn = async (tx: WriteTx, turn: TurnRow, body: TurnBody): Promise<void> => {
  if (!isParked(turn)) {
    await tx.log.saveTurn({ ...turn, body: JSON.stringify(body) });
    return;
  }
  const { park: _park, ...rest } = body;
  const woken = { ...rest, resume: 'handover' as const };
  await tx.log.saveTurn({ ...turn, state: 'QUEUED', ready: true, wakeAt: 0, body: JSON.stringify(woken) });
  const session = await tx.log.session(turn.sessionId);
  if (session !== undefined) await tx.log.saveSession({ ...session, state: 'PROCESSING' });
};

/** Marks the pauses that `ends` chooses; undefined when there is none that still lasts. */
const endedPauses = (
  { pauses = {} }: TurnBody,
  endedBy: ToolPause['endedBy'],
  ends: (pause: ToolPause) => boolean,
): TurnBody['pauses'] | undefined => {
  const lasting = Object.entries(pauses).filter(([, pause]) => pause.endedBy === '' && ends(pause));
  if (lasting.length === 0) return undefined;
  return { ...pauses, ...Object.fromEntries(lasting.map(([callId, pause]) => [callId, { ...pause, endedBy }])) };
};

/** Ends pauses of an open turn of a locked session; answers whether one of its calls was waiting. */
const endPauses = async (
  { tx, ports }: Scope,
  turn: TurnRow,
  end: { readonly by: ToolPause['endedBy']; readonly of: (pause: ToolPause) => boolean },
): Promise<boolean> => {
  const body = parseBody(turn);
  const pauses = endedPauses(body, end.by, end.of);
  if (pauses === undefined) return false;
  await wakeTurn(tx, turn, { ...body, pauses });
  tx.afterCommit(() => {
    ports.bus.publish(PERMISSION_ANSWERED, { turnId: turn.id });
    ports.bus.publish(WAKE_TURNS, {});
  });
  return true;
};

/** A message steers the turn: calls that wait for events end their waits and answer with what they have. */
export const endPausesForSteering = ({ tx, ports }: Scope, turn: TurnRow): Promise<boolean> =>
  endPauses({ tx, ports }, turn, { by: 'steering', of: () => true });

/** Wakes calls by the key they wait for, in a transaction of the one who brings the event. */
export const createCallWakes = (ports: Scope['ports']): CallWakes => ({
  wake: async (tx, turnId, key) => {
    const found = await tx.log.turn(turnId);
    if (found === undefined || isTurnOver(found)) return false;
    await tx.log.lockSession(found.sessionId);
    const turn = await tx.log.turn(turnId);
    if (turn === undefined || isTurnOver(turn)) return false;
    return endPauses({ tx, ports }, turn, { by: 'event', of: (pause) => pause.key === key });
  },
});
