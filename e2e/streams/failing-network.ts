import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection between readers and a server that can be cut and stalled; `await using` ends it. */
export class FailingNetwork implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #stalled: PromiseWithResolvers<void> | undefined;

  private constructor(port: number) {
    this.#server = createServer((client) => this.#join(client, connect(port, '127.0.0.1')));
  }

  /** In front of a server on this machine, which may be away. */
  static async start(port: number): Promise<FailingNetwork> {
    const network = new FailingNetwork(port);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection at once, without a word to either side. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing passes until `resume`; connections stay open. */
  stall(): void {
    this.#stalled ??= Promise.withResolvers<void>();
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#stalled = undefined;
    for (const socket of this.#sockets) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      // A pause of the source is a full window of the other side, as a network that passes nothing makes it.
      from.on('data', (chunk: Buffer) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (this.#stalled === undefined) from.resume();
      });
      if (this.#stalled !== undefined) from.pause();
    }
  }
}
