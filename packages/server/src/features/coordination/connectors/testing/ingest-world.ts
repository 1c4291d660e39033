import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { MessageConsumerSchema } from '@svc/api/data';
import { ConnectorMessageEventSchema } from '@svc/api/external';
import { ExplainMessageEventRequestSchema } from '@svc/api/gateway';
import { AgentSpecSchema, ConnectorSpecSchema } from '@svc/api/resources';
import { createAuditAppender } from '../../../../auth/index.ts';
import { ManualClock } from '../../../../base/index.ts';
import { systemOrigin, TransactionalResourceWriter } from '../../../../controllers/index.ts';
import { defaultLabelLimits, recordKey } from '../../../../resources/index.ts';
import { EngineHarness } from '../../../../runtime/testing/engine-harness.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { callContext } from '../../../testing/test-call.ts';
import { connectorContract } from '../connector-kind.ts';
import { leaveRemains } from '../connector-remains.ts';
import type { WorkflowStarts } from '../consumers/workflow-consumer.ts';
import { explainEvent, type IngestDeps, IngestService } from '../ingest/index.ts';
import { RouteBook } from '../routes/index.ts';

type Consumer = MessageInitShape<typeof MessageConsumerSchema>;

const CLASS = { uid: '0197e000-0000-7000-8000-000000000001', namespace: 'default', className: 'chat' };
const ORIGIN = systemOrigin('test');

/** A registered class, connectors and the turn engine on a real store. */
export class IngestWorld {
  readonly clock = new ManualClock();
  readonly engine = new EngineHarness({ clock: this.clock, config: { concurrency: 0 } });
  writer!: TransactionalResourceWriter;
  /** Runs that were started. */
  readonly runs: Parameters<WorkflowStarts['startRun']>[1][] = [];
  readonly #namespaces = { requireLive: async () => undefined, ancestors: async () => [] };

  async start(): Promise<void> {
    const { engine } = this;
    await engine.start({ deps: {} });
    const routing = { namespaces: this.#namespaces, ancestorsOf: () => [], writer: () => this.writer };
    const contract = connectorContract({ ...routing, routes: new RouteBook(routing), removed: leaveRemains });
    this.writer = new TransactionalResourceWriter({
      contracts: new Map([['Connector', contract]]),
      namespaces: this.#namespaces,
      audit: createAuditAppender(engine.ids),
      ids: engine.ids,
      seal: undefined as never,
      limits: { ...defaultLabelLimits, resourceBytes: 1 << 20 },
      readsValues: () => true,
      notify: () => undefined,
    });
    engine.setAgent('helper', create(AgentSpecSchema, {}));
    const spec = { matchIndexes: [{ name: 'team', fields: ['team'] }] };
    const annotations = { 'svc/~registration': JSON.stringify({ generation: 1, registered: {} }) };
    await this.#insert('ConnectorClass', 'chat', { uid: CLASS.uid, spec: JSON.stringify(spec), annotations });
    await this.#insert('Workflow', 'flow', { uid: 'uid-flow' });
  }

  #insert(kind: string, name: string, more: object): Promise<unknown> {
    const meta = { generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [], finalizers: [] };
    const record = { ...meta, uid: '', apiVersion: 'svc/v1', spec: '{}', status: '{}', ...more };
    return this.engine.store.write((tx) => tx.resources.insert({ ...record, key: recordKey(kind, 'default', name) }));
  }

  /** A connector that takes the events of a team. */
  async connect(team: string, consumer: Consumer) {
    const spec = create(ConnectorSpecSchema, {
      classRef: { name: 'chat' },
      matchFields: { team },
      consumer: create(MessageConsumerSchema, consumer),
    });
    const key = recordKey('Connector', 'default', team);
    return (await this.engine.store.write((tx) => this.writer.put(tx, ORIGIN, { key, spec }))).resource;
  }

  /** Ingest of a process that sees the store through something else, such as one that dies. */
  ingestOn(store: Pick<Store, 'direct' | 'write'>): IngestService {
    return new IngestService(this.#ingestDeps(store));
  }

  /** What would become of an event of the class of a connector, for a caller who may read these namespaces. */
  explain(
    connector: string,
    fields: MessageInitShape<typeof ConnectorMessageEventSchema>,
    readable: readonly string[] = ['default'],
  ) {
    const { store, ids } = this.engine;
    const authorizer = {
      allows: (_caller: object, _role: string, { namespace = '' }) => readable.includes(namespace),
    };
    const event = create(ConnectorMessageEventSchema, { text: 'hello', externalConversationId: 'c', ...fields });
    const request = create(ExplainMessageEventRequestSchema, { ns: 'default', connector, event });
    return explainEvent({ ...this.#ingestDeps(store), ids, authorizer }, request, callContext('test'));
  }

  #ingestDeps(store: Pick<Store, 'direct' | 'write'>): IngestDeps {
    const { admission, lifecycle } = this.engine.runtime;
    return {
      store,
      admission,
      lifecycle,
      namespaces: this.#namespaces,
      objects: this.engine.objects,
      objectIn: (_namespace, object) => object,
      fileObject: async () => undefined,
      answers: { answerOf: async () => undefined },
      channels: { post: () => Promise.reject(new Error('no channels in these tests')) },
      workflows: {
        startRun: async (_tx, start) => {
          this.runs.push(start);
          return { runId: `run-${this.runs.length}` };
        },
      },
      limits: { textBytes: 1_000, attachments: 2, dedupeMs: 60_000, botRate: 2 },
    };
  }

  /** What became of an event: the words of its answer. */
  async send(
    fields: MessageInitShape<typeof ConnectorMessageEventSchema>,
    store: Pick<Store, 'direct' | 'write'> = this.engine.store,
  ) {
    const event = create(ConnectorMessageEventSchema, { text: 'hello', externalConversationId: 'c', ...fields });
    const caller = { ...callContext('test').caller, mode: 'callback' as const, grants: [] };
    const registration = { classUid: CLASS.uid, namespace: CLASS.namespace, className: CLASS.className };
    return this.ingestOn(store).ingest(event, callContext('test', { ...caller, registration }));
  }

  /** How many rows there are of what an accepted event leaves. */
  async counts() {
    const { store } = this.engine;
    const scope = { type: 'namespace', namespace: 'default' } as const;
    const sessions = await store.direct.resources.list({ kind: 'Session', scope, limit: 100 });
    const messages = await Promise.all(sessions.map(({ key }) => this.engine.messages(key.name)));
    const contexts = await store.direct.connectorContexts.page('ofNamespace', { namespace: 'default' }, { limit: 100 });
    const events = await store.direct.connectorEvents.page('ofClass', { classUid: CLASS.uid }, { limit: 100 });
    return {
      sessions: sessions.length,
      messages: messages.flat().length,
      contexts: contexts.length,
      events: events.length,
    };
  }

  async close(): Promise<void> {
    const { store, runtime } = this.engine;
    await store.write((tx) => runtime.lifecycle.stopNamespaces(tx, new Set(['default'])));
    await this.engine.stop();
    await this.engine.dispose();
  }
}
