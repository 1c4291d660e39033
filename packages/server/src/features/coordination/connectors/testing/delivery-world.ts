import { create, fromJson, type MessageInitShape, toJsonString } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import { type Delivery, MessageRole } from '@svc/api/data';
import { ConnectorClassSpecSchema, ConnectorSpecSchema } from '@svc/api/resources';
import { expect } from 'vitest';
import { createAuditAppender } from '../../../../auth/index.ts';
import { ManualClock, seededRandom, silentLog } from '../../../../base/index.ts';
import { QueueRunner } from '../../../../controllers/index.ts';
import { recordKey } from '../../../../resources/index.ts';
import { PART } from '../../../../runtime/contract.ts';
import { EngineHarness, type HarnessOptions } from '../../../../runtime/testing/engine-harness.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import { askUserTool, createToolRegistry } from '../../../../tools/index.ts';
import { sharedSchemaCheck } from '../../../../tools/testing/shared-schema-check.ts';
import { type ConnectorContext, channelSubject, keepContext, sessionSubject } from '../context/index.ts';
import { type DeliveryParts, deliveryParts, deliveryTurns } from '../delivery-parts.ts';
import { type ClassPlace, type Health, parseDelivery } from '../outbox/index.ts';
import { deliveryMessage } from '../review/delivery-operations.ts';
import { ConnectorServiceStub } from './connector-service-stub.ts';

const SETTINGS = {
  'connectors.silenceTokens': ['[SILENT]', 'NO_REPLY'],
  'connectors.errorReplyText': 'Something went wrong.',
  'limits.deliveryTimeout': 15_000,
  'limits.deliveryWindow': 86_400_000,
  'limits.deliveryConcurrency': 8,
  'limits.orderHold': 60_000,
};

const ASK = fromJson(ListValueSchema, ['ask']);

/** What a test says of the message of a platform. */
interface InboundMessage {
  readonly session?: string;
  readonly thread?: string;
  readonly message?: string;
  readonly sender?: string;
}

/** Turns of a real engine whose messages come from a platform, and a connector service that takes their answers. */
export class DeliveryWorld {
  readonly clock = new ManualClock();
  readonly service = new ConnectorServiceStub();
  readonly engine: EngineHarness;
  readonly turns: ReturnType<typeof deliveryTurns>;
  /** What classes say of their service, by the reason of their condition. */
  readonly health: Health[] = [];
  renewals = 0;
  /** Failures of deliveries that followers of channels were shown. */
  readonly undelivered: string[] = [];
  /** Replaces what is known of the registration. */
  place: ClassPlace | undefined;
  parts!: DeliveryParts;
  runner!: QueueRunner;
  #messages = 0;
  /** The message of the channel `room` that began a session. */
  readonly #triggers = new Map<string, string>();

  constructor({ tools = [], config = {} }: Pick<HarnessOptions, 'tools' | 'config'> = {}) {
    this.engine = new EngineHarness({ clock: this.clock, tools, config, spec: { capabilities: { people: ASK } } });
    this.turns = deliveryTurns({
      ids: this.engine.ids,
      bus: { publish: (subject, message) => this.engine.bus.publish(subject, message) },
      objects: this.engine.objects,
      settings: SETTINGS,
      channelTrigger: async (_tx, { sessionId }) => {
        const messageId = this.#triggers.get(sessionId);
        return messageId === undefined ? undefined : { channel: 'room', channelUid: 'uid-room', messageId };
      },
    });
  }

  async start(): Promise<void> {
    await this.service.start();
    const tools = createToolRegistry({ tools: [askUserTool], log: silentLog, check: sharedSchemaCheck });
    await this.engine.start({ deps: { endHooks: [this.turns], progressHooks: [this.turns], tools } });
    this.open(this.engine.store);
  }

  /** A process that sends what the store holds; the one before is left as it is. */
  open(store: Store): void {
    const { engine, clock } = this;
    this.parts = deliveryParts({
      store,
      clock,
      random: seededRandom(3),
      ids: engine.ids,
      log: silentLog,
      audit: createAuditAppender(engine.ids),
      namespaces: { requireLive: async () => undefined },
      lifecycle: engine.runtime.lifecycle,
      deliveries: this.turns,
      fetch: () => fetch as (url: string, init: RequestInit) => Promise<Response>,
      links: { link: (namespace, { sha256 }) => `/v1/objects/${namespace}-${sha256}-${clock.nowMicros()}` },
      baseUrl: () => 'https://svc.test',
      workerId: 'w1',
      showUndelivered: async (_tx, { agent }, { reason, message }) =>
        void this.undelivered.push(`${agent} ${reason}: ${message}`),
      registrations: {
        placeOf: async () => this.place ?? this.#open(),
        renew: async () => {
          this.renewals += 1;
        },
        showHealth: async (_identity, health) => void this.health.push(health),
      },
      settings: SETTINGS,
    });
    const { workers } = this.parts;
    const random = seededRandom(5);
    this.runner = new QueueRunner({ store, clock, bus: engine.bus, random, log: silentLog, pollMs: 60_000, workers });
  }

  #open(): ClassPlace {
    const place = { endpoint: this.service.endpoint, apiKey: 'key-1', isTrusted: false };
    return { state: 'open', place, version: '1', health: this.health.at(-1)?.reason ?? '' };
  }

  /** The connector that answers, with its reply mode. */
  async connector(replyMode: string, annotations: Readonly<Record<string, string>> = {}, name = 'help'): Promise<void> {
    const spec = toJsonString(
      ConnectorSpecSchema,
      create(ConnectorSpecSchema, { matchFields: { team: 't1' }, consumer: { session: { replyMode } } }),
    );
    await this.#put('Connector', name, { spec, annotations });
  }

  async connectorClass(annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#put('ConnectorClass', 'chat', {
      spec: toJsonString(ConnectorClassSpecSchema, create(ConnectorClassSpecSchema)),
      annotations,
    });
  }

  async #put(kind: string, name: string, facts: { readonly spec: string; readonly annotations: object }) {
    const key = recordKey(kind, 'default', name);
    const meta = { uid: `uid-${name}`, generation: 1, createdAt: 1, labels: {}, owners: [], finalizers: [] };
    const record = {
      ...meta,
      apiVersion: 'svc/v1',
      status: '{}',
      ...facts,
      annotations: { ...facts.annotations },
      key,
    };
    await this.engine.store.write(async (tx) => {
      const stored = await tx.resources.get(key);
      if (stored !== undefined) await tx.resources.remove(key, stored.version);
      await tx.resources.insert(record);
    });
  }

  /** The context of a message of the platform. */
  context({ thread = '', message = 'm1', sender = 'U1' }: InboundMessage = {}): ConnectorContext {
    return {
      classUid: 'uid-chat',
      classNamespace: 'default',
      className: 'chat',
      registrationId: 'Namespace/default/ConnectorClass/chat',
      connectorUid: 'uid-help',
      connectorNamespace: 'default',
      connectorName: 'help',
      eventId: `event-${message}`,
      conversationId: 'C1',
      threadId: thread,
      messageId: message,
      conversationType: 'channel',
      sender: { kind: 'user', externalId: sender, name: 'Ann' },
      matchFields: { team: 't1', user: 'u1' },
      replyMode: 'auto',
      eventLabels: {},
    };
  }

  /** A message of the platform begins a turn. */
  async say(text: string, inbound: InboundMessage = {}) {
    const sessionId = inbound.session ?? (await this.engine.session());
    const context = this.#nextContext(inbound);
    const made = await this.#admit(sessionId, { text, kind: 'connector' }, async (tx, { messageId }) => {
      await keepContext(tx, { namespace: 'default', subject: sessionSubject(sessionId, messageId) }, context);
    });
    return { sessionId, ...made };
  }

  /** A message in the channel `room` begins a session; that of an agent comes from no platform. */
  async post(text: string, inbound: InboundMessage | 'agent' = {}) {
    const sessionId = await this.engine.session();
    const context = inbound === 'agent' ? undefined : this.#nextContext(inbound);
    const trigger = context?.messageId ?? 'of-agent';
    this.#triggers.set(sessionId, trigger);
    const made = await this.#admit(sessionId, { text, kind: 'channel' }, async (tx) => {
      const subject = channelSubject('uid-room', trigger);
      if (context !== undefined) await keepContext(tx, { namespace: 'default', subject }, context);
    });
    return { sessionId, ...made };
  }

  #nextContext(inbound: InboundMessage): ConnectorContext {
    this.#messages += 1;
    return this.context({ message: `m${this.#messages}`, ...inbound });
  }

  /** Begins a turn; `keep` stores where its message comes from. */
  #admit(
    sessionId: string,
    { text, kind }: { readonly text: string; readonly kind: string },
    keep: (tx: WriteTx, made: { readonly messageId: string }) => Promise<void>,
  ) {
    const { engine } = this;
    const parts = [{ id: '', type: PART.TEXT, content: text, createdAt: 1 }];
    const cause = { kind, identity: 'connector:default/help/U1', labels: {}, lineage: [] };
    const submission = { namespace: 'default', agent: 'helper', sessionId, parts, labels: {}, cause };
    return engine.store.write(async (tx) => {
      const made = await engine.runtime.admission.admit(tx, { ...submission, whenBusy: 'QUEUE' });
      await keep(tx, made);
      return made;
    });
  }

  /** As `say`, until the turn has ended. */
  async answered(text: string, inbound: InboundMessage = {}) {
    const said = await this.say(text, inbound);
    await this.engine.ended(said.turnId);
    return said;
  }

  /** Sends what is due. */
  async deliver(): Promise<void> {
    await this.runner.tick();
    await this.parts.settled();
    await this.runner.tick();
    await this.parts.settled();
  }

  /** Time passes, and what is due then is sent. */
  async later(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.deliver();
  }

  /** Deliveries of the namespace, oldest first. */
  async rows(): Promise<readonly Delivery[]> {
    const rows = await this.engine.store.read((tx) =>
      tx.deliveries.page('ofNamespace', { namespace: 'default' }, { limit: 500 }),
    );
    return rows.map((row) => deliveryMessage(parseDelivery(row))).toReversed();
  }

  /** `state error` of each delivery, oldest first. */
  async states(): Promise<readonly string[]> {
    return (await this.rows()).map(({ state, lastError }) => `${state} ${lastError}`.trim());
  }

  /** Labels of the newest assistant message. */
  async labels(sessionId: string): Promise<Readonly<Record<string, string>>> {
    const messages = await this.engine.messages(sessionId);
    return messages.filter(({ role }) => role === MessageRole.ROLE_ASSISTANT).at(-1)?.labels ?? {};
  }

  /** Calls an operation of DeliveryService. */
  async call(name: string, request: Readonly<Record<string, unknown>>): Promise<unknown> {
    const found = this.parts.operations.find(({ method }) => method.name === name);
    if (found?.kind !== 'unary') throw new Error(`${name} is not mounted`);
    const message = create(found.method.input, { ns: 'default', ...request } as MessageInitShape<never>);
    return found.handle(message, CALL as never);
  }

  async close(): Promise<void> {
    this.runner.close();
    await this.parts.close();
    await this.engine.stop();
    await this.engine.dispose();
    await this.service.close();
    expect(this.clock.pendingTimers).toBe(0);
  }
}

const CALL = { requestId: 'r1', operation: 'test', caller: { identity: 'operator', grants: [] } };
