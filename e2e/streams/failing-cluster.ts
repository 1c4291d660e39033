import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresService } from '../postgres-server/index.ts';
import { ServerProcess } from '../server-process/index.ts';
import type { SeededRandom } from '../transports/plan/index.ts';
import { FailingNetwork } from './failing-network.ts';

/** What can fail around readers. */
export type Failure =
  | 'kill a node'
  | 'cut the network'
  | 'stall the network'
  | 'end connections'
  | 'restart the database';

const LOG_CHARACTERS = 2_000;

/** Nodes on one store, a network in front of each, and the failures of all of them. */
export class FailingCluster implements AsyncDisposable {
  readonly #nodes: readonly ServerProcess[];
  readonly #networks: readonly FailingNetwork[];
  readonly #postgres: PostgresService | undefined;

  private constructor(
    nodes: readonly ServerProcess[],
    networks: readonly FailingNetwork[],
    postgres: PostgresService | undefined,
  ) {
    this.#nodes = nodes;
    this.#networks = networks;
    this.#postgres = postgres;
  }

  /** `postgres`: the server of their database; without it the one node stores in a file. */
  static async start(
    count: number,
    environment: Readonly<Record<string, string>>,
    postgres: PostgresService | undefined,
  ): Promise<FailingCluster> {
    const shared = {
      SVC_SECRETS_KEYS: JSON.stringify([{ id: 'first', key: 'a passphrase of some length' }]),
      SVC_RUNTIME_LEASE: '6s',
      ...(postgres === undefined ? {} : { SVC_STORE_URL: await postgres.createDatabase() }),
    };
    const nodes: ServerProcess[] = [];
    for (let index = 0; index < count; index++)
      nodes.push(await ServerProcess.start({ environment: { ...environment, ...shared } }));
    const networks = await Promise.all(nodes.map((node) => FailingNetwork.start(node.port)));
    return new FailingCluster(nodes, networks, postgres);
  }

  /** Addresses of the nodes behind the failing network. */
  get urls(): readonly string[] {
    return this.#networks.map((network) => network.url);
  }

  /** Addresses of the nodes themselves. */
  get directUrls(): readonly string[] {
    return this.#nodes.map((node) => node.url);
  }

  /** What the nodes wrote to their logs last. */
  get logs(): string {
    return this.#nodes.map((node) => node.log.slice(-LOG_CHARACTERS)).join('\n');
  }

  /** One of each failure that this cluster knows; the network fails twice. */
  get failures(): readonly Failure[] {
    const always: readonly Failure[] = ['kill a node', 'cut the network', 'stall the network', 'cut the network'];
    return this.#postgres === undefined ? always : [...always, 'end connections', 'restart the database'];
  }

  /** Lets something fail, and returns when it is whole again. */
  async fail(failure: Failure, random: SeededRandom): Promise<void> {
    if (failure === 'kill a node') {
      const node = random.pick(this.#nodes);
      await node.kill();
      await node.restart();
    } else if (failure === 'cut the network') random.pick(this.#networks).cut();
    else if (failure === 'stall the network') {
      const network = random.pick(this.#networks);
      network.stall();
      await pause(300 + random.below(700));
      network.resume();
    } else if (failure === 'end connections') await this.#postgres?.cut();
    else {
      await this.#postgres?.crash();
      await this.#postgres?.up();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#networks.map((network) => network[Symbol.asyncDispose]()));
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
  }
}
