import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { WorkflowRunEvent } from '@svc/api/data';
import { type RunResponse, StreamRunEventsRequestSchema } from '@svc/api/gateway';
import { WorkflowSpecSchema } from '@svc/api/resources';
import { createAuditAppender } from '../../../../auth/index.ts';
import { createIds, Fault, type Ids, ManualClock, seededRandom, silentLog } from '../../../../base/index.ts';
import { QueueRunner, systemOrigin, TransactionalResourceWriter } from '../../../../controllers/index.ts';
import { defaultLabelLimits, isJsonMap, type JsonData, recordKey } from '../../../../resources/index.ts';
import { MemoryObjects } from '../../../../runtime/testing/engine-harness.ts';
import { createLocalBus } from '../../../../store/bus/local/index.ts';
import type { Bus, Store } from '../../../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../../../store/testing/given-store.ts';
import { createToolRegistry, type Tool } from '../../../../tools/index.ts';
import { sharedSchemaCheck } from '../../../../tools/testing/shared-schema-check.ts';
import { type Death, dyingStore } from '../../../testing/dying-store.ts';
import { callContext, TestStream } from '../../../testing/test-call.ts';
import { eventOf, type RunEvent, type RunState, runOf, type StepState, stepOf } from '../record/index.ts';
import type { EndedRun } from '../runs/index.ts';
import { workflowsModule } from '../workflows-module.ts';
import { ScriptedAgents } from './scripted-agents.ts';

type Spec = MessageInitShape<typeof WorkflowSpecSchema>;

const ORIGIN = systemOrigin('test');
const EMPTY = { generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [], finalizers: [] };
const RECORD = { ...EMPTY, apiVersion: 'svc/v1', spec: '{}', status: '{}' };
const ROUNDS = 400;

const settings = {
  'limits.labels': defaultLabelLimits.labels,
  'limits.annotationsBytes': defaultLabelLimits.annotationsBytes,
  'limits.workflowDefinitionMax': 256 * 1024,
  'limits.stepsMax': 200,
  'limits.runInputMax': 4_096,
  'limits.stepOutputMax': 4_096,
  'limits.runDepthMax': 4,
  'limits.runsActiveMax': 1_000,
  'limits.responseBytes': 4 << 20,
  'limits.streamBufferEvents': 1_000,
  'limits.streamBufferBytes': 1 << 20,
  'retention.runs': 86_400_000,
  'idempotency.hours': 86_400_000,
  'deadlines.waitSeconds': 300_000,
  'runtime.toolTimeout': 60_000,
};

interface WorldOptions {
  readonly tools?: readonly Tool[];
  readonly settings?: Partial<typeof settings>;
}

/** What a process is made of: the module on a store, scripted agents, and the queue that runs both when the test says so. */
interface Process {
  readonly module: ReturnType<typeof workflowsModule>;
  readonly runner: QueueRunner;
}

/** Workflows and scripted agents on a real store. */
export class RunWorld {
  readonly clock = new ManualClock();
  readonly ids: Ids;
  /** Namespaces that are deleted. */
  readonly deleted = new Set<string>();
  /** Runs that ended, as other features learn of them. */
  readonly ended: EndedRun[] = [];
  readonly objects = new MemoryObjects();
  readonly #options: WorldOptions;
  readonly #dir = mkdtempSync(join(tmpdir(), 'svc-runs-'));
  store!: Store;
  bus!: Bus;
  process!: Process;
  writer!: TransactionalResourceWriter;
  #processes = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.ids = createIds(this.clock, seededRandom(3));
  }

  async start(): Promise<void> {
    const { clock } = this;
    const random = seededRandom(4);
    this.store = await openGivenStore({ dataDir: this.#dir, clock, random, log: silentLog, fatal: () => undefined });
    this.bus = createLocalBus(silentLog);
    this.process = this.processOn(this.store);
    this.writer = new TransactionalResourceWriter({
      contracts: new Map((this.process.module.kinds ?? []).map((contract) => [contract.kind, contract])),
      namespaces: this.#namespaces,
      audit: createAuditAppender(this.ids),
      ids: this.ids,
      seal: undefined as never,
      limits: { ...defaultLabelLimits, resourceBytes: 1 << 20 },
      readsValues: () => true,
      notify: () => undefined,
    });
    await this.#insert('Agent', 'helper');
    await this.#insert('Agent', 'busy');
  }

  async close(): Promise<void> {
    this.process.runner.close();
    await this.process.module.calls.close();
    this.bus.close();
    await this.store.close();
    await removeGivenStore(this.#dir);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  readonly #namespaces = {
    requireLive: async (_reads: unknown, namespace: string) => {
      if (this.deleted.has(namespace))
        throw new Fault('FAILED_PRECONDITION', 'NAMESPACE_DELETED', `namespace ${namespace} is deleted`);
    },
    ancestors: async () => [],
  };

  /** A process that sees the store through something else, such as one that dies. */
  processOn(store: Store): Process {
    const { bus, ids, clock } = this;
    this.#processes += 1;
    const owner = `process-${this.#processes}`;
    const agents = new ScriptedAgents(store, ids);
    const module = workflowsModule({
      store,
      bus,
      ids,
      clock,
      log: silentLog,
      audit: createAuditAppender(ids),
      namespaces: this.#namespaces,
      admission: agents.admission,
      lifecycle: agents.lifecycle,
      wakes: { wake: async () => false },
      objects: this.objects,
      deliveries: { replyOfRun: async (_tx, { output }) => replied(output) },
      tools: createToolRegistry({ tools: this.#options.tools ?? [], log: silentLog, check: sharedSchemaCheck }),
      workerId: owner,
      ancestorsOf: () => [],
      settings: { ...settings, ...this.#options.settings },
    });
    module.runs.onEnd(async (_tx, end) => void this.ended.push(end));
    const workers = [...(module.workers ?? []), agents];
    const parts = { clock, workers, owner, store, bus, log: silentLog, pollMs: 60_000 };
    return { module, runner: new QueueRunner({ ...parts, random: seededRandom(5) }) };
  }

  /** A process that dies around its `at`-th write from now on. */
  dyingProcess(at: number, side: Death): Process {
    const { epoch } = this.store;
    const rest = { epoch, steadyNow: () => this.store.steadyNow() };
    return this.processOn(Object.assign(dyingStore(this.store, at, side), rest) as unknown as Store);
  }

  async #insert(kind: string, name: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const key = recordKey(kind, kind === 'Namespace' ? '' : 'default', name);
    await this.store.write((tx) => tx.resources.insert({ ...RECORD, uid: `uid-${kind}-${name}`, annotations, key }));
  }

  /** The namespace, with the actions that tools of its workflows may take. */
  namespace(capabilities: string): Promise<void> {
    return this.#insert('Namespace', 'default', { 'option.svc/workflow-capabilities': capabilities });
  }

  /** Writes the workflow as a client does. */
  put(name: string, spec: Spec) {
    const key = recordKey('Workflow', 'default', name);
    const wanted = { key, spec: create(WorkflowSpecSchema, spec) };
    return this.store.write((tx) => this.writer.put(tx, ORIGIN, wanted));
  }

  remove(name: string): Promise<unknown> {
    return this.store.write((tx) => this.writer.remove(tx, ORIGIN, { key: recordKey('Workflow', 'default', name) }));
  }

  /** Calls an operation of WorkflowService in namespace `default`. */
  async call(name: string, request: object, key = ''): Promise<unknown> {
    const found = (this.process.module.operations ?? []).find(({ method }) => method.localName === name);
    if (found?.kind !== 'unary') throw new Error(`no operation ${name}`);
    const message = create(found.method.input, { ns: 'default', ...request });
    return found.handle(message as never, { ...callContext(name), idempotencyKey: key });
  }

  /** Begins a run; answers its id. */
  async begin(workflow: string, input: unknown = {}): Promise<string> {
    const answer = (await this.call('createRun', { workflow, inputJson: JSON.stringify(input) })) as RunResponse;
    return answer.run?.id ?? '';
  }

  get(runId: string): Promise<RunResponse> {
    return this.call('getRun', { workflow: '-', runId }) as Promise<RunResponse>;
  }

  resume(runId: string, stepId: string, resumeJson = ''): Promise<unknown> {
    return this.call('resumeRun', { workflow: '-', runId, stepId, resumeJson });
  }

  cancel(runId: string): Promise<unknown> {
    return this.call('cancelRun', { workflow: '-', runId, reason: 'enough' });
  }

  /** The stream of a run. */
  follow(runId: string, after = ''): TestStream<WorkflowRunEvent> {
    const found = (this.process.module.operations ?? []).find(({ method }) => method.localName === 'streamRunEvents');
    if (found?.kind !== 'stream') throw new Error('no stream');
    const request = create(StreamRunEventsRequestSchema, { ns: 'default', workflow: '-', runId, after });
    return new TestStream((sink, signal) =>
      found.handle(request as never, { ...callContext('StreamRunEvents'), signal }, sink as never),
    );
  }

  /** Runs what is due until nothing is. */
  async settle({ runner, module } = this.process): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS; rounds++) {
      await runner.tick();
      await module.calls.settled();
      const due = await this.store.write((tx) => tx.queue.nextDue(runner.kinds));
      if (due === undefined || due > this.store.steadyNow()) return;
    }
    throw new Error('the runs do not come to rest');
  }

  /** Time passes, then what is due runs. */
  async pass(seconds: number): Promise<void> {
    this.clock.advance(seconds * 1_000);
    await this.settle();
  }

  /** A run that is begun and left alone until nothing is due. */
  async run(workflow: string, input: unknown = {}): Promise<RunResponse> {
    const id = await this.begin(workflow, input);
    await this.settle();
    return this.get(id);
  }

  async state(runId: string): Promise<RunState> {
    const row = await this.store.read((tx) => tx.workflowRuns.get({ id: runId }));
    if (row === undefined) throw new Error('no run');
    return runOf(row);
  }

  async steps(runId: string): Promise<readonly StepState[]> {
    const rows = await this.store.read((tx) => tx.workflowSteps.page('ofRun', { runId }, { limit: 1_000 }));
    return rows.map(stepOf);
  }

  async events(runId: string): Promise<readonly RunEvent[]> {
    const rows = await this.store.read((tx) => tx.workflowEvents.page('ofRun', { runId }, { limit: 10_000 }));
    return rows.map(eventOf);
  }

  /** What counts the unfinished runs of the namespace: nothing once all have ended. */
  tallies(): Promise<readonly object[]> {
    const page = { limit: 1_000 };
    return this.store.read((tx) => tx.workflowTallies.page('ofNamespace', { namespace: 'default' }, page));
  }

  /** All runs of the namespace, the oldest first. */
  async runs(): Promise<readonly RunState[]> {
    const page = { limit: 1_000 };
    const rows = await this.store.read((tx) => tx.workflowRuns.page('ofNamespace', { namespace: 'default' }, page));
    return rows.map(runOf).toReversed();
  }
}

/** The texts of a reply are sent, and its numbers are problems. */
const replied = (output: JsonData) => {
  const reply = isJsonMap(output) ? [output['reply']].flat() : [];
  return {
    isSent: reply.some((part) => typeof part === 'string'),
    problems: reply.filter((part) => typeof part === 'number').map((part) => `part ${part}`),
  };
};

/** Statuses of the steps by id, and how often each was tried where that is more than once. */
export const stepSummary = ({ steps }: RunResponse): Record<string, string> =>
  Object.fromEntries(
    steps.map(({ stepId, status, attempt }) => [stepId, attempt > 1 ? `${status} ${attempt}` : status]),
  );
