import { create } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { Fault, silentLog } from '../../../../base/index.ts';
import { type ObjectData, type Part, parseBody, type TurnEndHook } from '../../../../runtime/contract.ts';
import { Machine, type ProcessOptions } from '../../../../runtime/testing/machine.ts';
import type { Store, TurnRow } from '../../../../store/contracts/index.ts';
import { quietStore } from '../../../../store/testing/quiet-store.ts';
import type { ToolSource } from '../../../../tools/contract.ts';
import { createToolRegistry } from '../../../../tools/index.ts';
import { DelegationBook } from '../delegation-book.ts';
import { createDelegationHook } from '../delegation-hook.ts';
import { parseDelegation } from '../delegation-rules.ts';
import { type AwaitTask, delegationTools } from '../delegation-tools.ts';
import { DelegationWorker } from '../delegation-worker.ts';
import { type KeepArtifact, PeerCourier } from '../peer-courier.ts';
import { PeerPost } from '../peer-post.ts';
import { PeerRecords } from '../peer-records.ts';
import { ScriptedPeer } from './scripted-peer.ts';

const MICROS_PER_MS = 1_000;
const LEASE_MICROS = 1_000_000;
const ROUNDS = 60;

const refuse = (text: string): never => {
  throw new Fault('NOT_FOUND', 'ARTIFACT_NOT_FOUND', text);
};

interface Connection {
  readonly agent: string;
  /** An agent elsewhere, by the address of its card; `agent` names the connection. */
  readonly cardUrl?: string;
  readonly maxDepth?: number;
  readonly timeoutSeconds?: number;
}

/**
 * Agents of a machine with connections to each other: `helper` to `clerk`, `clerk` to `helper` and `intern`. Items of the queue run when the
 * test says so.
 */
export class DelegationWorld {
  readonly machine: Machine;
  /** The agent elsewhere behind every external connection. */
  readonly peer = new ScriptedPeer();
  /** What it sent to be kept. */
  readonly artifacts = new Map<string, string>();
  /** Tasks of the session by name. */
  readonly tasks = new Map<string, NonNullable<Awaited<ReturnType<AwaitTask>>>>();
  courier!: PeerCourier;
  /** Where agents elsewhere reach this server. */
  serverUrl = 'http://here';
  /** Objects of artifacts by their addresses. */
  readonly objects = new Map<string, ObjectData>();
  /** Artifacts that were shared, and with whom. */
  readonly shared: string[] = [];
  #parts: { readonly store: Store; readonly source: ToolSource; readonly worker: DelegationWorker } | undefined;

  constructor(limits: { readonly maxDepth?: number; readonly maxRounds?: number } = {}) {
    const current = (): ToolSource => {
      if (this.#parts === undefined) throw new Error('no process was started');
      return this.#parts.source;
    };
    const tools = createToolRegistry({ tools: [], log: silentLog });
    tools.add({
      toolSources: [
        {
          name: 'delegation',
          names: ['agent_open', 'agent_send', 'agent_status', 'agent_wait'],
          concerns: (grants) => current().concerns(grants),
          tools: (turn) => current().tools(turn),
        },
      ],
    });
    this.machine = new Machine({ deps: { tools } });
    this.#limits = { maxDepth: limits.maxDepth ?? 8, maxRounds: limits.maxRounds ?? 50 };
    this.setAgent('helper', [{ agent: 'clerk' }]);
    this.setAgent('clerk', [{ agent: 'helper' }, { agent: 'intern' }]);
    this.setAgent('intern', []);
  }

  readonly #limits: { readonly maxDepth: number; readonly maxRounds: number };

  setAgent(name: string, connections: readonly Connection[], notReady = ''): void {
    const spec = create(AgentSpecSchema, {
      a2a: {
        connections: connections.map(({ agent, cardUrl, maxDepth = 0, timeoutSeconds = 0 }) => ({
          name: agent,
          maxDepth,
          timeoutSeconds,
          target: cardUrl === undefined ? { internal: { agent } } : { external: { agentCardUrl: cardUrl } },
        })),
      },
    });
    const names = { uid: `uid-${name}`, namespace: 'default', name, labels: {} };
    this.machine.agents.set(name, { ...names, generation: 1, spec, deleting: false, notReady });
  }

  async start(options: ProcessOptions = {}): Promise<void> {
    const hook: TurnEndHook = createDelegationHook({ publish: () => undefined });
    this.machine.endHooks = [hook];
    const process = await this.machine.start(options);
    const store = process.gate.store(this.machine.store);
    // The gate watches the log of a store only; the table is read past it.
    const watched = { ...store, direct: this.machine.store.direct };
    const { runtime } = process;
    const secret = (_namespace: string, reference: string) => Promise.resolve(`value of ${reference}`);
    const peers = {
      store,
      bus: { publish: () => undefined },
      client: this.peer,
      secret,
      log: silentLog,
      objects: this.machine.objects,
      links: { link: (_namespace: string, { sha256 }: ObjectData) => `/v1/objects/${sha256}` },
      baseUrl: () => this.serverUrl,
    };
    const post = new PeerPost(peers);
    const book = new DelegationBook({ store: watched, ...runtime, ...this.#limits, post });
    const keepArtifact: KeepArtifact = async (_sender, { key, filename }) => {
      this.artifacts.set(key, filename);
      return `artifact://${key}`;
    };
    this.courier = new PeerCourier({ ...peers, keepArtifact, records: new PeerRecords(peers) });
    this.#parts = {
      store,
      source: delegationTools({
        book,
        post,
        awaitTask: async (_context, name) => this.tasks.get(name),
        artifactObjects: async (_context, uris) =>
          uris.map((uri) => this.objects.get(uri) ?? refuse(`there is no artifact ${uri}`)),
        shareArtifacts: async (_context, uris, target) => {
          for (const uri of uris) this.shared.push(`${uri} with ${target.agent}`);
        },
      }),
      worker: new DelegationWorker({ store, ...runtime }),
    };
  }

  async restart(options: ProcessOptions = {}): Promise<void> {
    await this.machine.crash();
    await this.start(options);
  }

  /** Runs what is due in the queue; answers how many items that were. */
  async work(): Promise<number> {
    const { store, worker } = this.#parts ?? {};
    if (store === undefined || worker === undefined) return 0;
    const { courier } = this;
    const kinds = [...worker.kinds, ...courier.kinds];
    const items = await store.write((tx) => tx.queue.take(kinds, tx.steadyNow(), LEASE_MICROS, 20));
    for (const item of items) {
      const { kind, key, token, payload } = item;
      const outcome = await (courier.kinds.includes(kind) ? courier : worker).run(item);
      await store.write((tx) =>
        'againMs' in outcome
          ? tx.queue.retry(kind, key, token, tx.steadyNow() + outcome.againMs * MICROS_PER_MS, payload)
          : tx.queue.ack(kind, key, token),
      );
    }
    return items.length;
  }

  /** Lets turns and queue run until nothing moves without time. */
  async settle(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await this.#quiet();
      if (this.machine.isDead) return;
      const before = this.machine.process.gate.activity;
      const work = this.work().then(
        (done) => done,
        () => 0,
      );
      await this.#quiet();
      if (this.machine.isDead) return;
      if ((await work) === 0 && this.machine.process.gate.activity <= before + 1) return;
    }
  }

  /** Tools read the table past the gate of the machine, which does not wait for that by itself. */
  async #quiet(): Promise<void> {
    await this.machine.quiet();
    await quietStore(this.machine.store);
    await this.machine.quiet();
  }

  /** Texts of the messages of a session with who said them. */
  async said(sessionId: string): Promise<readonly string[]> {
    const rows = await this.machine.messages(sessionId);
    return rows.flatMap(({ role, parts }) =>
      parts.flatMap((part: Part) => (part.type === 1 ? [`${role === 1 ? 'user' : 'agent'}: ${part.content}`] : [])),
    );
  }

  /** Turns of the conversations that a session opened, by alias. */
  async children(sessionId: string): Promise<ReadonlyMap<string, readonly TurnRow[]>> {
    return this.machine.store.read(async (tx) => {
      const rows = await tx.delegations.page('ofSession', { sessionId }, { limit: 20 });
      const found = new Map<string, readonly TurnRow[]>();
      for (const row of rows) found.set(row.alias, await tx.log.turns(row.childSessionId, { limit: 100 }));
      return found;
    });
  }

  /** What is kept of the conversations of a session. */
  async kept(sessionId: string) {
    const rows = await this.machine.store.read((tx) => tx.delegations.page('ofSession', { sessionId }, { limit: 20 }));
    return rows.map((row) => ({ ...row, ...parseDelegation(row) }));
  }

  identity(turn: TurnRow): string {
    return parseBody(turn).cause.identity;
  }

  lineage(turn: TurnRow): readonly string[] {
    return parseBody(turn).cause.lineage.map(({ agent }) => agent);
  }
}
