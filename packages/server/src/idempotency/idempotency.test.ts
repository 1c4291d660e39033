import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { SendMessageRequestSchema } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../base/index.ts';
import { callContext } from '../features/testing/test-call.ts';
import type { Store } from '../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../store/testing/given-store.ts';
import { answerExpiry } from './expiry.ts';
import { type KeptForm, type RepeatableForm, repeatableCall, writeOnce } from './repeatable-call.ts';

const HOUR_MS = 3_600_000;
const numberForm: KeptForm<number> = { write: (answer) => String(answer), read: (text) => Number(text) };
const form: RepeatableForm<typeof SendMessageRequestSchema, number> = {
  ...{ request: SendMessageRequestSchema, answer: numberForm, hours: 24 },
};

let dataDir: string;
let clock: ManualClock;
let store: Store;
let effects: number;
let headers: [string, string][];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-idempotency-'));
  clock = new ManualClock();
  const fatal = (error: unknown): void => {
    throw error;
  };
  store = await openGivenStore({ dataDir, clock, random: seededRandom(3), log: silentLog, fatal });
  [effects, headers] = [0, []];
});
afterEach(async () => {
  await store.close();
  await removeGivenStore(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

const callWith = (idempotencyKey: string, fields: { message?: string; waitSeconds?: number } = {}) => {
  const setHeader = (name: string, value: string): void => void headers.push([name, value]);
  const context = { ...callContext('SendMessage'), idempotencyKey, setHeader };
  return repeatableCall(context, form, create(SendMessageRequestSchema, { message: 'hi', ...fields }));
};

const run = (key: string, fields: { message?: string; waitSeconds?: number } = {}): Promise<number> =>
  writeOnce(store, callWith(key, fields), async () => {
    effects += 1;
    return effects;
  });

describe('a call with an idempotency key', () => {
  it('has its effect once and says that a later answer is the stored one, however long that call waits', async () => {
    expect([await run('k'), headers]).toEqual([1, []]);
    expect(await run('k', { waitSeconds: 30 })).toBe(1);
    expect(headers).toEqual([['idempotency-replayed', 'true']]);
    expect(await callWith('k')?.earlierAnswer(store)).toBe(1);
    expect([effects, headers.length]).toEqual([1, 2]);
  });

  it('is refused for another request, and another key is another call', async () => {
    await run('k');
    await expect(run('k', { message: 'ho' })).rejects.toMatchObject({ reason: 'IDEMPOTENCY_MISMATCH' });
    expect(await callWith('other')?.earlierAnswer(store)).toBeUndefined();
    expect(await run('other', { message: 'ho' })).toBe(2);
  });

  it('keeps nothing of an effect that failed', async () => {
    const broken = writeOnce(store, callWith('k'), () => Promise.reject(new Error('no')));
    await expect(broken).rejects.toThrow('no');
    expect([await run('k'), headers]).toEqual([1, []]);
  });
});

it('a call without a key has its effect every time', async () => {
  expect([await run(''), await run('')]).toEqual([1, 2]);
});

it('kept answers are removed by the expiry once their time is over, and not before', async () => {
  await run('early');
  clock.advance(12 * HOUR_MS);
  await run('late');
  const expiry = answerExpiry(store);
  const left = (): Promise<number> => store.write((tx) => tx.idempotency.trim(Number.MAX_SAFE_INTEGER, 10));
  clock.advance(12 * HOUR_MS);
  await expiry.tick();
  expect([await left(), expiry.everyMs]).toEqual([1, 60_000]);
  expect(await run('early')).toBe(3);
});
