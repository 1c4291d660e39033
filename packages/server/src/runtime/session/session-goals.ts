import { Fault } from '../../base/index.ts';
import type { SessionRow, Store, WriteTx } from '../../store/contracts/index.ts';
import { type Goal, type GoalBook, MAX_GOALS } from '../../tools/goal-contract.ts';
import { parseSide } from '../record/index.ts';
import { lockedSession } from './locked-session.ts';

/** Goals kept in the side state of a session. */
export const goalsOf = (session: SessionRow): readonly Goal[] => parseSide(session).goals ?? [];

/** Goal book over the session row: goals live and die with the session's side state. Writes lock the session first. */
export const createSessionGoals = (store: Pick<Store, 'direct' | 'write'>): GoalBook => ({
  list: async (sessionId) => {
    const session = await store.direct.log.session(sessionId);
    return session === undefined ? [] : goalsOf(session);
  },
  create: (sessionId, goal) =>
    store.write(async (tx) => {
      const session = await lockedSession(tx, sessionId);
      const goals = goalsOf(session);
      const known = goals.find(({ id }) => id === goal.id);
      if (known !== undefined) return known;
      if (goals.length >= MAX_GOALS)
        throw new Fault('RESOURCE_EXHAUSTED', 'GOALS_FULL', `a session keeps at most ${MAX_GOALS} goals`);
      await saveGoals(tx, session, [...goals, goal]);
      return goal;
    }),
  update: (sessionId, goalId, change) =>
    store.write(async (tx) => {
      const session = await lockedSession(tx, sessionId);
      const goals = goalsOf(session);
      const known = goals.find(({ id }) => id === goalId);
      if (known === undefined) return undefined;
      const changed = { ...known, ...change };
      await saveGoals(
        tx,
        session,
        goals.map((goal) => (goal.id === goalId ? changed : goal)),
      );
      return changed;
    }),
});

const saveGoals = (tx: WriteTx, session: SessionRow, goals: readonly Goal[]): Promise<void> =>
  tx.log.saveSession({ ...session, body: JSON.stringify({ ...parseSide(session), goals }) });
