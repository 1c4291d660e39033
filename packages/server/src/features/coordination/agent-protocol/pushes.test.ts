import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIds, type Ids, type Log, seededRandom, silentLog } from '../../../base/index.ts';
import type { PeerPush } from '../../../protocols/a2a/contract.ts';
import { createPeerServer } from '../../../protocols/a2a/index.ts';
import { PART, type Part, type TurnProgressHook } from '../../../runtime/contract.ts';
import { Machine } from '../../../runtime/testing/machine.ts';
import type { TurnRow } from '../../../store/contracts/index.ts';
import { freshKey, KeyRing } from '../../authoring/secrets/key-ring.ts';
import { dyingStore } from '../../testing/dying-store.ts';
import { PushCourier, type PushCourierDeps } from './push-courier.ts';
import { createTaskPushHook } from './push-hook.ts';
import { TASK_PUSH } from './push-rows.ts';
import { TaskPushes } from './task-pushes.ts';

const LEASE_MICROS = 1_000_000;
const SECRET = 'credentials-of-the-receiver';
const ORIGIN = { requestId: 'r', operation: 'a2a/CreateTaskPushNotificationConfig', caller: { identity: 'peer' } };
const CAUSE = { kind: 'a2a', identity: 'peer', labels: {}, lineage: [] };
const push = (id: string): PeerPush => ({
  taskId: '',
  id,
  url: `https://hooks.example/${id}`,
  token: 'token',
  scheme: 'Bearer',
  credentials: SECRET,
  form: 'modern',
});

interface Sent {
  readonly key: string;
  readonly state: string;
}

describe('the states of a task', () => {
  let machine: Machine;
  let session: string;
  let seal: KeyRing;
  const bus = { publish: () => undefined };
  const warnings: unknown[] = [];
  const log: Log = { ...silentLog, warn: (...said) => void warnings.push(said) };
  let ids: Ids;
  let sent: Sent[];
  let answer: () => Promise<Response>;

  beforeEach(async () => {
    const progressHooks: TurnProgressHook[] = [];
    machine = new Machine({ deps: { progressHooks } });
    ids = createIds(machine.clock, seededRandom(5));
    const hook = createTaskPushHook({ ids, bus });
    progressHooks.push(hook);
    machine.endHooks = [hook];
    await machine.start();
    session = await machine.session();
    seal = new KeyRing([freshKey(seededRandom(1))], seededRandom(2));
    warnings.length = 0;
    sent = [];
    answer = async () => new Response(null, { status: 204 });
  });
  afterEach(() => machine.dispose());

  const pushes = () =>
    new TaskPushes({
      store: machine.store,
      seal,
      ids,
      bus,
      audit: async () => undefined,
      requireAddress: () => undefined,
    });
  const courier = (more: Partial<PushCourierDeps> = {}) =>
    new PushCourier({
      store: machine.store,
      seal,
      peers: createPeerServer(),
      links: { link: () => 'http://here/file' },
      clock: machine.clock,
      log,
      fetch: () => async (_url, init) => {
        const headers = new Headers(init.headers);
        const { task } = JSON.parse(String(init.body)) as { task: { status: { state: string } } };
        sent.push({ key: headers.get('idempotency-key') ?? '', state: task.status.state });
        init.signal?.throwIfAborted();
        return answer();
      },
      ...more,
    });
  /** Runs what is due; answers how many items that were. */
  const work = async (by: PushCourier): Promise<number> => {
    const { store } = machine;
    const items = await store.write((tx) => tx.queue.take(by.kinds, tx.steadyNow(), LEASE_MICROS, 20));
    for (const item of items) {
      const outcome = await by.run(item);
      await by.settled();
      const { kind, key, token, payload } = item;
      if (!('againMs' in outcome)) throw new Error('the courier keeps its items itself');
      const dueAt = machine.clock.nowMicros() + outcome.againMs * 1_000;
      await store.write((tx) => tx.queue.retry(kind, key, token, dueAt, payload));
    }
    return items.length;
  };
  const ended = async (...names: readonly string[]): Promise<TurnRow> => {
    const turn = await machine.withSession(session, async (tx, { namespace, agent, id }, { admission }) => {
      const parts: Part[] = [{ id: '', type: PART.TEXT, content: 'hi', createdAt: 1 }];
      const submission = {
        namespace,
        agent,
        sessionId: id,
        parts,
        labels: {},
        whenBusy: 'QUEUE',
        cause: CAUSE,
      } as const;
      const admitted = await tx.log.turn((await admission.admit(tx, submission)).turnId);
      if (admitted === undefined) throw new Error('there is no turn');
      for (const name of names)
        await pushes().put(tx, admitted, { push: push(name), isWithMessage: true, origin: ORIGIN });
      return admitted;
    });
    if (turn === undefined) throw new Error('there is no session');
    await machine.runToEnd();
    return turn;
  };
  const rows = (turnId: string) => machine.store.read((tx) => tx.taskPushes.page('ofTurn', { turnId }, { limit: 20 }));
  const states = () => sent.map(({ state }) => state.replace('TASK_STATE_', ''));

  it('wait in the store for a process that sends them, each once and in order', async () => {
    await ended('a', 'b');
    await machine.crash();
    await machine.start();
    expect(await work(courier())).toBe(2);
    expect(states()).toEqual(['WORKING', 'COMPLETED', 'WORKING', 'COMPLETED']);
    await machine.advance(100_000);
    expect(await work(courier())).toBe(0);
  });

  it('are sent again with the same key when a process died after sending, and none is lost', async () => {
    for (const side of ['before', 'after'] as const)
      for (let at = 1; at <= 2; at++) {
        sent = [];
        const turn = await ended('a');
        await work(courier({ store: dyingStore(machine.store, at, side) }));
        await machine.advance(100_000);
        await work(courier());
        const keys = new Map(sent.map(({ key, state }) => [key, state.replace('TASK_STATE_', '')]));
        expect([...keys.values()], `${side} ${at}`).toEqual(['WORKING', 'COMPLETED']);
        expect(sent.length - keys.size).toBe(side === 'before' ? 1 : 0);
        await machine.advance(100_000);
        expect([await work(courier()), await rows(turn.id)]).toMatchObject([0, [{ id: 'a' }]]);
      }
  });

  it('are tried again while the address refuses them, and given up after a day without its secrets in the log', async () => {
    const { id } = await ended('a', 'b');
    answer = async () => new Response('no', { status: 500 });
    await work(courier());
    expect(await work(courier())).toBe(0);
    answer = () =>
      Promise.reject(
        new TypeError('fetch failed', { cause: Object.assign(new Error(SECRET), { code: 'ECONNREFUSED' }) }),
      );
    await machine.advance(2_000);
    expect(await work(courier())).toBe(2);
    await machine.advance(86_400_000);
    await work(courier());
    expect(await rows(id)).toEqual([]);
    expect(warnings).toHaveLength(2);
    expect(JSON.stringify(warnings)).toContain('could not be reached: ECONNREFUSED');
    expect(JSON.stringify(warnings)).not.toMatch(new RegExp(`${SECRET}|hooks.example`));
    expect(states().every((state) => state === 'WORKING')).toBe(true);
    await machine.advance(86_400_000);
    expect(await work(courier())).toBe(0);
  });

  it('have a day again once a peer corrects the address', async () => {
    const turn = await ended('a');
    answer = async () => new Response('no', { status: 500 });
    await work(courier());
    const corrected = { ...push('a'), url: 'https://hooks.example/right' };
    await pushes().set(turn, { push: corrected, isWithMessage: false, origin: ORIGIN });
    await machine.advance(86_400_000);
    await work(courier());
    expect(await rows(turn.id)).toMatchObject([{ id: 'a' }]);
    answer = async () => new Response(null, { status: 204 });
    await machine.advance(2_000);
    await work(courier());
    expect(states().slice(-2)).toEqual(['WORKING', 'COMPLETED']);
  });

  it('are left to the next process by one that closes, and by an address that is too slow', async () => {
    await ended('a');
    const silent = () => {
      const begun = Promise.withResolvers<void>();
      const fetch: PushCourierDeps['fetch'] = () => (_url, init) => {
        begun.resolve();
        return new Promise((_resolve, reject) =>
          init.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      };
      return { begun: begun.promise, by: courier({ fetch }) };
    };
    const closing = silent();
    const first = work(closing.by);
    await closing.begun;
    await closing.by.close();
    await first;
    const slow = silent();
    const second = work(slow.by);
    await slow.begun;
    await machine.advance(20_000);
    await second;
    await machine.advance(2_000);
    await work(courier());
    expect(states()).toEqual(['WORKING', 'COMPLETED']);
  });

  it('go with their session, and cannot be asked for of a turn that no peer began', async () => {
    const turn = await ended('a');
    await machine.clear(session);
    expect(await rows(turn.id)).toEqual([]);
    await work(courier());
    expect(sent).toEqual([]);
    const own = await machine.send(session, 'hi');
    const ownTurn = await machine.turn(own.turnId);
    if (ownTurn === undefined) throw new Error('there is no turn');
    const set = pushes().set(ownTurn, { push: push('a'), isWithMessage: false, origin: ORIGIN });
    await expect(set).rejects.toMatchObject({ reason: 'NOT_A_PEERS_TASK' });
    await expect(pushes().set(turn, { push: push('a'), isWithMessage: false, origin: ORIGIN })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('have their credentials encrypted again with a new key, and are not sent without the key', async () => {
    const { id } = await ended('a');
    const [before] = await rows(id);
    seal.add(freshKey(seededRandom(3)));
    await pushes().reseal();
    const [after] = await rows(id);
    expect(after?.sealed).not.toBe(before?.sealed);
    expect(seal.isNewest(after?.sealed ?? '')).toBe(true);
    await pushes().reseal();
    expect(await rows(id)).toEqual([after]);
    await work(courier({ seal: new KeyRing([freshKey(seededRandom(9))], seededRandom(9)) }));
    expect(sent).toEqual([]);
    await machine.advance(2_000);
    await work(courier());
    expect(states()).toEqual(['WORKING', 'COMPLETED']);
    expect(TASK_PUSH).toBe('a2a.push');
  });
});
