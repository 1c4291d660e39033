import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import process from 'node:process';

/**
 * The event loop takes one new connection from each listening socket a turn. With one socket, a thousand clients that arrive during busy
 * turns of 10 ms wait for ten seconds; with these, for two thirds of one.
 */
const SOCKETS = 16;
/** Connections that wait in each socket; the system may allow fewer. */
const BACKLOG = 4096;

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * The listening sockets of one port. Linux shares new connections out among sockets that ask for it (SO_REUSEPORT), so there are
 * many; elsewhere there is one. Sharing would also let a second server of the same user listen on the port unnoticed: see `listen`.
 */
export class PortSockets {
  readonly #servers: Server[] = [];
  readonly #onConnection: (socket: Socket) => void;
  readonly #isShared: boolean;

  /** `platform` as in `process.platform`. */
  constructor(onConnection: (socket: Socket) => void, platform: string = process.platform) {
    this.#onConnection = onConnection;
    this.#isShared = platform === 'linux';
  }

  get isListening(): boolean {
    return this.#servers.length > 0;
  }

  /**
   * Port 0 takes a free one, and no one else can have it from then on. Rejects with EADDRINUSE when any other socket listens on the
   * port: it is opened alone first, which fails then. A name that only one process of the machine can have is held until the port is
   * open to be shared, so that no other server comes in between.
   */
  async listen(place: Place): Promise<AddressInfo> {
    try {
      return await (place.port === 0 || !this.#isShared ? this.#openAll(place) : this.#openGiven(place));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Drops new connections without an answer, or takes them again. */
  drop(isDropping: boolean): void {
    for (const server of this.#servers) server.maxConnections = isDropping ? 0 : Number.POSITIVE_INFINITY;
  }

  close(): void {
    for (const server of this.#servers.splice(0)) server.close();
  }

  async #openGiven(place: Place): Promise<AddressInfo> {
    const name = await opened(createServer(), { path: `\0svc-port-${place.port}`, exclusive: true }).catch((cause) => {
      throw Object.assign(new Error(`another process is about to listen on port ${place.port}`, { cause }), {
        code: cause.code,
        port: place.port,
      });
    });
    try {
      await closed(await opened(createServer(), { ...place, backlog: BACKLOG }));
      return await this.#openAll(place);
    } finally {
      await closed(name);
    }
  }

  async #openAll({ host, port }: Place): Promise<AddressInfo> {
    const address = addressOf(await this.#open({ host, port }));
    for (let count = 1; this.#isShared && count < SOCKETS; count++) await this.#open({ host, port: address.port });
    return address;
  }

  async #open(place: Place): Promise<Server> {
    const server = createServer({ noDelay: true, keepAlive: true }, this.#onConnection);
    await opened(server, { ...place, reusePort: this.#isShared, backlog: BACKLOG });
    this.#servers.push(server);
    return server;
  }
}

const opened = async (server: Server, options: Parameters<Server['listen']>[0]): Promise<Server> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options as object, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
};

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

const addressOf = (server: Server): AddressInfo => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a TCP port');
  return address;
};
