import { describe, expect, it } from 'vitest';
import { Fault, silentLog } from '../../../base/index.ts';
import {
  type PeerClient,
  PeerFailure,
  type PeerTarget,
  type RemoteMessage,
  type RemoteTask,
} from '../../../protocols/a2a/client-contract.ts';
import { type KeepArtifact, PeerCourier, peerTarget } from './peer-courier.ts';
import { PEER_ERRAND, type PeerErrand } from './peer-errands.ts';
import type { ErrandStep, PeerRecords } from './peer-records.ts';

const SECOND = 1_000_000;
const NOW = 1_000_000 * SECOND;
/** A day and a second. */
const LONG_AGO = NOW - 86_401 * SECOND;

const ERRAND: PeerErrand = {
  sender: { namespace: 'default', agent: 'helper', sessionId: 's1', turnId: 't1', identity: 'user:ann' },
  alias: 'far-1',
  messageId: 'm1',
  place: { cardUrl: 'http://far/card', secretRef: '', outputModes: [], timeoutSeconds: 30 },
  taskId: 'task-1',
  since: NOW,
  failingSince: 0,
  delayMs: 0,
};
const UNSENT: PeerErrand = {
  ...ERRAND,
  taskId: '',
  message: { taskId: '', parts: [{ kind: 'text', text: 'count' }], metadata: {} },
};
const text = (value: string) => [{ kind: 'text', text: value } as const];
const task = (more: Partial<RemoteTask> = {}): RemoteTask => ({
  id: 'task-1',
  contextId: 'c1',
  state: 'completed',
  statusParts: [],
  parts: [],
  ...more,
});

interface World {
  readonly step: ErrandStep;
  readonly client?: Partial<PeerClient>;
  readonly keepArtifact?: KeepArtifact;
  readonly secret?: () => Promise<string>;
}

/** Does what is due for one errand; answers what is noted of it, and what went wrong otherwise. */
const carried = async (errand: PeerErrand, { step, client, keepArtifact, secret }: World) => {
  const notes: unknown[] = [];
  const failures: unknown[] = [];
  const note =
    (what: string) =>
    async (...told: readonly unknown[]) =>
      void notes.push([what, ...told]);
  const records = {
    step: async () => step,
    begun: async (of: PeerErrand, { id }: RemoteTask) => {
      const { message: _sent, ...rest } = of;
      return { ...rest, taskId: id, delayMs: 60_000 };
    },
    again: async ({ failingSince, delayMs }: PeerErrand, inMs: number) =>
      void notes.push(['again', { failingSince, delayMs, inMs }]),
    settled: async (_errand: PeerErrand, settlement: object) => void notes.push(['settled', settlement]),
    closed: note('closed'),
  };
  const courier = new PeerCourier({
    client: client as PeerClient,
    records: records as unknown as PeerRecords,
    store: { steadyNow: () => NOW },
    secret: secret ?? (async (namespace, reference) => `${namespace}/${reference}`),
    keepArtifact: keepArtifact ?? (async (_sender, { key }) => `artifact://${key}`),
    log: { ...silentLog, warn: (_message, fields) => void failures.push(fields?.['reason']) },
    objects: { read: async () => undefined },
    links: { link: () => '/o' },
    baseUrl: () => 'http://here',
  });
  const outcome = await courier.run(item(errand));
  await courier.settled();
  await courier.close();
  return { notes, failures, outcome };
};

const item = (errand: PeerErrand) => ({
  kind: PEER_ERRAND,
  key: errand.messageId,
  payload: JSON.stringify(errand),
  dueAt: 0,
  attempts: 0,
  token: 't',
});

const ASK: ErrandStep = { do: 'ask' };
const SEND: ErrandStep = { do: 'send', contextId: 'c0' };
const CANCEL: ErrandStep = { do: 'cancel' };
const failing = (kind: PeerFailure['kind']) => async (): Promise<never> => {
  throw new PeerFailure(kind, 'it said no');
};

describe('how an agent elsewhere is reached', () => {
  it('is with the credential of the connection, and at private addresses only from system', async () => {
    const secret = async (namespace: string, reference: string) => `${namespace}/${reference}`;
    const place = { cardUrl: 'http://far', secretRef: '' };
    const bare: PeerTarget = { cardUrl: 'http://far', bearer: '', isTrusted: false };
    expect(await peerTarget(secret, 'acme', place)).toEqual(bare);
    expect(await peerTarget(secret, 'system', { ...place, secretRef: 'key' })).toEqual({
      cardUrl: 'http://far',
      bearer: 'system/key',
      isTrusted: true,
    });
  });
});

describe('an errand that asks for a task', () => {
  const asks = (shown: Partial<RemoteTask>, errand = ERRAND, more: Partial<World> = {}) =>
    carried(errand, { step: ASK, client: { task: async () => task(shown) }, ...more });

  it('asks again with longer pauses while the task works, the first one after sending being short', async () => {
    const again = async (delayMs: number) => (await asks({ state: 'working' }, { ...ERRAND, delayMs })).notes;
    expect(await again(0)).toEqual([['again', { failingSince: 0, delayMs: 1_000, inMs: 1_000 }]]);
    expect(await again(60_000)).toEqual([['again', { failingSince: 0, delayMs: 1_000, inMs: 1_000 }]]);
    expect(await again(1_000)).toEqual([['again', { failingSince: 0, delayMs: 2_000, inMs: 2_000 }]]);
    expect(await again(30_000)).toEqual([['again', { failingSince: 0, delayMs: 30_000, inMs: 30_000 }]]);
  });

  it('forgets that the agent was out of reach once it answers', async () => {
    const { notes } = await asks({ state: 'working' }, { ...ERRAND, failingSince: NOW - SECOND });
    expect(notes).toMatchObject([['again', { failingSince: 0 }]]);
  });

  it('gives up and calls off a task that works for longer than a day', async () => {
    const { notes } = await asks({ state: 'working' }, { ...ERRAND, since: LONG_AGO });
    const outcome = { state: 'failed', text: 'it did not finish within a day' };
    expect(notes).toEqual([['settled', { outcome, calledOff: true }]]);
  });

  it.each([
    ['completed', 'completed', 'done'],
    ['failed', 'failed', 'done'],
    ['canceled', 'stopped', 'done'],
    ['input-required', 'asks', 'done'],
  ] as const)('settles a task that is %s as %s', async (state, as, words) => {
    const shown = { state, parts: text(words), statusParts: text(words) };
    const { notes } = await asks(shown);
    expect(notes).toEqual([['settled', { outcome: { state: as, text: words }, task: task(shown) }]]);
  });

  const file = { kind: 'bytes', bytes: new Uint8Array([1, 2]), mediaType: 'image/png', filename: 'a.png' } as const;

  it('keeps files that the connection does not take, and says so behind the text', async () => {
    const { notes } = await asks({ parts: [...text('see'), file] });
    const words = 'see\na.png (image/png, 2 bytes): artifact://m1/0';
    expect(notes).toMatchObject([['settled', { outcome: { state: 'completed', text: words } }]]);
  });

  it('says why a file could not be kept, and waits with what may pass', async () => {
    const refusing =
      (fault: Error): KeepArtifact =>
      async () => {
        throw fault;
      };
    const tooLarge = new Fault('INVALID_ARGUMENT', 'TOO_LARGE', 'it is too large');
    const { notes } = await asks({ parts: [file] }, ERRAND, { keepArtifact: refusing(tooLarge) });
    const words = 'a.png (image/png, 2 bytes) could not be kept: it is too large';
    expect(notes).toMatchObject([['settled', { outcome: { text: words } }]]);
    const away = new Fault('UNAVAILABLE', 'STORE_AWAY', 'the store is away');
    const later = await asks({ parts: [file] }, ERRAND, { keepArtifact: refusing(away) });
    expect([later.notes, later.failures]).toEqual([[], [expect.stringContaining('the store is away')]]);
  });
});

describe('an errand whose agent cannot be asked', () => {
  const fails = (kind: PeerFailure['kind'], errand: PeerErrand = ERRAND) =>
    carried(errand, { step: ASK, client: { task: failing(kind) } });

  it('is tried again as long as the connection waits, counted from the first failure', async () => {
    expect((await fails('unavailable')).notes).toEqual([['again', { failingSince: NOW, delayMs: 1_000, inMs: 1_000 }]]);
    const since = NOW - 29 * SECOND;
    expect((await fails('unavailable', { ...ERRAND, failingSince: since, delayMs: 60_000 })).notes).toEqual([
      ['again', { failingSince: since, delayMs: 1_000, inMs: 1_000 }],
    ]);
    const { notes } = await fails('unavailable', { ...ERRAND, failingSince: NOW - 30 * SECOND });
    expect(notes).toEqual([['settled', { outcome: { state: 'failed', text: 'it said no' }, losesContext: false }]]);
  });

  it.each(['refused', 'malformed', 'gone'] as const)('fails at once when it is %s', async (kind) => {
    const { notes } = await fails(kind);
    expect(notes).toEqual([['settled', { outcome: { state: 'failed', text: 'it said no' }, losesContext: false }]]);
  });

  it('fails without a word of its credential when that cannot be read, and is left to the queue for other faults', async () => {
    const errand = { ...ERRAND, place: { ...ERRAND.place, secretRef: 'key' } };
    const withSecret = (fault: Error) =>
      carried(errand, {
        step: ASK,
        secret: async () => {
          throw fault;
        },
      });
    expect((await withSecret(new Fault('NOT_FOUND', 'SECRET_NOT_FOUND', 'no key'))).notes).toEqual([
      ['settled', { outcome: { state: 'failed', text: 'its credential cannot be read' } }],
    ]);
    const other = await withSecret(new Fault('UNAVAILABLE', 'STORE_AWAY', 'the store is away'));
    expect([other.notes, other.failures.length]).toEqual([[], 1]);
    const broken = await withSecret(new Error('broken'));
    expect([broken.notes, broken.failures]).toEqual([[], ['Error: broken']]);
  });
});

describe('an errand that sends a message', () => {
  it('sends it into the context of the conversation, and asks for its task from then on', async () => {
    const sent: RemoteMessage[] = [];
    const send: PeerClient['send'] = async (_target, message, { begun }) => {
      sent.push(message);
      await begun(task({ state: 'working' }));
      return task({ state: 'working' });
    };
    const { notes } = await carried(UNSENT, { step: SEND, client: { send } });
    expect(sent).toEqual([
      { id: 'm1', contextId: 'c0', taskId: '', parts: text('count'), metadata: {}, outputModes: [] },
    ]);
    expect(notes).toEqual([['again', { failingSince: 0, delayMs: 1_000, inMs: 1_000 }]]);
  });

  it('takes a message in place of a task for the whole answer', async () => {
    const answer = task({ id: '', parts: text('41') });
    const send: PeerClient['send'] = async (_target, _message, { begun }) => {
      await begun(answer);
      return answer;
    };
    const { notes } = await carried(UNSENT, { step: SEND, client: { send } });
    expect(notes).toEqual([['settled', { outcome: { state: 'completed', text: '41' }, task: answer }]]);
  });

  it('loses the context only when the agent does not know it before it has the message', async () => {
    const before = await carried(UNSENT, { step: SEND, client: { send: failing('gone') } });
    expect(before.notes).toMatchObject([['settled', { losesContext: true }]]);
    const send: PeerClient['send'] = async (_target, _message, { begun }) => {
      await begun(task({ state: 'working' }));
      return failing('gone')();
    };
    const behind = await carried(UNSENT, { step: SEND, client: { send } });
    expect(behind.notes).toMatchObject([['settled', { losesContext: false }]]);
  });

  it('fails when a file that goes with it is gone', async () => {
    const object = { key: 'k', mediaType: 'text/plain', sizeBytes: 1, sha256: 'a', filename: 'a.txt' };
    const { message } = UNSENT;
    const errand = {
      ...UNSENT,
      message: { taskId: '', metadata: {}, ...message, parts: [], files: [{ object, as: 'bytes' as const }] },
    };
    const { notes } = await carried(errand, { step: SEND });
    const outcome = { state: 'failed', text: 'the artifact a.txt of the message is gone' };
    expect(notes).toEqual([['settled', { outcome, losesContext: false }]]);
  });

  it('waits half a second for an earlier message of the conversation', async () => {
    const { notes, outcome } = await carried(UNSENT, { step: { do: 'later' } });
    expect(notes).toEqual([['again', { failingSince: 0, delayMs: 0, inMs: 500 }]]);
    expect(outcome).toEqual({ againMs: 60_000 });
  });
});

describe('an errand that calls a task off', () => {
  const cancels = (errand: PeerErrand, cancel: PeerClient['cancel']) =>
    carried(errand, { step: CANCEL, client: { cancel } });

  it('cancels the task, and has nothing to cancel before there is one', async () => {
    const cancelled: string[] = [];
    const cancel: PeerClient['cancel'] = async (_target, id) => void cancelled.push(id);
    expect((await cancels(ERRAND, cancel)).notes).toEqual([['closed', ERRAND]]);
    const none = { ...ERRAND, taskId: '' };
    expect((await cancels(none, cancel)).notes).toEqual([['closed', none]]);
    expect(cancelled).toEqual(['task-1']);
  });

  it('tries again while the agent is out of reach, and not for ever', async () => {
    const { notes } = await cancels(ERRAND, failing('unavailable'));
    expect(notes).toEqual([['again', { failingSince: NOW, delayMs: 1_000, inMs: 1_000 }]]);
    const late = { ...ERRAND, failingSince: NOW - 30 * SECOND };
    expect((await cancels(late, failing('unavailable'))).notes).toEqual([['closed', late]]);
  });

  it('is done where the agent refuses or the credential is gone, but not when something breaks', async () => {
    expect((await cancels(ERRAND, failing('refused'))).notes).toEqual([['closed', ERRAND]]);
    const cancel = (error: Error) => async (): Promise<never> => {
      throw error;
    };
    const gone = await cancels(ERRAND, cancel(new Fault('NOT_FOUND', 'SECRET_NOT_FOUND', 'no key')));
    expect(gone.notes).toEqual([['closed', ERRAND]]);
    const broken = await cancels(ERRAND, cancel(new Error('broken')));
    expect([broken.notes, broken.failures]).toEqual([[], ['Error: broken']]);
  });
});

describe('an errand under way', () => {
  it('is not begun twice, and is cut short once its task is known', async () => {
    const signals: AbortSignal[] = [];
    const { promise, resolve } = Promise.withResolvers<RemoteTask>();
    const records = { step: async () => ASK, settled: async () => undefined };
    const courier = new PeerCourier({
      client: {
        task: (_target: PeerTarget, _id: string, signal: AbortSignal) => {
          signals.push(signal);
          return promise;
        },
      },
      records,
      store: { steadyNow: () => NOW },
      log: silentLog,
    } as never);
    expect(await courier.run(item(ERRAND))).toEqual({ againMs: 60_000 });
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(await courier.run(item(ERRAND))).toEqual({ againMs: 1_000 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    resolve(task());
    await courier.close();
  });

  it('is left to the next process when this one closes', async () => {
    const notes: unknown[] = [];
    let isAsked = false;
    const records = { step: async () => ASK, again: async (_of: PeerErrand, inMs: number) => void notes.push(inMs) };
    const client = {
      task: (_target: PeerTarget, _id: string, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          isAsked = true;
          signal.addEventListener('abort', () => reject(new PeerFailure('unavailable', 'it was cut short')));
        }),
    };
    const store = { steadyNow: () => NOW };
    const courier = new PeerCourier({ client, records, store, log: silentLog } as never);
    await courier.run(item(ERRAND));
    await expect.poll(() => isAsked).toBe(true);
    await courier.close();
    expect(notes).toEqual([0]);
    expect(await courier.run(item(ERRAND))).toEqual({ againMs: 1_000 });
  });
});
