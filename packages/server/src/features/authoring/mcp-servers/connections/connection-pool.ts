import type { Clock, Log } from '../../../../base/index.ts';
import type { McpConnector } from '../../../../protocols/mcp/contract.ts';
import { type ListOutcome, ServerSlot } from './server-slot.ts';
import type { WantedServer } from './wanted-server.ts';

export interface ConnectionPoolDeps {
  readonly connector: McpConnector;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Records what became known of a server. */
  readonly report: (wanted: WantedServer, outcome: ListOutcome) => Promise<void>;
  /** The key that the place has by now; undefined when there is no such server any more. */
  readonly keyNow: (wanted: WantedServer) => Promise<string | undefined>;
}

/** Connections of one process; of more, those that no turn used for longest end. */
const SLOTS_MAX = 500;
/** How long a connection that nothing uses is kept. */
const IDLE_MS = 300_000;

/** The servers that turns of this process use: one slot for each place, replaced when what it was made of changes. */
export class ConnectionPool {
  readonly #deps: ConnectionPoolDeps;
  readonly #slots = new Map<string, ServerSlot>();
  readonly #reports = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: ConnectionPoolDeps) {
    this.#deps = deps;
  }

  /** Number of servers in use. */
  get size(): number {
    return this.#slots.size;
  }

  /** The slot of the place; one of an older configuration ends with its last call. */
  slot(wanted: WantedServer): ServerSlot {
    const { place, key } = wanted;
    const known = this.#slots.get(place);
    if (known?.wanted.key === key) return known;
    known?.retire();
    const { connector, clock } = this.#deps;
    const settled = (about: WantedServer, outcome: ListOutcome): void => this.#settled(about, outcome);
    const slot = new ServerSlot(wanted, { connector, clock, settled });
    this.#slots.set(place, slot);
    this.#makeRoom();
    return slot;
  }

  /** The place has no server any more, or a disabled one. */
  drop(place: string): void {
    this.#slots.get(place)?.retire();
    this.#slots.delete(place);
  }

  /** Ends what is idle or was changed meanwhile, and asks the rest for a sign of life. */
  async tick(): Promise<void> {
    const idleMs = this.#deps.clock.monotonicMs() - IDLE_MS;
    await Promise.all(
      [...this.#slots].map(async ([place, slot]) => {
        const isKept = slot.usedAtMs > idleMs && (await this.#deps.keyNow(slot.wanted)) === slot.wanted.key;
        if (isKept) await slot.ping();
        else if (this.#slots.get(place) === slot) this.drop(place);
      }),
    );
  }

  /** Ends every connection and waits for what is still being recorded. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#slots.values()].map((slot) => slot.close()));
    this.#slots.clear();
    await this.reported();
  }

  /** Resolves once everything found so far is recorded. */
  async reported(): Promise<void> {
    await Promise.all(this.#reports);
  }

  #settled(wanted: WantedServer, outcome: ListOutcome): void {
    if (this.#isClosed) return;
    const { namespace, name } = wanted.subject.key;
    if ('failure' in outcome) {
      const { kind, message } = outcome.failure;
      this.#deps.log.warn('MCP server failed', { namespace, server: name, kind, reason: message });
    }
    const report: Promise<void> = this.#deps
      .report(wanted, outcome)
      .catch((error: unknown) =>
        this.#deps.log.warn('state of an MCP server was not recorded', {
          namespace,
          server: name,
          reason: String(error),
        }),
      )
      .finally(() => this.#reports.delete(report));
    this.#reports.add(report);
  }

  #makeRoom(): void {
    if (this.#slots.size <= SLOTS_MAX) return;
    const [oldest] = [...this.#slots].sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (oldest !== undefined) this.drop(oldest[0]);
  }
}
