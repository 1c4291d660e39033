import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../base/index.ts';
import type { McpConnection, McpTool } from '../../../../protocols/mcp/contract.ts';
import { McpFailure } from '../../../../protocols/mcp/contract.ts';
import { noExtensions } from '../../../../protocols/mcp/testing/no-extensions.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import { type ListOutcome, ServerSlot } from './server-slot.ts';

const tool = (name: string): McpTool => ({ name, description: '', inputSchema: { type: 'object' }, isReadOnly: true });
const down = (): Promise<never> => Promise.reject(new McpFailure('connect', 'down'));
const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
/** Lets everything happen that needs no time. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server whose behaviour each test sets. */
class Server {
  connects = 0;
  lists = 0;
  closed = 0;
  names: readonly string[] = ['a'];
  onConnect: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  onList: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  onCall: (call: number) => Promise<void> = () => Promise.resolve();
  calls = 0;
  changed: () => void = () => undefined;
  open: { isClosed: boolean } = { isClosed: false };

  async connect(signal: AbortSignal): Promise<McpConnection> {
    this.connects++;
    await this.onConnect(signal);
    const state = { isClosed: false };
    this.open = state;
    return {
      server: { name: 's', version: '1', protocol: '2026-07-28' },
      get isClosed() {
        return state.isClosed;
      },
      tools: async (listSignal) => {
        this.lists++;
        await this.onList(listSignal);
        return this.names.map(tool);
      },
      call: async () => {
        this.calls++;
        await this.onCall(this.calls);
        return { result: { content: [], isError: false } };
      },
      ...noExtensions,
      ping: (pingSignal) => this.onList(pingSignal),
      onToolsChanged: (listen) => {
        this.changed = listen;
      },
      close: async () => {
        this.closed++;
        state.isClosed = true;
      },
    };
  }
}

const CALL = {
  tool: 'a',
  input: {},
  meta: {},
  signal: new AbortController().signal,
  progress: () => undefined,
  reply: () => undefined,
};

describe('a server in use', () => {
  let clock: ManualClock;
  let server: Server;
  let slot: ServerSlot;
  let outcomes: ListOutcome[];

  beforeEach(() => {
    clock = new ManualClock();
    server = new Server();
    outcomes = [];
    slot = new ServerSlot(
      {
        place: 'p',
        key: 'k',
        namespace: 'default',
        subject: {} as StoredResource,
        era: 'auto',
        allowlist: undefined,
        hidden: [],
        target: async () => ({ transport: 'http', url: 'http://a', headers: {}, isTrusted: false }),
      },
      {
        connector: { connect: (_target, { signal }) => server.connect(signal) },
        clock,
        settled: (_wanted, outcome) => void outcomes.push(outcome),
      },
    );
  });

  const names = async (waitMs = 5_000, isNeeded = false): Promise<string> => {
    const tools = isNeeded ? slot.tools(5_000, { neededMs: waitMs }) : slot.tools(waitMs);
    return tools.then(
      (list) => list.map(({ name }) => name).join(' '),
      (error: McpFailure) => error.kind,
    );
  };

  it('is connected to once and asked for its list again after 5 min or when it says so', async () => {
    expect([await names(), await names(), server.connects, server.lists]).toEqual(['a', 'a', 1, 1]);
    server.names = ['b'];
    server.changed();
    expect([await names(), server.lists]).toEqual(['b', 2]);
    clock.advance(300_000);
    expect([await names(), server.connects, server.lists]).toEqual(['b', 1, 3]);
  });

  it('is waited for again by a call that needs it, although it was too slow for the turn before', async () => {
    const start = Promise.withResolvers<void>();
    server.onConnect = () => start.promise;
    const first = names();
    await settle();
    clock.advance(5_000);
    expect([await first, await names()]).toEqual(['timeout', 'timeout']);
    const needed = names(20_000, true);
    await settle();
    clock.advance(3_000);
    start.resolve();
    expect([await needed, server.connects]).toEqual(['a', 1]);
  });

  it('is tried again by a call that needs it, although it failed a moment ago', async () => {
    server.onConnect = down;
    expect(await names()).toBe('connect');
    server.onConnect = () => Promise.resolve();
    expect([await names(), await names(20_000, true), await names()]).toEqual(['connect', 'a', 'a']);
  });

  it('is asked for its list by a check whatever is known, and again at once although it failed, every 5 s at most', async () => {
    const checked = async (): Promise<string> => {
      const outcome = await slot.check(15_000);
      return 'failure' in outcome
        ? `${outcome.failure.kind} at ${outcome.at}`
        : `${outcome.server.name} ${outcome.tools.length}`;
    };
    expect([await names(), await checked(), server.lists]).toEqual(['a', 's 1', 2]);
    server.onList = down;
    expect([await checked(), await checked(), server.lists]).toEqual(['connect at list', 'connect at list', 4]);
    server.onList = () => Promise.resolve();
    expect([await checked(), server.lists]).toEqual(['connect at list', 4]);
    clock.advance(5_000);
    expect([await checked(), server.lists]).toEqual(['s 1', 5]);
  });

  it('is given up by a check after the time that it waits', async () => {
    server.onConnect = never;
    const checked = slot.check(15_000);
    await settle();
    clock.advance(15_000);
    expect(await checked).toMatchObject({ at: 'connect', failure: { kind: 'timeout' } });
  });

  it('is tried for calls that need it every 5 s at most, and not for them where a former list is known', async () => {
    server.onConnect = down;
    const needed = (): Promise<string> => names(20_000, true);
    expect([await names(), await needed(), await needed(), await needed()]).toEqual(Array(4).fill('connect'));
    expect(server.connects).toBe(2);
    clock.advance(5_000);
    expect([await needed(), await needed(), server.connects]).toEqual(['connect', 'connect', 3]);
    server.onConnect = () => Promise.resolve();
    clock.advance(5_000);
    expect([await needed(), server.connects]).toEqual(['a', 4]);
    server.open.isClosed = true;
    server.onConnect = never;
    clock.advance(300_000);
    const late = needed();
    await settle();
    clock.advance(5_000);
    expect([await late, await needed(), server.connects]).toEqual(['a', 'a', 5]);
  });

  it('costs a turn 5 s when it hangs, once in 30 s, and is back when it answers', async () => {
    server.onConnect = never;
    const first = names();
    await settle();
    clock.advance(5_000);
    expect([await first, await names()]).toEqual(['timeout', 'timeout']);
    clock.advance(5_000);
    await settle();
    expect([server.connects, outcomes.length]).toEqual([1, 1]);
    clock.advance(29_999);
    expect([await names(), server.connects]).toEqual(['timeout', 1]);
    server.onConnect = () => Promise.resolve();
    clock.advance(1);
    expect([await names(), server.connects]).toEqual(['a', 2]);
  });

  it('is used as soon as an attempt ends well that a turn did not wait for', async () => {
    const gate = Promise.withResolvers<void>();
    server.onConnect = () => gate.promise;
    const first = names();
    await settle();
    clock.advance(5_000);
    expect(await first).toBe('timeout');
    gate.resolve();
    await settle();
    expect([await names(), server.connects]).toEqual(['a', 1]);
  });

  it('keeps its former list for 15 min while the next cannot be had', async () => {
    expect(await names()).toBe('a');
    server.onList = down;
    server.onConnect = down;
    clock.advance(300_000);
    expect(await names()).toBe('a');
    clock.advance(599_999);
    expect(await names()).toBe('a');
    clock.advance(1);
    expect(await names()).toBe('connect');
    expect(outcomes.at(-1)).toMatchObject({ failure: { kind: 'connect' }, at: 'connect' });
  });

  it('is connected to anew at once when it ends, and after growing waits when it keeps ending', async () => {
    const call = (): Promise<string> =>
      slot.call(CALL).then(
        () => 'done',
        (error: McpFailure) => error.kind,
      );
    const end = (): void => {
      server.open.isClosed = true;
    };
    expect([await call(), server.connects]).toEqual(['done', 1]);
    end();
    expect([await call(), server.connects]).toEqual(['done', 2]);
    end();
    expect([await call(), server.connects]).toEqual(['lost', 2]);
    clock.advance(1_000);
    expect([await call(), server.connects]).toEqual(['done', 3]);
    clock.advance(60_001);
    end();
    expect([await call(), server.connects]).toEqual(['done', 4]);
  });

  it('is called once more when it forgot the session, and not more often', async () => {
    server.onCall = (call) => (call === 1 ? Promise.reject(new McpFailure('expired', 'gone')) : Promise.resolve());
    await slot.call(CALL);
    expect([server.calls, server.connects]).toEqual([2, 2]);
    server.onCall = () => Promise.reject(new McpFailure('expired', 'gone'));
    await expect(slot.call(CALL)).rejects.toMatchObject({ kind: 'expired' });
    expect(server.calls).toBe(4);
  });

  it('keeps the connection that one call opened anew when another learns later that the session is forgotten', async () => {
    const forgotten = [1, 2].map(() => Promise.withResolvers<void>());
    const slow = Promise.withResolvers<void>();
    server.onCall = async (call) => {
      const gate = forgotten[call - 1];
      if (gate === undefined) return call === 3 ? slow.promise : undefined;
      await gate.promise;
      throw new McpFailure('expired', 'gone');
    };
    const calls = [slot.call(CALL), slot.call(CALL)];
    await settle();
    forgotten[0]?.resolve();
    await settle();
    expect([server.connects, server.closed]).toEqual([2, 1]);
    forgotten[1]?.resolve();
    await settle();
    expect([server.connects, server.closed, server.open.isClosed]).toEqual([2, 1, false]);
    slow.resolve();
    expect(await Promise.all(calls)).toHaveLength(2);
  });

  it('reports nothing of a list whose connection ended because the slot was retired', async () => {
    const ended = Promise.withResolvers<void>();
    server.onList = () => ended.promise.then(() => Promise.reject(new McpFailure('lost', 'ended')));
    const list = names();
    await settle();
    slot.retire();
    ended.resolve();
    expect([await list, outcomes]).toEqual(['lost', []]);
  });

  it('ends with its last call when its configuration changes', async () => {
    const gate = Promise.withResolvers<void>();
    server.onCall = () => gate.promise;
    const call = slot.call(CALL);
    await settle();
    slot.retire();
    expect(server.closed).toBe(0);
    gate.resolve();
    await call;
    expect(server.closed).toBe(1);
  });

  it('keeps its open calls when a list cannot be had', async () => {
    const gate = Promise.withResolvers<void>();
    server.onCall = () => gate.promise;
    const call = slot.call(CALL);
    await settle();
    server.onList = down;
    expect([await names(), server.closed]).toEqual(['connect', 0]);
    gate.resolve();
    expect(await call).toHaveProperty('result');
  });

  it('is dropped when it gives no sign of life', async () => {
    await names();
    server.onList = never;
    const ping = slot.ping();
    await settle();
    clock.advance(10_000);
    await ping;
    expect(server.closed).toBe(1);
    server.onList = () => Promise.resolve();
    await slot.call(CALL);
    expect(server.connects).toBe(2);
  });

  it('keeps a call that began while it was asked for a sign of life', async () => {
    await names();
    server.onList = never;
    const gate = Promise.withResolvers<void>();
    server.onCall = () => gate.promise;
    const ping = slot.ping();
    const call = slot.call(CALL);
    await settle();
    clock.advance(10_000);
    await ping;
    expect(server.closed).toBe(0);
    gate.resolve();
    expect(await call).toHaveProperty('result');
  });

  it('has its connection ended although it is still being opened', async () => {
    const gate = Promise.withResolvers<void>();
    server.onConnect = () => gate.promise;
    const first = names();
    await settle();
    const closing = slot.close();
    gate.resolve();
    await Promise.all([closing, first]);
    expect(server.closed).toBeGreaterThan(0);
  });
});
