import { describe, expect, it } from 'vitest';
import type { PeerPush } from '../../../protocols/a2a/contract.ts';
import {
  afterFailure,
  type PushNote,
  type PushRecord,
  pushHeaders,
  requirePush,
  retryDelayMs,
  taskAt,
  withNote,
  withoutNote,
} from './push-rules.ts';

const PUSH: PeerPush = {
  taskId: 't',
  id: 'p',
  url: 'https://hooks.example/x?y=1',
  token: 'token',
  scheme: 'Bearer',
  credentials: 'secret',
  form: 'modern',
};
const RECORD: PushRecord = {
  url: PUSH.url,
  scheme: '',
  form: 'modern',
  state: 'submitted',
  waiting: [],
  failures: 0,
  failingSince: 0,
};
const note = (id: string, state: PushNote['state']): PushNote => ({ id, state, statusParts: [], atMs: 5 });
const DAY = 86_400_000_000;

describe('an address for the states of a task', () => {
  it.each([
    ['id', { id: 'a b' }],
    ['url', { url: 'no url' }],
    ['url', { url: 'file:///etc/passwd' }],
    ['url', { url: 'https://user:word@hooks.example/' }],
    ['url', { url: 'https://user@hooks.example/' }],
    ['url', { url: `https://hooks.example/${'x'.repeat(2_048)}` }],
    ['token', { token: 'two\r\nlines' }],
    ['token', { token: 'x'.repeat(2_049) }],
    ['authentication.scheme', { scheme: 'not a scheme' }],
    ['authentication.scheme', { scheme: '' }],
    ['authentication.credentials', { credentials: 'grün' }],
  ])('is refused for its %s', (field, wrong) => {
    const refused = (): void => requirePush({ ...PUSH, ...wrong });
    expect(refused).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', violations: [expect.objectContaining({ field })] }),
    );
  });

  it('is taken without a name, token and credentials', () => {
    expect(() => requirePush(PUSH)).not.toThrow();
    expect(() => requirePush({ ...PUSH, id: '', token: '', scheme: '', credentials: '' })).not.toThrow();
  });

  it('gets each state once, in order, and at most 50 late ones', () => {
    const working = withNote(RECORD, note('1', 'working'));
    expect(working).toMatchObject({ state: 'working', waiting: [{ id: '1' }] });
    expect(withNote(working ?? RECORD, note('2', 'working'))).toBeUndefined();
    let record = RECORD;
    for (let index = 0; index < 60; index++)
      record = withNote(record, note(String(index), index % 2 === 0 ? 'working' : 'input-required')) ?? record;
    expect(record.waiting.map(({ id }) => Number(id))).toEqual(Array.from({ length: 50 }, (_, index) => index + 10));
    expect(withoutNote(record, '10').waiting[0]?.id).toBe('11');
  });

  it('is given up once it has failed for a day, with pauses of at most five minutes', () => {
    const failed = afterFailure(RECORD, 7);
    expect(failed).toMatchObject({ failures: 1, failingSince: 7 });
    expect(afterFailure(failed ?? RECORD, 6 + DAY)).toMatchObject({ failures: 2, failingSince: 7 });
    expect(afterFailure(failed ?? RECORD, 7 + DAY)).toBeUndefined();
    expect(withoutNote(failed ?? RECORD, 'x')).toMatchObject({ failures: 0, failingSince: 0 });
    expect([1, 2, 5, 10, 500].map(retryDelayMs)).toEqual([1_000, 2_000, 16_000, 300_000, 300_000]);
  });

  it('gets the task as it was in a state, and all of it at the end', () => {
    const question = [{ kind: 'text', text: 'Which?' }] as const;
    const task = {
      id: 't',
      contextId: 'c',
      state: 'completed',
      statusParts: [],
      atMs: 9,
      artifacts: [{ id: 'reply', parts: [] }],
    } as const;
    expect(taskAt(task, { ...note('1', 'input-required'), statusParts: question })).toEqual({
      ...task,
      state: 'input-required',
      statusParts: question,
      atMs: 5,
      artifacts: [],
    });
    expect(taskAt(task, note('2', 'completed'))).toEqual({ ...task, atMs: 5 });
  });

  it('gets what it was given to know the sender by, and the key of the state', () => {
    const facts = { noteId: 'n', contentType: 'application/json' };
    expect(pushHeaders({ scheme: 'Basic' }, { token: 't', credentials: 'c' }, facts)).toEqual({
      'content-type': 'application/json',
      'idempotency-key': 'n',
      'x-a2a-notification-token': 't',
      authorization: 'Basic c',
    });
    const bare = { 'content-type': 'application/json', 'idempotency-key': 'n' };
    expect(pushHeaders({ scheme: 'Basic' }, { token: '', credentials: '' }, facts)).toEqual(bare);
    expect(pushHeaders({ scheme: '' }, { token: '', credentials: '' }, facts)).toEqual(bare);
  });
});
