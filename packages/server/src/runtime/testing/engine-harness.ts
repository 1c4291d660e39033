import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { assert, type Clock, createIds, type Ids, seededRandom, silentLog, systemClock } from '../../base/index.ts';
import type { ModelRegistry } from '../../models/contract.ts';
import { createModelRegistry } from '../../models/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { Bus, FaultPoints, Store } from '../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../store/testing/given-store.ts';
import { createToolRegistry, type Tool } from '../../tools/index.ts';
import { sharedSchemaCheck } from '../../tools/testing/shared-schema-check.ts';
import { createHistoryReader } from '../history/index.ts';
import {
  type AgentDirectory,
  type AgentRevision,
  createRuntime,
  DeltaPressure,
  eventSubject,
  type NamespaceGate,
  type ObjectAccess,
  type ObjectData,
  PART,
  type Part,
  type Runtime,
  type RuntimeConfig,
  type RuntimeDeps,
  type SessionEvent,
  type Submission,
  type UsageMeter,
} from '../index.ts';
import { createPromptAssembler } from '../prompt/index.ts';
import { SeenRequests } from './seen-requests.ts';

/** Everything a test needs to run turns on a real store with the demo model, and to crash and restart them. */

export const testConfig: RuntimeConfig = {
  leaseMs: 10_000,
  sweepMs: 1000,
  maxAttempts: 5,
  maxSteps: 25,
  maxToolCalls: 128,
  maxBatchCalls: 32,
  maxTurnTokens: 0,
  parallelTools: 8,
  turnTimeoutMs: 30 * 60_000,
  toolTimeoutMs: 60_000,
  concurrency: 64,
  sessionQueue: 100,
  messageBytes: 1 << 20,
  permissionTimeoutMs: 3_600_000,
  requestTimeoutMs: 604_800_000,
  historySeconds: 600,
  streamRestart: 1,
  drainMs: 30_000,
};

export const testModels = (clock: Clock): ModelRegistry =>
  createModelRegistry({
    config: {
      providers: { demo: { type: 'demo', rate: 0 } },
      connectMs: 10_000,
      firstByteMs: 120_000,
      idleMs: 90_000,
      totalMs: 900_000,
      tries: 3,
      retryAfterMaxMs: 60_000,
      streamRestart: 1,
      breaker: { failures: 5, withinMs: 30_000, openMs: 15_000 },
      defaultWindow: 128_000,
      catalog: {},
      prices: {},
    },
    clock,
    random: seededRandom(7),
    log: silentLog,
    environment: {},
    secrets: () => Promise.reject(new Error('no secrets in tests')),
  });

export const noUsage: UsageMeter = {
  governs: () => false,
  reserve: async () => undefined,
  limitsCost: () => false,
  reserveCost: async (...[, , , { outputTokens }]) => outputTokens,
  releaseCost: async () => undefined,
  raise: async () => undefined,
  giveBack: async () => undefined,
  charge: async () => undefined,
};

/** Objects in memory; the same bytes survive a simulated restart because the harness keeps them. */
export class MemoryObjects implements ObjectAccess {
  readonly bytes = new Map<string, Uint8Array>();
  /** `holder hash` of each reference, in the order in which they were added. */
  readonly held: string[] = [];
  store(
    _namespace: string,
    bytes: Uint8Array,
    facts: { readonly mediaType: string; readonly filename: string },
  ): Promise<ObjectData> {
    const key = `object-${this.bytes.size}`;
    this.bytes.set(key, bytes);
    return Promise.resolve({ key, sha256: key, sizeBytes: bytes.length, ...facts });
  }
  hold(...[, , { sha256 }, holder]: Parameters<ObjectAccess['hold']>): Promise<void> {
    this.held.push(`${holder} ${sha256}`);
    return Promise.resolve();
  }
  size(_namespace: string, object: ObjectData): Promise<number | undefined> {
    return Promise.resolve(this.bytes.get(object.key)?.length);
  }
  read(_namespace: string, object: ObjectData): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.bytes.get(object.key));
  }
}

export interface HarnessOptions {
  readonly tools?: readonly Tool[];
  readonly spec?: MessageInitShape<typeof AgentSpecSchema>;
  readonly config?: Partial<RuntimeConfig>;
  readonly clock?: Clock;
  readonly seed?: number;
  /** Default: every namespace is live. */
  readonly namespaces?: NamespaceGate;
}

/** One data directory that several "processes" (runtimes) may open one after the other. */
export class EngineHarness {
  readonly #dir = mkdtempSync(join(tmpdir(), 'svc-engine-'));
  readonly #options: HarnessOptions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly objects = new MemoryObjects();
  readonly seen = new SeenRequests();
  readonly events: SessionEvent[] = [];
  readonly agents = new Map<string, AgentRevision>();
  store!: Store;
  bus!: Bus;
  models!: ModelRegistry;
  runtime!: Runtime;
  #starts = 0;
  /** Prompts of a test itself are not rebuilt. */
  #hasOwnPrompts = false;
  readonly #followed = new Set<string>();

  constructor(options: HarnessOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.ids = createIds(this.clock, seededRandom(options.seed ?? 1));
    this.setAgent('helper', create(AgentSpecSchema, options.spec ?? {}));
  }

  setAgent(name: string, spec: AgentSpec, facts: Partial<AgentRevision> = {}): void {
    const before = this.agents.get(name);
    this.agents.set(name, {
      uid: before?.uid ?? `uid-${name}`,
      generation: (before?.generation ?? 0) + 1,
      namespace: 'default',
      name,
      labels: {},
      spec,
      deleting: false,
      notReady: '',
      ...facts,
    });
  }

  async start(
    options: { readonly faultPoint?: FaultPoints; readonly deps?: Partial<RuntimeDeps> } = {},
  ): Promise<void> {
    this.#starts += 1;
    this.#hasOwnPrompts = options.deps?.prompts !== undefined;
    const { clock, ids } = this;
    const log = silentLog;
    const random = seededRandom(this.#starts);
    this.store = await openGivenStore({ dataDir: this.#dir, clock, random, log, fatal: () => undefined });
    this.bus = createLocalBus(log);
    for (const id of this.#followed) this.#subscribe(id);
    this.models = this.seen.watch(testModels(clock));
    const deps: RuntimeDeps = {
      store: this.store,
      bus: this.bus,
      clock,
      ids,
      log,
      pressure: new DeltaPressure(clock),
      config: { ...testConfig, ...this.#options.config },
      models: this.models,
      tools: createToolRegistry({ tools: this.#options.tools ?? [], log, check: sharedSchemaCheck }),
      agents: this.#directory(),
      namespaces: this.#gate(),
      usage: noUsage,
      objects: this.objects,
      history: createHistoryReader(),
      prompts: createPromptAssembler({
        models: this.models,
        readObject: (namespace, object) => this.objects.read(namespace, object),
      }),
      endHooks: [],
      workerId: `worker-${this.#starts}`,
      faultPoint: options.faultPoint ?? (() => undefined),
      ...options.deps,
    };
    this.runtime = createRuntime(deps);
    await this.runtime.start();
  }

  #requestProblems(): Promise<string[]> {
    const { store, models, objects } = this;
    return this.seen.problems({ store, models, objects, sessions: [...this.#followed] });
  }

  /** Ends the process as kill -9 does: what is not in the store is gone. */
  async crash(): Promise<void> {
    this.bus.close();
    this.runtime.sweeper.close();
    await this.store.close();
  }

  async stop(): Promise<void> {
    await this.runtime.stop();
    const problems = this.#hasOwnPrompts ? [] : await this.#requestProblems();
    await this.models.close();
    await this.store.close();
    assert(problems.length === 0, problems.join('\n'));
  }

  async dispose(): Promise<void> {
    await removeGivenStore(this.#dir);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async session(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const row = await this.store.write((tx) =>
      this.runtime.lifecycle.create(tx, { namespace: 'default', agent: 'helper', labels, identity: 'test' }),
    );
    this.#followed.add(row.id);
    this.#subscribe(row.id);
    return row.id;
  }

  send(sessionId: string, text: string, more: Partial<Submission> = {}): ReturnType<Runtime['admission']['admit']> {
    const parts: Part[] = [{ id: '', type: PART.TEXT, content: text, createdAt: 1 }];
    const cause = { kind: 'api', identity: 'test', labels: {}, lineage: [] };
    return this.store.write((tx) =>
      this.runtime.admission.admit(tx, {
        namespace: 'default',
        agent: 'helper',
        sessionId,
        parts,
        labels: {},
        whenBusy: 'QUEUE',
        cause,
        ...more,
      }),
    );
  }

  /** Resolves with the terminal event of the turn. */
  ended(turnId: string): Promise<SessionEvent> {
    const found = this.events.find((event) => event.turnId === turnId && (event.kind === 2 || event.kind === 3));
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) =>
      this.#waiting.push((event) => {
        const isEnd = event.turnId === turnId && (event.kind === 2 || event.kind === 3);
        if (isEnd) resolve(event);
        return isEnd;
      }),
    );
  }

  /** Resolves with the first event that fits, past ones included. */
  event(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
    const found = this.events.find(fits);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) =>
      this.#waiting.push((event) => {
        const isFound = fits(event);
        if (isFound) resolve(event);
        return isFound;
      }),
    );
  }

  async messages(sessionId: string): Promise<
    {
      readonly role: number;
      readonly id: string;
      readonly parts: readonly Part[];
      readonly labels: Readonly<Record<string, string>>;
    }[]
  > {
    const rows = await this.store.read((tx) => tx.log.messagesAfter(sessionId, '', 1000));
    return rows.map((row) => ({
      role: row.role,
      id: row.id,
      labels: row.labels,
      parts: JSON.parse(row.parts) as Part[],
    }));
  }

  /** Text of the last assistant message. */
  async reply(sessionId: string): Promise<string> {
    const last = (await this.messages(sessionId)).filter((message) => message.role === 2).at(-1);
    return (last?.parts ?? [])
      .filter((part) => part.type === PART.TEXT)
      .map((part) => part.content)
      .join('');
  }

  readonly #waiting: ((event: SessionEvent) => boolean)[] = [];

  #subscribe(sessionId: string): void {
    this.bus.subscribe(eventSubject(sessionId), (message) => {
      const event = message as SessionEvent;
      this.events.push(event);
      for (const wait of [...this.#waiting]) if (wait(event)) this.#waiting.splice(this.#waiting.indexOf(wait), 1);
    });
  }

  #directory(): AgentDirectory {
    return {
      current: (_tx, _namespace, name) => Promise.resolve(this.agents.get(name)),
      revision: (_tx, current) => Promise.resolve(current),
      noteSession: async () => undefined,
    };
  }

  #gate(): NamespaceGate {
    return this.#options.namespaces ?? { requireLive: async () => undefined, labels: () => Promise.resolve({}) };
  }
}
