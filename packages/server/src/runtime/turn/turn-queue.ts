import type { SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';

/** Rows of a session's queue: who is next, and how the session's counters follow. All inside the caller's transaction. */

/** The oldest QUEUED turn becomes ready when nothing else of the session is open before it (RT-2.2). */
export const readyNext = async (tx: WriteTx, sessionId: string): Promise<void> => {
  const [next] = await tx.log.openTurns(sessionId);
  if (next !== undefined && next.state === 'QUEUED' && !next.ready) await tx.log.saveTurn({ ...next, ready: true });
};

/** Admission number that stands right behind `active` and before every turn that has not started (INTERRUPT, RT-2.3). */
export const interruptPlace = (open: readonly TurnRow[], activeTurnId: string): number => {
  const waiting = open.filter((turn) => turn.id !== activeTurnId);
  const active = open.find((turn) => turn.id === activeTurnId);
  const [first] = waiting;
  const low = active?.admission ?? (first?.admission ?? 1) - 1;
  const high = first?.admission ?? low + 1;
  return low + (high - low) / 2;
};

/** Session row after one of its open turns ended. */
export const afterTurnEnd = (session: SessionRow, turn: TurnRow, at: number): SessionRow => {
  const openTurns = Math.max(0, session.openTurns - 1);
  const wasActive = session.activeTurnId === turn.id;
  const state = openTurns === 0 ? 'IDLE' : wasActive ? 'PROCESSING' : session.state;
  return {
    ...session,
    openTurns,
    activeTurnId: wasActive ? '' : session.activeTurnId,
    state,
    lastActive: Math.max(session.lastActive, at),
  };
};
