import { connect, createServer, type Server, type Socket } from 'node:net';

/** When a connection is cut: before COMMIT goes to the server, or when the server's answer to it comes. */
export type Cut = 'before commit' | 'after commit';

/** What is swallowed without a word: everything both ways, or the answer to the next COMMIT and all that follows it. */
export type Swallowed = 'everything' | 'answers after commit';

/** Sits between a store and its server and cuts the next connection that commits, or plays a host that vanished. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: Cut | undefined;
  #swallowed: Swallowed | undefined;
  #port = 0;

  private constructor(target: URL) {
    this.#server = createServer((client) => this.#join(client, connect(Number(target.port), target.hostname)));
  }

  static async start(url: string): Promise<{ readonly proxy: CuttingProxy; readonly url: string }> {
    const target = new URL(url);
    const proxy = new CuttingProxy(new URL(url));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    const address = proxy.#server.address();
    proxy.#port = typeof address === 'object' && address !== null ? address.port : 0;
    target.port = String(proxy.#port);
    return { proxy, url: target.href };
  }

  /** Cuts once. */
  cutNext(cut: Cut): void {
    this.#cut = cut;
  }

  /** From now on, for connections old and new; they stay open. undefined = back to normal for new connections. */
  swallow(what: Swallowed | undefined): void {
    this.#swallowed = what;
  }

  /** Cuts everything that is open now. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #join(client: Socket, server: Socket): void {
    let isCommitting = false;
    let isSilent = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => {
      if (this.#cut !== undefined && chunk.includes('COMMIT')) {
        const cut = this.#cut;
        this.#cut = undefined;
        if (cut === 'before commit') return end();
        isCommitting = true;
      }
      if (this.#swallowed === 'everything') isSilent = true;
      if (!isSilent) server.write(chunk);
      if (this.#swallowed === 'answers after commit' && chunk.includes('COMMIT')) isSilent = true;
    });
    server.on('data', (chunk) => {
      if (isCommitting) end();
      else if (!isSilent && this.#swallowed !== 'everything') client.write(chunk);
    });
  }
}
