import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ChannelEventKind } from '@svc/api/events';
import {
  type PostChannelMessageRequest,
  PostChannelMessageRequestSchema,
  type PostChannelMessageResponse,
} from '@svc/api/gateway';
import { AgentSpecSchema, ChannelSpecSchema, ChannelSubscriptionSpecSchema } from '@svc/api/resources';
import { expect } from 'vitest';
import { createAuditAppender } from '../../../../auth/index.ts';
import { ManualClock, seededRandom, silentLog } from '../../../../base/index.ts';
import {
  QueueRunner,
  StoredKindFacade,
  systemOrigin,
  TransactionalResourceWriter,
} from '../../../../controllers/index.ts';
import { defaultLabelLimits, ResourceViews, recordKey } from '../../../../resources/index.ts';
import { EngineHarness } from '../../../../runtime/testing/engine-harness.ts';
import { type ChannelMessageRow, everyResource, type Store } from '../../../../store/contracts/index.ts';
import { createToolRegistry } from '../../../../tools/index.ts';
import { sharedSchemaCheck } from '../../../../tools/testing/shared-schema-check.ts';
import { callContext } from '../../../testing/test-call.ts';
import { channelContract } from '../channel-kind.ts';
import type { EventBody } from '../channel-log.ts';
import type { MessageBody } from '../channel-message.ts';
import { channelsModule } from '../channels-module.ts';
import { createChannelHook } from '../publishing/index.ts';
import { subscriptionContract } from '../subscription/index.ts';

const ORIGIN = systemOrigin('test');
const AGENTS_PER_MINUTE = 3;
const settings = {
  'limits.channelContentMax': 2_000,
  'limits.channelSubscriptionsMax': 200,
  'limits.responseBytes': 1 << 20,
  'idempotency.hours': 86_400_000,
  'streams.historyEvents': 10_000,
  'streams.historySeconds': 600_000,
  'retention.channelMessages': 0,
  'limits.streamBufferEvents': 8,
  'limits.streamBufferBytes': 1 << 20,
  'limits.channelMaxHops': 2,
  'limits.channelAgentRate': AGENTS_PER_MINUTE,
  'connectors.silenceTokens': ['[SILENT]'],
  'limits.labels': defaultLabelLimits.labels,
  'limits.annotationsBytes': defaultLabelLimits.annotationsBytes,
};

/** Channels, the turn engine and the demo model on a real store; the queue runs when a test says so. */
export class RoutingWorld {
  readonly clock = new ManualClock();
  readonly engine: EngineHarness;
  writer!: TransactionalResourceWriter;
  module!: ReturnType<typeof channelsModule>;
  runner!: QueueRunner;

  constructor() {
    this.engine = new EngineHarness({ clock: this.clock });
  }

  async start(): Promise<void> {
    const { engine, clock } = this;
    const namespaces = { requireLive: async () => undefined, ancestors: async () => [] };
    const tools = createToolRegistry({ tools: [], log: silentLog, check: sharedSchemaCheck });
    await engine.start({ deps: { endHooks: [createChannelHook({ publish: () => undefined })], tools } });
    const { store, bus, ids, runtime } = engine;
    const audit = createAuditAppender(ids);
    this.writer = new TransactionalResourceWriter({
      contracts: new Map([
        ['Channel', channelContract({ writer: () => this.writer })],
        ['ChannelSubscription', subscriptionContract({ subscriptionsMax: 200 })],
      ]),
      namespaces,
      audit,
      ids,
      seal: undefined as never,
      limits: { ...defaultLabelLimits, resourceBytes: 1 << 20 },
      readsValues: () => true,
      notify: () => undefined,
    });
    const { writer } = this;
    this.module = channelsModule({
      store,
      bus,
      ids,
      writer,
      audit,
      namespaces,
      settings,
      admission: runtime.admission,
      lifecycle: runtime.lifecycle,
      objects: { size: async () => undefined, read: async () => undefined, hold: async () => undefined },
      artifactObjects: async () => [],
      published: async () => undefined,
      views: new ResourceViews(),
      feed: { subscribe: () => ({ after: 0, stop: () => undefined }) },
      channels: new StoredKindFacade('Channel', { store, writer, responseBytes: 1 << 20 }),
    });
    const { workers = [], toolSources = [] } = this.module;
    tools.add({ toolSources });
    const random = seededRandom(5);
    this.runner = new QueueRunner({ store, clock, bus, random, log: silentLog, pollMs: 60_000, workers });
  }

  async agent(name: string, facts: { readonly notReady?: string } = {}): Promise<void> {
    this.engine.setAgent(name, create(AgentSpecSchema, {}), facts);
    const meta = { uid: `uid-${name}`, generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [] };
    const record = { ...meta, finalizers: [], apiVersion: 'svc/v1', spec: '{}', status: '{}' };
    await this.engine.store.write((tx) => tx.resources.insert({ ...record, key: recordKey('Agent', 'default', name) }));
  }

  async channel(name: string, title = ''): Promise<void> {
    const key = recordKey('Channel', 'default', name);
    const spec = create(ChannelSpecSchema, { title });
    await this.engine.store.write((tx) => this.writer.put(tx, ORIGIN, { key, spec }));
  }

  async closeChannel(name: string): Promise<void> {
    const key = recordKey('Channel', 'default', name);
    const annotations = { 'option.svc/channel-state': 'closed' };
    await this.engine.store.write((tx) =>
      this.writer.put(tx, ORIGIN, { key, spec: create(ChannelSpecSchema), annotations }),
    );
  }

  async removeChannel(name: string): Promise<void> {
    const key = recordKey('Channel', 'default', name);
    await this.engine.store.write((tx) => this.writer.remove(tx, ORIGIN, { key }));
  }

  async subscribe(
    channel: string,
    name: string,
    spec: MessageInitShape<typeof ChannelSubscriptionSpecSchema>,
  ): Promise<void> {
    const key = { ...recordKey('ChannelSubscription', 'default', name), parent: channel };
    const wanted = create(ChannelSubscriptionSpecSchema, { channel, ...spec });
    await this.engine.store.write((tx) => this.writer.put(tx, ORIGIN, { key, spec: wanted }));
  }

  async post(channel: string, content: string, more: object = {}): Promise<PostChannelMessageResponse> {
    const { operations = [] } = this.module;
    const found = operations.find(({ method }) => method.name === 'PostChannelMessage');
    if (found?.kind !== 'unary') throw new Error('PostChannelMessage is not mounted');
    const request = create(PostChannelMessageRequestSchema, { ns: 'default', channel, content, ...more });
    const call = callContext('svc.gateway.GatewayService/PostChannelMessage');
    return (await found.handle(request as PostChannelMessageRequest, call)) as PostChannelMessageResponse;
  }

  /** Waits until no turn is open and nothing is queued. */
  async settle(): Promise<void> {
    const { store } = this.engine;
    const scope = { type: 'namespace', namespace: 'default' } as const;
    const openTurns = async (): Promise<number> => {
      await this.runner.tick();
      let open = 0;
      for (const { key } of await everyResource(store.direct.resources, { kind: 'Session', scope }))
        open += (await store.direct.log.session(key.name))?.openTurns ?? 0;
      return open;
    };
    await expect.poll(openTurns).toBe(0);
    await this.runner.tick();
    // What was published may have begun further turns.
    await expect.poll(openTurns).toBe(0);
  }

  /** Messages of a channel as `author: content`, oldest first. */
  async said(channel: string): Promise<readonly string[]> {
    return (await this.#rows(channel)).map((row) => {
      const { author, content } = JSON.parse(row.body) as MessageBody;
      return `${author}: ${content}`;
    });
  }

  /** Events of a channel as `KIND agent subscription error`, in order. */
  async events(channel: string): Promise<readonly string[]> {
    const uid = await this.#uid(channel);
    const rows = await this.engine.store.read((tx) => tx.channels.events(uid, 0, 500));
    return rows.map(({ kind, body }) => {
      const { agent = '', subscription = '', error = '' } = JSON.parse(body) as EventBody;
      return [ChannelEventKind[kind], agent, subscription, error].filter((word) => word !== '').join(' ');
    });
  }

  async #rows(channel: string): Promise<readonly ChannelMessageRow[]> {
    const uid = await this.#uid(channel);
    const rows = await this.engine.store.read((tx) => tx.channels.messagesBefore(uid, undefined, 200));
    return rows.toReversed();
  }

  async #uid(channel: string): Promise<string> {
    const { store }: { store: Store } = this.engine;
    const record = await store.direct.resources.get(recordKey('Channel', 'default', channel));
    if (record === undefined) throw new Error('no channel');
    return record.uid;
  }

  async close(): Promise<void> {
    this.runner.close();
    const { store, runtime } = this.engine;
    await store.write((tx) => runtime.lifecycle.stopNamespaces(tx, new Set(['default'])));
    await this.engine.stop();
    await this.engine.dispose();
  }
}
