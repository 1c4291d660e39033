import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface PlatformCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface PlatformAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Buffer;
}

/** The HTTP API of a platform on this machine: answers by a function, notes what was asked. */
export class FakePlatform {
  readonly #server: Server;
  readonly calls: PlatformCall[] = [];
  /** Answers for the next calls that match, in place of the usual one. */
  readonly faults: { readonly path: RegExp; readonly answer: PlatformAnswer }[] = [];
  url = '';

  constructor(answer: (call: PlatformCall) => PlatformAnswer) {
    this.#server = createServer(async (request, response) => {
      const call = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: await buffer(request),
      };
      this.calls.push(call);
      const fault = this.faults.findIndex(({ path }) => isCallTo(call, path));
      const {
        status = 200,
        headers,
        json,
        bytes,
      } = fault < 0 ? answer(call) : (this.faults.splice(fault, 1)[0]?.answer ?? {});
      response.writeHead(status, {
        'content-type': bytes === undefined ? 'application/json' : 'application/octet-stream',
        ...headers,
      });
      response.end(bytes ?? JSON.stringify(json ?? {}));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Calls to a path, or whose body matches, oldest first. */
  callsTo(path: RegExp): readonly PlatformCall[] {
    return this.calls.filter((call) => isCallTo(call, path));
  }
}

/** GraphQL has one path for everything. */
const isCallTo = ({ path, body }: PlatformCall, wanted: RegExp): boolean =>
  wanted.test(path) || wanted.test(body.toString());
