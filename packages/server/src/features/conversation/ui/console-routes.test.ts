import { GatewayService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallerGrant } from '../../../auth/contract.ts';
import { Fault, silentLog } from '../../../base/index.ts';
import type { ChangeFeed } from '../../../controllers/contract.ts';
import type { HttpRoute } from '../../../operations/index.ts';
import { formatSessionName, namespaceKey, ResourceViews, resourceNotFound } from '../../../resources/index.ts';
import type { ResourceChange } from '../../../store/contracts/index.ts';
import { SessionHarness } from '../sessions/testing/index.ts';
import { consoleRoutes } from './console-routes.ts';
import { routeFetch } from './testing/index.ts';

const { method: gateway } = GatewayService;

/** Hands out the changes of the store when told to. */
class TestChanges implements ChangeFeed {
  readonly #receivers = new Set<(changes: readonly ResourceChange[]) => void>();
  subscribe(receive: (changes: readonly ResourceChange[]) => void): { readonly after: number; stop(): void } {
    this.#receivers.add(receive);
    return { after: 0, stop: () => this.#receivers.delete(receive) };
  }
  async tell(harness: SessionHarness): Promise<void> {
    const changes = await harness.engine.store.read((tx) => tx.resources.changes(0, 100));
    for (const receive of this.#receivers) receive(changes);
  }
  /** Tells that a namespace is gone. */
  async remove(name: string, from: SessionHarness): Promise<void> {
    const [some] = await from.engine.store.read((tx) => tx.resources.changes(0, 1));
    const resource = { ...some!.resource, key: namespaceKey(name) };
    for (const receive of this.#receivers) receive([{ ...some!, change: 'deleted', resource }]);
  }
  get size(): number {
    return this.#receivers.size;
  }
}

let harness: SessionHarness;
let changes: TestChanges;
let fetcher: typeof fetch;
let allowed: (agent: string | undefined, channel?: string) => boolean;
let grants: readonly CallerGrant[];
/** How each call of the route ended. */
let failures: Promise<unknown>[];
let sayInChannel: (event: { namespace: string; channel: string; data: string }) => void;
/** What runs and deliveries are told to, by topic. */
let receivers: Map<'run' | 'delivery', (event: { namespace: string; data: string }) => void>;

beforeEach(async () => {
  harness = new SessionHarness();
  await harness.start();
  changes = new TestChanges();
  allowed = () => true;
  receivers = new Map();
  const source = (topic: 'run' | 'delivery') => ({
    subscribe: (receive: (event: { namespace: string; data: string }) => void) => {
      receivers.set(topic, receive);
      return () => undefined;
    },
  });
  const { bus, clock, ids } = harness.engine;
  const routes = consoleRoutes({
    sessions: harness.console,
    channels: {
      subscribe: (receive) => {
        sayInChannel = receive;
        return () => undefined;
      },
    },
    runs: source('run'),
    deliveries: source('delivery'),
    streams: harness.streams,
    changes,
    views: new ResourceViews(),
    bus,
    authorizer: {
      authorize: () => undefined,
      allows: (_caller, _role, target) => allowed(target.agent, target.channel),
      readsSecrets: () => true,
    },
    ancestorsAt: (namespace) => (namespace.startsWith('default:') ? ['default'] : []),
    requireNamespace: async (namespace) => {
      if (namespace === 'nowhere') throw resourceNotFound(namespaceKey(namespace));
    },
    clock,
    ids,
    log: silentLog,
  });
  grants = [{ role: 'viewer', readSecrets: false }];
  failures = [];
  const observed = routes.map(
    (route): HttpRoute => ({
      ...route,
      handle: (...given) => {
        const handled = route.handle(...given);
        failures.push(handled.catch((error: unknown) => error));
        return handled;
      },
    }),
  );
  const context = () => harness.context('ui');
  fetcher = routeFetch(observed, () => ({ ...context(), caller: { ...context().caller, grants } }));
});
afterEach(() => harness.close());

interface Frame {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** Reads frames as they come; `until` resolves with the first one that fits. */
const open = async (query = '', headers: Record<string, string> = {}) => {
  const control = new AbortController();
  const response = await fetcher(`/v1/ui/events${query}`, { signal: control.signal, headers });
  const frames: Frame[] = [];
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const until = async (fits: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const found = frames.find(fits);
      if (found !== undefined) return found;
      const { value = '', done } = await reader.read();
      if (done) throw new Error(`ended after ${frames.map((frame) => frame.event).join(' ')}`);
      for (const block of value.split('\n\n').filter((text) => text.startsWith('event:'))) {
        const [event = '', id = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
        frames.push({ event, id, data: JSON.parse(data) as Record<string, unknown> });
      }
    }
  };
  return { frames, until, close: () => control.abort(), status: response.status };
};

describe('the console stream', () => {
  test('begins with ready and shows session, turn and messages of a conversation', async () => {
    const session = await harness.newSession();
    const feed = await open();
    expect((await feed.until(() => true)).event).toBe('ready');
    const sent = await harness.call(gateway.sendMessage, { ...session, message: 'hello' });
    await feed.until((frame) => frame.event === 'turn' && frame.data['state'] === 'TURN_STATE_COMPLETED');
    const reply = await feed.until(
      (frame) => frame.event === 'message' && (frame.data['message'] as { id: string }).id === sent.replyMessageId,
    );
    expect(reply.data).toMatchObject({ ns: 'default', agent: 'helper', sessionId: session.sessionId });
    const idle = await feed.until((frame) => frame.event === 'session' && frame.data['state'] === 'IDLE');
    expect(idle.data).toEqual({
      ns: 'default',
      agent: 'helper',
      sessionId: session.sessionId,
      state: 'IDLE',
      queuedTurns: 0,
    });
    feed.close();
  });

  test('shows resources without their spec, and only those that the grants cover', async () => {
    const session = await harness.newSession();
    const feed = await open('?topics=resource');
    await feed.until((frame) => frame.event === 'ready');
    await changes.tell(harness);
    const { data } = await feed.until((frame) => frame.event === 'resource');
    expect(data).toMatchObject({
      resourceKind: 'Session',
      name: session.sessionId,
      changeType: 'RESOURCE_CHANGE_TYPE_CREATED',
    });
    expect(data['resource']).not.toHaveProperty('spec');
    feed.close();
    allowed = (agent) => agent !== 'helper';
    const denied = await open('?topics=resource,session');
    await denied.until((frame) => frame.event === 'ready');
    await changes.tell(harness);
    expect(denied.frames.map((frame) => frame.event)).toEqual(['ready']);
    denied.close();
  });

  test('resumes after its cursor, and asks to reload when that is no longer kept', async () => {
    const session = await harness.newSession();
    const feed = await open('?ns=default&recursive=true');
    const { id } = await feed.until((frame) => frame.event === 'ready');
    await harness.call(gateway.appendSessionMessage, {
      ...session,
      message: { parts: [{ partType: 1, content: 'note' }] },
    });
    await feed.until((frame) => frame.event === 'message');
    feed.close();
    const again = await open('', { 'last-event-id': id });
    await again.until((frame) => frame.event === 'message');
    expect(again.frames.map((frame) => frame.event)).toEqual(['ready', 'session', 'message']);
    again.close();
    const foreign = await open('?after=elsewhere.3');
    await foreign.until((frame) => frame.event === 'refresh');
    foreign.close();
  });

  test('carries the parts of the asked sessions', async () => {
    const session = await harness.newSession();
    const name = formatSessionName({ namespace: session.ns, agent: session.agent, sessionId: session.sessionId });
    const feed = await open(`?topics=part&session=${encodeURIComponent(name)}`);
    await feed.until((frame) => frame.event === 'ready');
    await harness.call(gateway.sendMessage, { ...session, message: 'hi', waitSeconds: 30 });
    const part = await feed.until((frame) => frame.event === 'part');
    expect(part.data).toMatchObject({ sessionId: session.sessionId, kind: 'SESSION_MESSAGE_PART_EVENT_KIND_DELTA' });
    feed.close();
  });

  test('refuses unknown topics, malformed session names and too many of them', async () => {
    expect((await fetcher('/v1/ui/events?topics=weather')).status).toBe(400);
    expect((await fetcher('/v1/ui/events?session=nobody')).status).toBe(400);
    const many = Array.from({ length: 33 }, () => 'session=x').join('&');
    expect((await fetcher(`/v1/ui/events?${many}`)).status).toBe(400);
  });

  test('refuses parameters that it does not know and a flag that is none', async () => {
    expect((await fetcher('/v1/ui/events?colour=red')).status).toBe(400);
    expect((await fetcher('/v1/ui/events?ns=default&recursive=maybe')).status).toBe(400);
  });

  test('refuses a namespace that is not there, to those whose grants reach into it', async () => {
    expect(await (await fetcher('/v1/ui/events?ns=nowhere')).text()).toContain('NAMESPACE_NOT_FOUND');
    grants = [{ role: 'viewer', namespace: 'elsewhere', readSecrets: false }];
    const blind = await open('?ns=nowhere');
    expect((await blind.until(() => true)).event).toBe('ready');
    blind.close();
  });

  test('shows what lies below its namespace, also what came later', async () => {
    const feed = await open('?topics=channel&ns=default&recursive=true');
    await feed.until((frame) => frame.event === 'ready');
    for (const namespace of ['elsewhere', 'default:later'])
      sayInChannel({ namespace, channel: 'ops', data: JSON.stringify({ ns: namespace }) });
    expect((await feed.until((frame) => frame.event === 'channel')).data).toEqual({ ns: 'default:later' });
    feed.close();
  });

  test('ends when its namespace is gone, and only then', async () => {
    await harness.newSession();
    const feed = await open('?topics=resource&ns=default');
    await feed.until((frame) => frame.event === 'ready');
    await changes.remove('other', harness);
    await changes.remove('default', harness);
    const { data } = await feed.until((frame) => frame.event === 'resource');
    expect([data['name'], data['changeType']]).toEqual(['default', 'RESOURCE_CHANGE_TYPE_DELETED']);
    expect(await failures.shift()).toMatchObject({ code: 'NOT_FOUND', reason: 'NAMESPACE_NOT_FOUND' });
  });

  test('ends with why it was ended from outside, and where to go on', async () => {
    const control = new AbortController();
    await fetcher('/v1/ui/events', { signal: control.signal });
    control.abort(new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the server is shutting down'));
    const failure = (await failures.shift()) as Fault;
    expect([failure.reason, failure.metadata['cursor']]).toEqual(['SHUTTING_DOWN', expect.stringMatching(/\.0$/)]);
  });

  test('says before it begins that a session is not there', async () => {
    const names = { namespace: 'default', agent: 'helper', sessionId: '0190a0a0-0000-7000-8000-000000000000' };
    const session = encodeURIComponent(formatSessionName(names));
    expect(await (await fetcher(`/v1/ui/events?session=${session}`)).text()).toContain('SESSION_NOT_FOUND');
  });

  test('carries the events of channels, as far as the grants cover them', async () => {
    allowed = (_agent, channel) => channel === 'ops';
    const feed = await open('?topics=channel&ns=default');
    await feed.until((frame) => frame.event === 'ready');
    for (const [namespace, channel] of [
      ['default', 'secret'],
      ['elsewhere', 'ops'],
      ['default', 'ops'],
    ] as const)
      sayInChannel({ namespace, channel, data: JSON.stringify({ ns: namespace, channel }) });
    const { data } = await feed.until((frame) => frame.event === 'channel');
    expect(data).toEqual({ ns: 'default', channel: 'ops' });
    feed.close();
  });

  test.each(['run', 'delivery'] as const)(
    'carries the topic %s to those who see its whole namespace',
    async (topic) => {
      const feed = await open(`?topics=${topic}&ns=default`);
      await feed.until((frame) => frame.event === 'ready');
      const tell = (ns: string) => receivers.get(topic)?.({ namespace: ns, data: JSON.stringify({ ns }) });
      tell('elsewhere');
      tell('default');
      const { event, data } = await feed.until((frame) => frame.event !== 'ready');
      expect([event, data]).toEqual([topic, { ns: 'default' }]);
      // A caller whose grant names agents or channels sees none of them.
      allowed = (agent, channel) => agent !== undefined || channel !== undefined;
      tell('default');
      allowed = () => true;
      const other = topic === 'run' ? 'delivery' : 'run';
      receivers.get(other)?.({ namespace: 'default', data: '{}' });
      receivers.get(topic)?.({ namespace: 'default', data: '{"last":true}' });
      await feed.until((frame) => frame.data['last'] === true);
      expect(feed.frames.map((frame) => frame.event)).toEqual(['ready', topic, topic]);
      feed.close();
    },
  );
});
