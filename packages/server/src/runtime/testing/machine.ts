import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromJson, type MessageInitShape } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import { AgentSpecSchema } from '@svc/api/resources';
import { createIds, type Ids, type Log, ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import type { ModelRegistry } from '../../models/contract.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { Bus, FaultPoints, SessionRow, Store, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../store/testing/given-store.ts';
import { createToolRegistry } from '../../tools/index.ts';
import { sharedSchemaCheck } from '../../tools/testing/shared-schema-check.ts';
import { createHistoryReader } from '../history/index.ts';
import {
  type AgentRevision,
  createRuntime,
  DeltaPressure,
  PART,
  type Part,
  type PermissionData,
  parsePermission,
  type Runtime,
  type RuntimeConfig,
  type RuntimeDeps,
  type Submission,
  type TurnEndHook,
} from '../index.ts';
import { createPromptAssembler } from '../prompt/index.ts';
import { StreamRegistry } from '../stream/index.ts';
import { MemoryObjects, noUsage, testConfig, testModels } from './engine-harness.ts';
import { FollowClient } from './follow-client.ts';
import { type GateWatch, type LogChanges, ProcessGate } from './process-gate.ts';
import { RecordedTools } from './recorded-tools.ts';
import { CHARGED, holdOf, raisesOf, recordedUsage } from './recorded-usage.ts';
import { RunRecord } from './run-record.ts';
import { SeenRequests } from './seen-requests.ts';

/** What an answer says besides yes or no. */
interface AnswerFacts {
  readonly optionId?: string;
  readonly value?: unknown;
  readonly comment?: string;
}

export interface MachineOptions {
  readonly config?: Partial<RuntimeConfig>;
  readonly spec?: MessageInitShape<typeof AgentSpecSchema>;
  readonly deps?: Partial<RuntimeDeps>;
  /** Quotas govern every call; charges are compared with what is stored. */
  readonly isMetered?: boolean;
  /** Model calls of a turn after which a person is asked for each more, where it is metered; by default never. */
  readonly callsPerTurn?: number;
}

export interface ProcessOptions {
  readonly watch?: GateWatch;
  readonly faultPoint?: FaultPoints;
  /** Joins the store of the running process instead of opening it: several workers on one store. */
  readonly sharedStore?: boolean;
}

/** One process of a machine. */
export interface Process {
  readonly gate: ProcessGate;
  readonly runtime: Runtime;
  readonly streams: StreamRegistry;
  readonly models: ModelRegistry;
  readonly workerId: string;
}

const IDLE_TURNS = 4;
const ASK_ALL = { tasks: fromJson(ListValueSchema, [{ action: 'create', approval: 'ask' }]) };

/** Notes the commits that leave a session with more than one turn under way, which only writing a turn of it can do. */
const checkOneRunning = async (tx: WriteTx, { turnsOf }: LogChanges, record: RunRecord): Promise<void> => {
  for (const id of turnsOf) {
    const started = (await tx.log.openTurns(id)).filter((turn) => turn.state !== 'QUEUED');
    if (started.length > 1) record.note(`R2: session ${id} runs ${started.map((turn) => turn.id).join(' and ')}`);
  }
};

/**
 * One data directory, one manual clock, and the processes that start and end on them. Nothing moves by wall time: `quiet`
 * lets everything run that can, `advance` moves the clock.
 */
export class Machine {
  readonly #dir = mkdtempSync(join(tmpdir(), 'svc-machine-'));
  readonly #options: MachineOptions;
  readonly clock = new ManualClock();
  readonly record = new RunRecord();
  readonly tools = new RecordedTools(this.record);
  readonly objects = new MemoryObjects();
  readonly seen = new SeenRequests();
  readonly sessions: string[] = [];
  readonly clients = new Map<string, FollowClient>();
  readonly agents = new Map<string, AgentRevision>();
  readonly errors: string[] = [];
  readonly processes: Process[] = [];
  endHooks: TurnEndHook[] = [];
  store!: Store;
  bus: Bus;
  #ids: Ids;
  #starts = 0;

  constructor(options: MachineOptions = {}) {
    this.#options = options;
    this.bus = createLocalBus(this.#log());
    this.#ids = createIds(this.clock, seededRandom(1));
    this.setAgent({});
  }

  setAgent(facts: Partial<AgentRevision>): void {
    const spec = create(AgentSpecSchema, { capabilities: ASK_ALL, ...this.#options.spec });
    const generation = (this.agents.get('helper')?.generation ?? 0) + 1;
    const names = { uid: 'uid-helper', namespace: 'default', name: 'helper', labels: {} };
    this.agents.set('helper', { ...names, generation, spec, deleting: false, notReady: '', ...facts });
  }

  /** The newest living process; with none the newest dead one, which answers nothing. */
  get process(): Process {
    const found = this.processes.findLast((one) => !one.gate.dead) ?? this.processes.at(-1);
    if (found === undefined) throw new Error('no process was started');
    return found;
  }

  get isMetered(): boolean {
    return this.#options.isMetered === true;
  }

  async chargedTokens(): Promise<number> {
    return Number((await this.store.read((tx) => tx.instance.value(CHARGED))) ?? 0);
  }

  /** How often the budget of a turn was raised. */
  async raises(turnId: string): Promise<number> {
    return Number((await this.store.read((tx) => tx.instance.value(raisesOf(turnId)))) ?? 0);
  }

  /** Whether money is still reserved for a model call of a turn. */
  async holdsMoney(turnId: string): Promise<boolean> {
    return (await this.store.read((tx) => tx.instance.value(holdOf(turnId)))) !== undefined;
  }

  get isDead(): boolean {
    return this.processes.every(({ gate }) => gate.dead);
  }

  async start(options: ProcessOptions = {}): Promise<Process> {
    this.#starts += 1;
    const { record } = this;
    const gate = new ProcessGate({
      onPublish: (subject, message) => record.published(subject, message),
      onJournal: (rows) => record.journaled(rows),
      onCommit: (tx, changes) => checkOneRunning(tx, changes, record),
      ...options.watch,
    });
    if (options.sharedStore !== true) this.store = await this.#open();
    this.#ids = createIds(this.clock, seededRandom(100 + this.#starts));
    const clock = gate.clock(this.clock);
    const plain = this.seen.watch(testModels(clock));
    const models = gate.models(plain, (request) => record.modelCalled(request.turnId, request.callNumber));
    const [store, bus] = [gate.store(this.store, { readsFail: true }), gate.bus(this.bus)];
    const workerId = `worker-${this.#starts}`;
    const faultPoint = gate.faultPoint(options.faultPoint ?? (() => undefined));
    const deps = {
      ...this.#deps(gate, models),
      store,
      bus,
      clock,
      pressure: new DeltaPressure(clock),
      models,
      workerId,
      faultPoint,
      ...this.#options.deps,
      ...(this.#options.deps?.models === undefined ? {} : { models: this.seen.watch(this.#options.deps.models) }),
    };
    const runtime = createRuntime(deps);
    const limits = { events: 1024, bytes: 1 << 20 };
    const streams = new StreamRegistry({
      ...{ store: gate.store(this.store), bus, clock, log: this.#log(), liveTurns: runtime.live, limits },
      historySeconds: 600,
      untilDoneIdleMs: 30_000,
    });
    const process = { gate, runtime, streams, models: plain, workerId };
    this.processes.push(process);
    await runtime.start();
    for (const client of this.clients.values()) client.connect(streams);
    return process;
  }

  /** Ends one of several processes; its clients go to another one. */
  kill(process: Process): void {
    if (process.gate.dead) return;
    process.gate.crash();
    this.processes.splice(this.processes.indexOf(process), 1);
    for (const client of this.clients.values()) client.connect(this.process.streams);
  }

  /** Ends every process as kill -9 does and closes the store behind them. */
  async crash(): Promise<void> {
    for (const { gate } of this.processes) gate.crash();
    for (const client of this.clients.values()) client.disconnect();
    this.processes.length = 0;
    this.bus = createLocalBus(this.#log());
    await this.store.close();
  }

  async restart(options: ProcessOptions = {}): Promise<Process> {
    await this.crash();
    return this.start(options);
  }

  async dispose(): Promise<void> {
    await this.crash();
    await removeGivenStore(this.#dir);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async session(): Promise<string> {
    const request = { namespace: 'default', agent: 'helper', labels: {}, identity: 'test' };
    const row = await this.store.write((tx) => this.process.runtime.lifecycle.create(tx, request));
    this.sessions.push(row.id);
    const client = new FollowClient(row.id, this.record);
    this.clients.set(row.id, client);
    client.connect(this.process.streams);
    await this.quiet();
    return row.id;
  }

  /** Sends through a process; what it acknowledges counts as accepted. */
  async send(sessionId: string, text: string, more: Partial<Submission> & { readonly process?: Process } = {}) {
    const { process = this.process, ...own } = more;
    const parts: Part[] = [{ id: '', type: PART.TEXT, content: text, createdAt: 1 }];
    const cause = { kind: 'api', identity: 'test', labels: {}, lineage: [] };
    const names = { namespace: 'default', agent: 'helper', sessionId };
    const submission = { ...names, parts, labels: {}, whenBusy: 'QUEUE' as const, cause, ...own };
    const store = process.gate.store(this.store);
    const { admitted, epoch } = await store.write(async (tx) => {
      const admitted = await process.runtime.admission.admit(tx, submission);
      return { admitted, epoch: (await tx.log.session(sessionId))?.epoch ?? 0 };
    });
    this.record.accepted.push({ sessionId, messageId: admitted.messageId, turnId: admitted.turnId, epoch });
    return admitted;
  }

  async withSession<T>(sessionId: string, work: (tx: WriteTx, session: SessionRow, runtime: Runtime) => Promise<T>) {
    const { gate, runtime } = this.process;
    return gate.store(this.store).write(async (tx) => {
      const session = await tx.log.lockSession(sessionId);
      if (session === undefined) return undefined;
      return work(tx, session, runtime);
    });
  }

  stop(sessionId: string, turnId = '') {
    return this.withSession(sessionId, (tx, session, runtime) => runtime.lifecycle.stop(tx, session, turnId));
  }

  clear(sessionId: string, stop = true) {
    return this.withSession(sessionId, (tx, session, runtime) => runtime.lifecycle.clear(tx, session, stop));
  }

  remove(sessionId: string) {
    return this.withSession(sessionId, (tx, session, runtime) => runtime.lifecycle.remove(tx, session));
  }

  async questions(): Promise<PermissionData[]> {
    const rows = await this.store.read((tx) => tx.log.openPermissions(['default'], '', 1000));
    return rows.map(parsePermission);
  }

  answer(question: PermissionData, allow = true, more: AnswerFacts = {}) {
    const { optionId = '', value = { city: 'Rome' }, comment = '' } = more;
    const data = question.kind === 'input' && allow ? { value } : {};
    return this.withSession(question.sessionId, (tx, session, runtime) =>
      runtime.lifecycle.answerPermission(tx, session, {
        ...{ requestId: question.id, allow, optionId, comment, decidedBy: 'tester', ...data },
        isSignIn: question.kind === 'sign_in',
      }),
    );
  }

  /** Something outside takes place; the turn that waits for it learns of it. */
  happen(name: string, turnId: string): Promise<boolean> {
    this.tools.happened.add(name);
    const { gate, runtime } = this.process;
    return gate.store(this.store).write((tx) => runtime.wakes.wake(tx, turnId, name));
  }

  /** How often a hook was called for the end of a turn, in committed transactions. */
  async hookEnds(turnId: string): Promise<number> {
    return Number((await this.store.read((tx) => tx.instance.value(`ends/${turnId}`))) ?? 0);
  }

  turn(id: string): Promise<TurnRow | undefined> {
    return this.store.read((tx) => tx.log.turn(id));
  }

  row(id: string): Promise<SessionRow | undefined> {
    return this.store.read((tx) => tx.log.session(id));
  }

  async messages(sessionId: string) {
    const rows = await this.store.read((tx) => tx.log.messagesAfter(sessionId, '', 1000));
    return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) as Part[] }));
  }

  /** Returns when nothing moves any more without time or somebody's help. */
  async quiet(): Promise<void> {
    let still = 0;
    let before = -1;
    while (still < IDLE_TURNS) {
      await new Promise((resolve) => setImmediate(resolve));
      const gates = this.processes.map(({ gate }) => gate);
      const busy = gates.filter((gate) => !gate.dead && gate.pending > 0);
      const now = gates.reduce((sum, gate) => sum + gate.activity, 0);
      still = now === before && busy.length === 0 ? still + 1 : 0;
      before = now;
      // A database in another process needs the processor that turn after turn of the event loop would take.
      if (busy.length > 0) await Promise.race(busy.map((gate) => gate.operationEnd()));
    }
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.quiet();
  }

  /** Lets time pass, second by second, until no session has an open turn; `each` may act before every second. */
  async runToEnd(each: () => Promise<void> = async () => undefined): Promise<void> {
    for (let second = 0; second < 240; second++) {
      await this.quiet();
      const open = await this.openTurns();
      if (open.length === 0) break;
      await each();
      await this.advance(1000);
    }
    const open = await this.openTurns();
    if (open.length > 0) this.record.note(`never ended: ${open.map((turn) => `${turn.id} ${turn.state}`).join(', ')}`);
    // One renewal later every worker knows about turns that are gone, and every client has looked.
    for (let second = 0; second < 4; second++) await this.advance(1000);
  }

  async openTurns(): Promise<TurnRow[]> {
    const found = await this.store.read((tx) => Promise.all(this.sessions.map((id) => tx.log.openTurns(id))));
    return found.flat();
  }

  #open(): Promise<Store> {
    const { clock } = this;
    const random = seededRandom(this.#starts);
    const fatal = (error: unknown): void => this.record.note(`store gave up: ${String(error)}`);
    return openGivenStore({ dataDir: this.#dir, clock, random, log: silentLog, fatal });
  }

  #log(): Log {
    const error = (message: string, _fields?: unknown, cause?: unknown): void => {
      if (!(cause instanceof Error && cause.name === 'Frozen'))
        this.errors.push(`${message}: ${cause instanceof Error ? cause.stack : String(cause)}`);
    };
    return { ...silentLog, error };
  }

  #deps(gate: ProcessGate, models: ModelRegistry) {
    const { objects } = this;
    const noteEnd: TurnEndHook = {
      turnEnded: async (tx, { turn }) => {
        const before = Number((await tx.instance.value(`ends/${turn.id}`)) ?? 0);
        await tx.instance.setValue(`ends/${turn.id}`, String(before + 1));
      },
    };
    return {
      ids: { next: () => this.#ids.next(), take: (count: number) => this.#ids.take(count) },
      log: this.#log(),
      config: { ...testConfig, ...this.#options.config },
      tools: createToolRegistry({
        tools: this.tools.list().map((tool) => gate.tool(tool)),
        log: silentLog,
        check: sharedSchemaCheck,
      }),
      agents: {
        current: (_tx: unknown, _namespace: string, name: string) => Promise.resolve(this.agents.get(name)),
        revision: (_tx: unknown, current: AgentRevision) => Promise.resolve(current),
        noteSession: async () => undefined,
      },
      namespaces: { requireLive: async () => undefined, labels: () => Promise.resolve({}) },
      usage: this.isMetered ? recordedUsage(this.#options.callsPerTurn) : noUsage,
      objects,
      history: createHistoryReader(),
      prompts: createPromptAssembler({ models, readObject: (namespace, object) => objects.read(namespace, object) }),
      endHooks: [noteEnd, ...this.endHooks],
    };
  }
}
