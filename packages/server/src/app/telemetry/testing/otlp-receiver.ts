import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived, its attributes as plain values. */
interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  /** 2 = error. */
  readonly status: number;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

type Pairs = readonly { readonly key: string; readonly value: Value }[];

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes?: Pairs;
        readonly status?: { readonly code?: number };
      }[];
    }[];
  }[];
}

const plain = (value: Value): unknown => {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue;
};

const asRecord = (pairs: Pairs = []): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));

/** Takes OTLP over HTTP in its JSON form, as a collector does. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that came, byte for byte. */
  readonly bodies: string[] = [];
  readonly paths: string[] = [];
  readonly #server: Server;
  /** Answered from now on. */
  status = 200;

  constructor() {
    this.#server = createServer((request, response) => {
      this.paths.push(request.url ?? '');
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        this.#take(Buffer.concat(pieces).toString('utf8'));
        response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(text: string): void {
    this.bodies.push(text);
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const { name, traceId, spanId, parentSpanId = '' } = span;
        const status = span.status?.code ?? 0;
        const attributes = asRecord(span.attributes);
        this.spans.push({
          name,
          traceId,
          spanId,
          parentSpanId,
          attributes,
          status,
          resource: asRecord(resource.attributes),
        });
      }
    }
  }
}
