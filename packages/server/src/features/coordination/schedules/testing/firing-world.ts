import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { AgentSpecSchema, ScheduleSpecSchema } from '@svc/api/resources';
import { createAuditAppender } from '../../../../auth/index.ts';
import { Fault, ManualClock, seededRandom, silentLog } from '../../../../base/index.ts';
import {
  QueueRunner,
  StoredKindFacade,
  systemOrigin,
  TransactionalResourceWriter,
} from '../../../../controllers/index.ts';
import { defaultLabelLimits, ResourceViews, recordKey } from '../../../../resources/index.ts';
import { EngineHarness } from '../../../../runtime/testing/engine-harness.ts';
import { everyResource, type Store, type WriteTx } from '../../../../store/contracts/index.ts';
import { createScheduleHook, type WorkflowRuns } from '../firing/index.ts';
import { createInputCheck } from '../input-check.ts';
import { scheduleContract } from '../schedule-kind.ts';
import { storedStatus } from '../schedule-status.ts';
import { schedulesModule } from '../schedules-module.ts';

type Spec = MessageInitShape<typeof ScheduleSpecSchema>;

const ORIGIN = systemOrigin('test');
/** Schedules of one namespace at most. */
const SCHEDULES = 2_000;
const settings = {
  'schedules.minSpacingSeconds': 1_000,
  'limits.schedulesMax': SCHEDULES,
  'limits.labels': defaultLabelLimits.labels,
  'limits.annotationsBytes': defaultLabelLimits.annotationsBytes,
};

/** The key of a schedule by its name, or by `namespace/name` where that is not `default`. */
const keyOf = (path: string) => {
  const [name = '', namespace = 'default'] = path.split('/').toReversed();
  return recordKey('Schedule', namespace, name);
};

/** Runs of workflows without an engine. */
class ScriptedRuns implements WorkflowRuns {
  readonly started: (Parameters<WorkflowRuns['startRun']>[1] & { readonly startedAt: number })[] = [];
  /** Ids of runs that have ended. */
  readonly over = new Set<string>();
  #ended: Parameters<WorkflowRuns['onEnd']>[0] = async () => undefined;

  async startRun(tx: WriteTx, start: Parameters<WorkflowRuns['startRun']>[1]): Promise<{ readonly runId: string }> {
    if (start.workflow === 'missing') throw new Fault('NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'workflow not found');
    this.started.push({ ...start, startedAt: tx.now() });
    return { runId: `run-${this.started.length}` };
  }

  async isOver(_tx: unknown, runId: string): Promise<boolean> {
    return this.over.has(runId) || !runId.startsWith('run-');
  }

  onEnd(ended: Parameters<WorkflowRuns['onEnd']>[0]): void {
    this.#ended = ended;
  }

  /** Ends the newest run. */
  async end(tx: WriteTx, status: string, error = ''): Promise<void> {
    const id = `run-${this.started.length}`;
    const { namespace = '', labels = {} } = this.started.at(-1) ?? {};
    this.over.add(id);
    await this.#ended(tx, { run: { id, namespace, labels, status, error } });
  }
}

/** Schedules, the turn engine and the demo model on a real store; the queue runs when a test says so. */
export class FiringWorld {
  readonly clock = new ManualClock();
  readonly engine: EngineHarness;
  readonly flows = new ScriptedRuns();
  /** Namespaces that are deleted. */
  readonly deleted = new Set<string>();
  writer!: TransactionalResourceWriter;
  module!: ReturnType<typeof schedulesModule>;
  runner!: QueueRunner;
  #parts!: Pick<Parameters<typeof schedulesModule>[0], 'audit' | 'namespaces'>;

  /** `concurrency` 0: turns stay in the queue. */
  constructor(config: { readonly concurrency?: number } = {}) {
    this.engine = new EngineHarness({ clock: this.clock, config });
  }

  async start(): Promise<void> {
    const { engine } = this;
    const namespaces = {
      requireLive: async (_reads: unknown, namespace: string) => {
        if (this.deleted.has(namespace))
          throw new Fault('FAILED_PRECONDITION', 'NAMESPACE_DELETED', `namespace ${namespace} is deleted`);
      },
      ancestors: async () => [],
    };
    await engine.start({ deps: { endHooks: [createScheduleHook({ publish: () => undefined })] } });
    const { store } = engine;
    const contract = scheduleContract({
      namespaces,
      now: () => store.now(),
      minSpacingSeconds: 1,
      schedulesMax: SCHEDULES,
      inputCheck: createInputCheck(),
    });
    const audit = createAuditAppender(engine.ids);
    this.writer = new TransactionalResourceWriter({
      contracts: new Map([['Schedule', contract]]),
      namespaces,
      audit,
      ids: engine.ids,
      seal: undefined as never,
      limits: { ...defaultLabelLimits, resourceBytes: 1 << 20 },
      readsValues: () => true,
      notify: () => undefined,
    });
    this.#parts = { audit, namespaces };
    this.module = this.#moduleOn(store);
    this.runner = this.anotherRunner();
  }

  /** The workers of a process that sees the store through something else, such as one that dies. */
  workersOn(store: Pick<Store, 'direct' | 'now' | 'read' | 'write'>) {
    return this.#moduleOn(store as Store).workers ?? [];
  }

  /** The queue of another process on the same store. */
  anotherRunner(): QueueRunner {
    const { clock, engine, module } = this;
    const { workers = [] } = module;
    const parts = { clock, workers, store: engine.store, bus: engine.bus, log: silentLog, pollMs: 60_000 };
    return new QueueRunner({ ...parts, random: seededRandom(5) });
  }

  /** What RunSchedule uses. */
  get runDeps() {
    const { writer, engine } = this;
    const { admission, lifecycle } = engine.runtime;
    return { ...this.#parts, store: engine.store, writer, admission, lifecycle, runs: this.flows };
  }

  #moduleOn(store: Store) {
    const { writer } = this;
    return schedulesModule({
      ...this.runDeps,
      store,
      bus: this.engine.bus,
      settings,
      views: new ResourceViews(),
      visibleNamespaces: async (_reads: unknown, name: string) => [name],
      schedules: new StoredKindFacade('Schedule', { store, writer, responseBytes: 1 << 20 }),
    });
  }

  async agent(name: string): Promise<void> {
    this.engine.setAgent(name, create(AgentSpecSchema, {}));
    const meta = { uid: `uid-${name}`, generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [] };
    const record = { ...meta, finalizers: [], apiVersion: 'svc/v1', spec: '{}', status: '{}' };
    await this.engine.store.write((tx) => tx.resources.insert({ ...record, key: recordKey('Agent', 'default', name) }));
  }

  /** Writes the schedule, `name` or `namespace/name`, as a client does. */
  put(path: string, spec: Spec, annotations: Readonly<Record<string, string>> = {}) {
    const wanted = create(ScheduleSpecSchema, { ...spec, target: spec.target ?? { agent: 'helper' } } as Spec);
    const key = keyOf(path);
    return this.engine.store.write((tx) => this.writer.put(tx, ORIGIN, { key, spec: wanted, annotations }));
  }

  async remove(name: string): Promise<void> {
    const key = recordKey('Schedule', 'default', name);
    await this.engine.store.write((tx) => this.writer.remove(tx, ORIGIN, { key }));
  }

  async record(path: string) {
    const record = await this.engine.store.direct.resources.get(keyOf(path));
    if (record === undefined) throw new Error('no schedule');
    return record;
  }

  /** Its status, and what happened to it: `phase/outcome detail`, without ids of turns. */
  async state(path: string) {
    const record = await this.record(path);
    const status = storedStatus(record);
    const events = status.recentEvents.map(({ phase, outcome, detail }) =>
      `${phase}/${outcome} ${detail.startsWith('turn ') ? '' : detail}`.trim(),
    );
    return { ...status, events, spec: JSON.parse(record.spec) as Readonly<Record<string, unknown>> };
  }

  /** Observes the schedule again, as the reconciler does when its agent or namespace changes. */
  async observe(name: string): Promise<void> {
    const { kinds: [contract] = [] } = this.module;
    const record = await this.record(name);
    await this.engine.store.write(async (tx) => {
      const write = {
        key: record.key,
        labels: record.labels,
        annotations: record.annotations,
        current: record,
        spec: create(ScheduleSpecSchema, JSON.parse(record.spec) as Spec),
        generation: record.generation,
        isSpecChanged: false,
      };
      const status = await contract?.observe?.(
        { resources: tx.resources, log: tx.log, now: () => tx.now() },
        { ...write, occasion: 'dependency' },
      );
      if (status === undefined) throw new Error('the kind observes nothing');
      const stored = await this.writer.writeStatus(tx, record.key, () => ({ status }));
      if (stored !== undefined) await contract?.dependsOn?.settled?.(tx, stored);
    });
  }

  /** Time passes, then what is due runs. */
  async pass(seconds: number): Promise<void> {
    this.clock.advance(seconds * 1_000);
    await this.runner.tick();
  }

  /** Messages that users sent to sessions of an agent, oldest session first. */
  async sent(agent = 'helper'): Promise<readonly string[]> {
    const messages = await this.#messages();
    return messages.filter((message) => message.agent === agent).map(({ text }) => text);
  }

  /** Every run that has a session of its own, or is of a workflow: of which schedule, for which instant, and when it began; as they began. */
  async runs() {
    const messages = (await this.#messages()).map(({ labels, createdAt: startedAt }) => ({
      labels,
      startedAt,
      namespace: 'default',
    }));
    return [...messages, ...this.flows.started].map(({ labels, startedAt, namespace }) => ({
      schedule: `${namespace === 'default' ? '' : `${namespace}/`}${labels['svc/schedule-name'] ?? ''}`,
      instantMs: Number(labels['svc/schedule-run-at']) / 1_000,
      startedMs: startedAt / 1_000,
    }));
  }

  async #messages() {
    const { store } = this.engine;
    const scope = { type: 'namespace', namespace: 'default' } as const;
    const found = [];
    for (const { key, spec, createdAt } of await everyResource(store.direct.resources, { kind: 'Session', scope })) {
      const { agent = '' } = JSON.parse(spec) as { readonly agent?: string };
      for (const { role, parts, labels } of await this.engine.messages(key.name))
        if (role === 1) found.push({ agent, text: parts[0]?.content ?? '', labels, createdAt });
    }
    return found;
  }

  async close(): Promise<void> {
    this.runner.close();
    const { store, runtime } = this.engine;
    await store.write((tx) => runtime.lifecycle.stopNamespaces(tx, new Set(['default'])));
    await this.engine.stop();
    await this.engine.dispose();
  }
}
