import { describe, expect, it } from 'vitest';
import type { SessionRow, Store } from '../../store/contracts/index.ts';
import { type Goal, MAX_GOALS } from '../../tools/goal-contract.ts';
import { createSessionGoals, goalsOf } from './session-goals.ts';

const goal = (id: string): Goal => ({
  id,
  objective: `do ${id}`,
  successCriteria: '',
  phase: 'active',
  progress: '',
  createdAt: 1,
  updatedAt: 1,
});

/** One session row behind the few store calls that goals use. */
const world = (body = '') => {
  let row: SessionRow | undefined = { id: 's', body } as SessionRow;
  let saves = 0;
  const log = {
    session: async () => row,
    lockSession: async () => row,
    saveSession: async (saved: SessionRow) => {
      saves += 1;
      row = saved;
    },
  };
  const store = {
    direct: { log },
    write: async (work: (tx: unknown) => Promise<unknown>) => work({ log }),
  } as unknown as Pick<Store, 'direct' | 'write'>;
  return {
    book: createSessionGoals(store),
    body: () => JSON.parse(row?.body ?? '{}') as Record<string, unknown>,
    saves: () => saves,
    forget: () => (row = undefined),
  };
};

describe('goals of a session', () => {
  it('keeps goals in the side state and leaves the rest of it alone', async () => {
    const { book, body } = world(JSON.stringify({ skills: ['a'], tokenCorrection: { 'p/m': 1.1 } }));
    await book.create('s', goal('g1'));
    expect(body()).toEqual({ skills: ['a'], tokenCorrection: { 'p/m': 1.1 }, goals: [goal('g1')] });
    expect(await book.list('s')).toEqual([goal('g1')]);
    expect(goalsOf({ body: '' } as SessionRow)).toEqual([]);
  });

  it('creates a goal once however often it is asked to', async () => {
    const { book, saves } = world();
    await book.create('s', goal('g1'));
    expect(await book.create('s', { ...goal('g1'), objective: 'other' })).toEqual(goal('g1'));
    expect(saves()).toBe(1);
  });

  it('changes one goal and no other', async () => {
    const { book } = world();
    await book.create('s', goal('g1'));
    await book.create('s', goal('g2'));
    expect(await book.update('s', 'g2', { phase: 'done', updatedAt: 5 })).toEqual({
      ...goal('g2'),
      phase: 'done',
      updatedAt: 5,
    });
    expect((await book.list('s')).map(({ phase }) => phase)).toEqual(['active', 'done']);
    expect(await book.update('s', 'g3', { updatedAt: 5 })).toBeUndefined();
  });

  it('refuses more goals than a session may keep and writes to a session that is gone', async () => {
    const { book, forget } = world();
    for (let n = 0; n < MAX_GOALS; n++) await book.create('s', goal(`g${n}`));
    await expect(book.create('s', goal('more'))).rejects.toMatchObject({ reason: 'GOALS_FULL' });
    forget();
    expect(await book.list('s')).toEqual([]);
    await expect(book.create('s', goal('g1'))).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
  });
});
