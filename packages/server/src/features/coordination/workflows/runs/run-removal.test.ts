import { expect, it } from 'vitest';
import { CHILD_STOP } from '../record/index.ts';
import { RunRemoval } from './run-removal.ts';

it('a child is stopped in a transaction that holds its session: no process takes or ends its turn meanwhile', async () => {
  const held = { id: 'there' };
  const stopped: unknown[] = [];
  const log = { lockSession: async (id: string) => (id === held.id ? held : undefined) };
  const removal = new RunRemoval({
    store: { write: (work) => work({ log } as never) },
    driver: undefined as never,
    lifecycle: {
      stop: async (_tx, ...stop) => {
        stopped.push(stop);
        return [];
      },
    },
    wakes: undefined as never,
  });
  for (const sessionId of [held.id, 'gone']) {
    const payload = JSON.stringify({ sessionId, runId: '' });
    expect(await removal.run({ kind: CHILD_STOP, key: sessionId, payload })).toEqual({ done: true });
  }
  expect(stopped).toEqual([[held, '']]);
});
