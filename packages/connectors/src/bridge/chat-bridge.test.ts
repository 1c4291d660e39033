import type { Adapter, Message } from 'chat';
import { describe, expect, it } from 'vitest';
import { type InboundEvent, NotTaken } from '../kit/index.ts';
import { ChatBridge } from './chat-bridge.ts';
import { AdapterMissing, loadAdapter } from './load-adapter.ts';
import { MemoryState } from './memory-state.ts';
import { SignIn } from './sign-in.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const logger = { ...quiet, debug: () => undefined, child: () => logger };
const adapter = { name: 'demo', userName: 'svc' } as Adapter;
const message = (fields: object = {}) =>
  ({
    id: 'm1',
    text: '@svc hello',
    author: { userId: 'u1', userName: 'ada', fullName: '', isMe: false, isBot: true },
    metadata: { dateSent: new Date(5), edited: false },
    attachments: [],
    ...fields,
  }) as unknown as Message;

const openBridge = (ingest: (event: InboundEvent) => Promise<void>, stopping = new AbortController()) => {
  const waits: number[] = [];
  const bridge = new ChatBridge({
    connector: {
      maxTextLength: 100,
      open: async () => adapter,
      threadOf: () => 't',
      locate: () => ({ conversation: 'c', thread: undefined, conversationType: 'channel', matchFields: {} }),
    },
    host: {
      ingest: async (event) => {
        await ingest(event);
        return true;
      },
      reportStatus: () => undefined,
      log: quiet,
    },
    logger,
    userName: 'svc',
    now: () => 0,
    stopping: stopping.signal,
    wait: async (ms) => {
      waits.push(ms);
      if (waits.length > 8) stopping.abort();
    },
  });
  return { bridge, waits };
};

describe('a message that came without a webhook', () => {
  it('is tried again until svc takes it', async () => {
    const taken: InboundEvent[] = [];
    let failures = 3;
    const { bridge, waits } = openBridge(async (event) => {
      failures -= 1;
      if (failures >= 0) throw new NotTaken('svc cannot be reached');
      taken.push(event);
    });
    await bridge.processMessage(adapter, 't', async () => message());
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    expect(taken).toMatchObject([
      { eventId: 'demo:c:m1', sender: { displayName: 'ada', kind: 'bot' }, labels: { mention: 'true' } },
    ]);
  });

  it('is given up when the connector stops', async () => {
    const { bridge, waits } = openBridge(() => Promise.reject(new NotTaken('svc cannot be reached')));
    await bridge.processMessage(adapter, 't', message());
    expect(waits.at(-1)).toBe(60_000);
  });
});

describe('files of a message', () => {
  it('are read, and left out where the platform has no content of them', async () => {
    const taken: InboundEvent[] = [];
    const { bridge } = openBridge(async (event) => void taken.push(event));
    const failing = (status: number) => ({
      type: 'file',
      fetchData: () => Promise.reject(Object.assign(new Error('no'), { status })),
    });
    const attachments = [
      { type: 'image', data: Buffer.from('a') },
      { type: 'file', url: 'https://files.example' },
      failing(404),
      failing(503),
    ];
    await bridge.processMessage(adapter, 't', message({ attachments }));
    const [data, link, gone, later] = taken[0]?.attachments ?? [];
    expect(await data?.read()).toEqual(Buffer.from('a'));
    expect(await link?.read()).toBeUndefined();
    expect(await gone?.read()).toBeUndefined();
    await expect(later?.read()).rejects.toThrow('no');
  });
});

describe('what an adapter hands over after its webhook was answered', () => {
  it('is tried again until svc takes it, because the platform does not send it again', async () => {
    let failures = 1;
    const { bridge, waits } = openBridge(async () => {
      failures -= 1;
      if (failures >= 0) throw new NotTaken('svc cannot be reached');
    });
    const handleWebhook = async () => {
      setTimeout(() => void bridge.processMessage(adapter, 't', message()));
      return new Response();
    };
    await bridge.receive({ ...adapter, handleWebhook } as unknown as Adapter, new Request('http://127.0.0.1/webhook'));
    await expect.poll(() => waits).toEqual([1_000]);
    await expect.poll(() => failures).toBe(-1);
  });
});

describe('signing in', () => {
  it('is repeated until it works, and reported then', async () => {
    const stopping = new AbortController();
    const waits: number[] = [];
    const reports: string[] = [];
    let failures = 3;
    const signIn = new SignIn({
      attempt: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error('no network');
      },
      host: { log: quiet, reportStatus: (status) => void reports.push(status) },
      wait: async (ms) => void waits.push(ms),
      stopping: stopping.signal,
    });
    await expect(signIn.start()).rejects.toThrow('no network');
    expect(signIn.isDone).toBe(false);
    await expect.poll(() => signIn.isDone).toBe(true);
    expect([waits, reports]).toEqual([[5_000, 10_000, 20_000], ['connected']]);
  });
});

describe('what is not a message of somebody else', () => {
  it('reaches svc neither as new, edited nor deleted', async () => {
    const { bridge } = openBridge(() => Promise.reject(new Error('not expected')));
    const own = message({ author: { userId: 'b', userName: 'svc', fullName: '', isMe: true, isBot: true } });
    await bridge.handleIncomingMessage(adapter, 't', own);
    await bridge.processMessageUpdated({ adapter, message: own, threadId: 't' });
    const deleted = { adapter, channelId: 'c', messageId: 'm1', threadId: 't', raw: {}, previousMessage: own };
    await bridge.processMessageDeleted(deleted);
    const user = { userId: 'u1', userName: 'ada', fullName: '', isMe: false, isBot: false };
    const press = { adapter, actionId: 'approve', messageId: 'm1', threadId: 't', raw: {}, user };
    await bridge.processAction(press, undefined);
    await Promise.all([bridge.processReaction(), bridge.abortTurn()]);
    expect(await bridge.processModalSubmit()).toBeUndefined();
    expect(await bridge.processOptionsLoad()).toBeUndefined();
    expect(() => bridge.history).toThrow('in svc');
    expect(() => bridge.transcripts).toThrow('in svc');
  });
});

describe('the memory of adapters', () => {
  it('keeps values for their time, and claims never hide a message that comes again', async () => {
    let now = 0;
    const state = new MemoryState(() => now);
    await state.set('user', { name: 'Ada' }, 10);
    expect(await state.get('user')).toEqual({ name: 'Ada' });
    now = 10;
    expect(await state.get('user')).toBeNull();
    expect([await state.setIfNotExists('claim', 1), await state.setIfNotExists('claim', 2)]).toEqual([true, true]);
    expect(await state.get('claim')).toBe(1);
    await state.appendToList('list', 'a', { maxLength: 2 });
    await state.appendToList('list', 'b', { maxLength: 2 });
    await state.appendToList('list', 'c', { maxLength: 2 });
    expect(await state.getList('list')).toEqual(['b', 'c']);
    await state.delete('list');
    expect(await state.getList('list')).toEqual([]);
  });

  it('refuses what svc does itself', async () => {
    const state = new MemoryState(() => 0);
    const refused = [
      state.subscribe(),
      state.unsubscribe(),
      state.acquireLock(),
      state.extendLock(),
      state.releaseLock(),
    ];
    const more = [state.forceReleaseLock(), state.enqueue(), state.dequeue(), state.queueDepth()];
    for (const call of [...refused, ...more]) await expect(call).rejects.toThrow('svc orders and keeps the messages');
  });
});

it('an adapter that is not installed is named', async () => {
  const missing = loadAdapter('@chat-adapter/does-not-exist');
  await expect(missing).rejects.toThrow(AdapterMissing);
  await expect(missing).rejects.toThrow('npm install @chat-adapter/does-not-exist');
});
