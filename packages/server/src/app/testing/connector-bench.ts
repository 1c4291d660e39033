import { expect, vi } from 'vitest';
import type { AppUnderTest } from './app-under-test.ts';
import type { ConnectorServiceUnderTest } from './connector-service.ts';

/** Status of a class or a connector. */
export interface ShownConnector {
  readonly phase: string;
  readonly observedGeneration?: string;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly compiledRouteIds?: readonly string[];
}

/** Answer to an event. */
export interface AnsweredEvent {
  readonly status: string;
  readonly reason: string;
  readonly namespace?: string;
  readonly connectorName?: string;
  readonly runId?: string;
  readonly consumer?: { readonly session?: { readonly sessionId: string; readonly agent: object } };
}

interface StoredMessage {
  readonly id: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: readonly { readonly partType: string; readonly content?: string }[];
}

/** The key that classes of tests are registered with. */
export const CLUSTER_KEY = 'key-of-this-cluster';
const EVENTS = 'POST /v1/connectors/message-events';

/** Classes, connectors and events of tests, against a server and a connector service. */
export class ConnectorBench {
  readonly #app: AppUnderTest;
  readonly #service: ConnectorServiceUnderTest;
  #events = 0;

  constructor(app: AppUnderTest, service: ConnectorServiceUnderTest) {
    this.#app = app;
    this.#service = service;
  }

  async apply(...documents: readonly object[]): Promise<void> {
    const text = documents.map((item) => JSON.stringify(item)).join('\n---\n');
    await this.#app.rest.ok('POST /v1/manifests:apply', { ns: 'default', text });
  }

  classDocument(name: string, more: object = {}, annotations: object = {}) {
    const matchIndexes = [
      { name: 'team', fields: ['team'] },
      { name: 'channel', fields: ['team', 'channel'] },
    ];
    const auth = { kind: 'apiKey', apiKey: { plain: CLUSTER_KEY } };
    const spec = { platform: 'test', runtime: { endpoint: this.#service.url }, auth, matchIndexes, ...more };
    return { kind: 'ConnectorClass', metadata: { name, annotations }, spec };
  }

  /** A connector of class `chat` for an agent, unless the spec says otherwise. */
  connectorDocument(name: string, matchFields: object, more: object = {}) {
    const consumer = { session: { agent: { name: 'helper' } } };
    return {
      kind: 'Connector',
      metadata: { name },
      spec: { classRef: { name: 'chat', namespace: 'default' }, matchFields, consumer, ...more },
    };
  }

  async shown(kind: string, name: string, ns = 'default'): Promise<ShownConnector> {
    const { resource } = await this.#app.rest.ok<{ resource: { status: Readonly<Record<string, ShownConnector>> } }>(
      `GET /v1/ns/${ns}/resources/${kind}/${name}`,
    );
    return Object.values(resource.status)[0] as ShownConnector;
  }

  async condition(kind: string, name: string, type: string): Promise<string> {
    const found = (await this.shown(kind, name)).conditions.find((condition) => condition.type === type);
    return `${found?.status} ${found?.reason}`;
  }

  async becomes(kind: string, name: string, phase: string): Promise<void> {
    await vi.waitFor(async () => expect((await this.shown(kind, name)).phase).toBe(phase), {
      interval: 20,
      timeout: 15_000,
    });
  }

  /** An event with an id of its own. */
  event(fields: object = {}) {
    this.#events += 1;
    return {
      eventId: `event-${this.#events}`,
      matchFields: { team: 't1' },
      externalConversationId: 'c1',
      externalMessageId: `m-${this.#events}`,
      conversationType: 'dm',
      sender: { externalId: 'u1', displayName: 'Ada', kind: 'user' },
      text: 'hello',
      ...fields,
    };
  }

  bearer(className = 'chat'): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.#service.secretOf(className)}` };
  }

  send(event: object, className = 'chat'): Promise<AnsweredEvent> {
    return this.#app.rest.ok<AnsweredEvent>(EVENTS, event, this.bearer(className));
  }

  /** What became of an event, as `ACCEPTED accepted`. */
  async became(event: object, className = 'chat'): Promise<string> {
    const { status, reason } = await this.send(event, className);
    return `${status.replace('CONNECTOR_MESSAGE_EVENT_STATUS_', '')} ${reason}`;
  }

  /** Status and reason of a refused event, as `401 CREDENTIALS_INVALID`. */
  refused(event: unknown, headers: Readonly<Record<string, string>> = this.bearer()): Promise<string> {
    return this.#app.rest.outcome(EVENTS, event, headers);
  }

  async messages(sessionId: string, agent = 'helper'): Promise<readonly StoredMessage[]> {
    const { items } = await this.#app.rest.ok<{ items: readonly { readonly message: StoredMessage }[] }>(
      `GET /v1/ns/default/agents/${agent}/sessions/${sessionId}/messages`,
    );
    return items.map(({ message }) => message);
  }

  /** The session that an accepted event went to. */
  async session(event: object): Promise<string> {
    const { consumer } = await this.send(event);
    return consumer?.session?.sessionId ?? '';
  }
}
