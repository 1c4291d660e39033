import { connect, createServer, type Server, type Socket } from 'node:net';
import { ServerSession } from './server-session.ts';
import { noSuchDatabase, readStartup, startupFor } from './startup-message.ts';

interface Route {
  /** Name of the database on the server. */
  readonly database: string;
  readonly clients: Set<Socket>;
}

/**
 * A listener between the tests of one process and their PostgreSQL server. It keeps sessions whose client has left for the next
 * client of the same database with the same settings: a session is a process that reads the catalogs of its database first, which
 * takes longer than most tests. Everything else passes unchanged: a session that was left with anything unfinished ends as it
 * would without this.
 */
export class KeptSessions {
  readonly #serverPort: number;
  readonly #listener: Server;
  readonly #routes = new Map<string, Route>();
  readonly #free = new Map<string, ServerSession[]>();
  readonly #clearing = new Map<string, Set<Promise<void>>>();
  #port = 0;

  private constructor(serverPort: number) {
    this.#serverPort = serverPort;
    this.#listener = createServer((client) => this.#welcome(client)).unref();
  }

  /** `server` is the address of a database of the server. Holds nothing that keeps the process. */
  static async start(server: string): Promise<KeptSessions> {
    const kept = new KeptSessions(Number(new URL(server).port));
    await new Promise<void>((resolve) => kept.#listener.listen(0, '127.0.0.1', resolve));
    const address = kept.#listener.address();
    kept.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return kept;
  }

  /** Port at which the databases that were opened are reached. */
  get port(): number {
    return this.#port;
  }

  /** From now on `name` leads to the database. */
  open(name: string, database: string): void {
    this.#routes.set(name, { database, clients: new Set() });
  }

  /** From now on `name` leads nowhere, and every client that used it is cut off. */
  async close(name: string): Promise<void> {
    const route = this.#routes.get(name);
    this.#routes.delete(name);
    if (route === undefined) return;
    const ends = [...route.clients].map((client) => new Promise((resolve) => client.once('close', resolve)));
    for (const client of route.clients) client.destroy();
    await Promise.all(ends);
    const clearing = [...this.#clearing].filter(([key]) => key.startsWith(`${route.database}\0`));
    await Promise.all(clearing.flatMap(([, sessions]) => [...sessions]));
  }

  #welcome(client: Socket): void {
    let startup: Buffer = Buffer.alloc(0);
    client.setNoDelay();
    client.on('error', () => client.destroy());
    const read = (bytes: Buffer): void => {
      startup = Buffer.concat([startup, bytes]);
      const found = readStartup(startup);
      if (found === undefined) return;
      if (found.wants === 'tls') {
        startup = Buffer.alloc(0);
        client.write('N');
        return;
      }
      client.off('data', read);
      client.pause();
      if (found.wants === 'session') void this.#admit(client, found.database, { startup, settings: found.settings });
      else connect(this.#serverPort, '127.0.0.1').end(startup, () => client.end());
    };
    client.on('data', read);
  }

  async #admit(
    client: Socket,
    name: string,
    { startup, settings }: { readonly startup: Buffer; readonly settings: ReadonlyMap<string, string> },
  ): Promise<void> {
    const route = this.#routes.get(name);
    if (route === undefined) {
      client.end(noSuchDatabase(name));
      return;
    }
    route.clients.add(client);
    client.once('close', () => route.clients.delete(client));
    const others = [...settings].filter(([setting]) => setting !== 'database');
    const key = `${route.database}\0${JSON.stringify(others)}`;
    for (let kept = await this.#take(key); kept !== undefined; kept = await this.#take(key))
      if (await kept.serveNext(client)) {
        client.resume();
        return;
      }
    if (client.destroyed) return;
    const session = new ServerSession(this.#serverPort, startupFor(route.database, startup, settings), client);
    session.whenLeft = (isWhole) => {
      if (isWhole) this.#keep(key, session);
    };
    client.resume();
  }

  /** One that is being cleared is soon there. */
  async #take(key: string): Promise<ServerSession | undefined> {
    const free = this.#free.get(key);
    const clearing = this.#clearing.get(key);
    if ((free?.length ?? 0) === 0 && clearing !== undefined && clearing.size > 0) await Promise.race(clearing);
    return this.#free.get(key)?.pop();
  }

  #keep(key: string, session: ServerSession): void {
    const clearing = this.#clearing.get(key) ?? new Set();
    this.#clearing.set(key, clearing);
    const cleared = session.clear().then((isReady) => {
      clearing.delete(cleared);
      if (isReady) this.#free.set(key, [...(this.#free.get(key) ?? []), session]);
    });
    clearing.add(cleared);
  }
}
