import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ComposedStatements, Connection } from './connection.ts';
import { makeTestStore } from './testing/test-store.ts';

it('statements put together at run time are kept within a bound, and stay right', async () => {
  const made = await makeTestStore({ durability: 'off' });
  const connection = new Connection(join(made.dataDir, 'svc.db'), { isSynced: false });
  onTestFinished(async () => {
    connection.close();
    await made.dispose();
  });
  const statements = new ComposedStatements<{ readonly value: number }>(connection);
  expect(statements.of('SELECT 1 AS value')).toBe(statements.of('SELECT 1 AS value'));
  for (let value = 0; value < 1_000; value++)
    expect(statements.of(`SELECT ${value} AS value`).get()).toEqual({ value });
  expect(statements.size).toBeLessThanOrEqual(256);
  expect(statements.of('SELECT 1 AS value').get()).toEqual({ value: 1 });
});
