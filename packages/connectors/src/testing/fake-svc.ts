import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The API key of connector services in tests. */
export const API_KEY = 'key-of-the-class';
const REGISTRATION = 'Namespace/default/ConnectorClass/chat';

export interface ReceivedEvent {
  readonly eventId: string;
  readonly eventKind?: string;
  readonly matchFields: Readonly<Record<string, string>>;
  readonly externalConversationId: string;
  readonly externalThreadId?: string;
  readonly externalMessageId: string;
  readonly conversationType: string;
  readonly sender: Readonly<Record<string, string>>;
  readonly text: string;
  readonly attachments?: readonly { readonly key: string; readonly filename: string; readonly mediaType: string }[];
  readonly eventTimeMs: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a turn asks people. */
interface Question {
  readonly approvers: readonly string[];
  isOpen: boolean;
}

/**
 * svc as a connector service sees it: registers, accepts each event once, keeps uploaded files, sends deliveries. A test
 * may make it fail before it has committed.
 */
export class FakeSvc {
  readonly #server: Server;
  #secret = 'svcb_1_secret';
  /** Events in the order of their acceptance, each once. */
  readonly events: ReceivedEvent[] = [];
  readonly outcomes: string[] = [];
  readonly statuses: { readonly status: string; readonly reason: string }[] = [];
  readonly uploads = new Map<string, Buffer>();
  /** Answers for the next callbacks, in place of taking them: the process dies before its commit. */
  readonly failures: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[] = [];
  /** Questions by their delivery, with who may answer each; the first answer closes it. A press for another delivery is accepted. */
  readonly questions = new Map<string, Question>();
  /** How many of the next status reports get no answer that counts. */
  statusFailures = 0;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** From now on only callbacks with a newer secret are accepted. */
  rotate(): void {
    this.#secret = `${this.#secret}+`;
  }

  async register(connector: string, overrides: Readonly<Record<string, string>> = {}): Promise<Response> {
    return await this.call(connector, '/v1/clusters/register', {
      clusterId: 'cluster',
      registrationId: REGISTRATION,
      namespace: 'default',
      connectorClass: 'chat',
      callbackBaseUrl: `${this.url}/v1/connectors`,
      callbackAuthKind: 'bearer',
      callbackAuthKey: this.#secret,
      ...overrides,
    });
  }

  /** Sends one attempt of a delivery; fields that are not given are empty. */
  async deliver(connector: string, delivery: Readonly<Record<string, unknown>>): Promise<Response> {
    return await this.call(connector, '/v1/deliveries', {
      registrationId: REGISTRATION,
      connectorClass: 'chat',
      namespace: 'default',
      connectorName: 'chat',
      matchFields: {},
      attachments: [],
      labels: {},
      text: '',
      ...delivery,
    });
  }

  async call(connector: string, path: string, body: unknown): Promise<Response> {
    return await fetch(connector + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${API_KEY}`,
        'content-type': 'application/json',
        'svc-connector-protocol': 'v1',
      },
      body: JSON.stringify(body),
    });
  }

  /** A file as a delivery refers to it. */
  offer(filename: string, mediaType: string, bytes: Buffer): Readonly<Record<string, unknown>> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.uploads.set(sha256, bytes);
    return {
      key: sha256,
      mediaType,
      sizeBytes: String(bytes.length),
      sha256,
      filename,
      metadata: { download_url: `${this.url}/v1/objects/${sha256}` },
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await buffer(request);
    const send = (status: number, value: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (url.pathname.startsWith('/v1/objects/')) {
      response.writeHead(200).end(this.uploads.get(url.pathname.slice('/v1/objects/'.length)));
      return;
    }
    if (request.headers.authorization !== `Bearer ${this.#secret}`) {
      send(401, { error: { message: 'the callback secret is unknown' } });
      return;
    }
    const failure = url.pathname.endsWith('/status') ? this.#statusFailure() : this.failures.shift();
    if (failure !== undefined) {
      send(failure.status, { error: { message: 'the store is unavailable' } }, failure.headers);
      return;
    }
    send(200, this.#take(url, request, body));
  }

  #statusFailure(): (typeof this.failures)[number] | undefined {
    if (this.statusFailures === 0) return undefined;
    this.statusFailures -= 1;
    return { status: 503 };
  }

  #take(url: URL, request: IncomingMessage, body: Buffer): unknown {
    switch (url.pathname) {
      case '/v1/connectors/attachments': {
        const sha256 = createHash('sha256').update(body).digest('hex');
        this.uploads.set(sha256, body);
        const filename = url.searchParams.get('filename') ?? '';
        return {
          key: sha256,
          sha256,
          sizeBytes: String(body.length),
          mediaType: request.headers['content-type'],
          filename,
        };
      }
      case '/v1/connectors/status': {
        const report = JSON.parse(body.toString());
        this.statuses.push({ status: report.status, reason: report.reason ?? '' });
        return { accepted: true, disposition: 'accepted' };
      }
      default:
        return this.#ingest(JSON.parse(body.toString()));
    }
  }

  #ingest(event: ReceivedEvent): unknown {
    const question = this.questions.get(event.labels?.['svc.delivery'] ?? '');
    const outcome = this.#outcomeOf(event, question);
    this.outcomes.push(outcome);
    // What answers nothing is not kept: the same press may answer later.
    const isKept = outcome !== 'DUPLICATE' && (question === undefined || outcome === 'ACCEPTED');
    if (isKept) this.events.push(event);
    if (question !== undefined && isKept) question.isOpen = false;
    return { status: `CONNECTOR_MESSAGE_EVENT_STATUS_${outcome}`, reason: outcome.toLowerCase(), someLaterField: 1 };
  }

  #outcomeOf(event: ReceivedEvent, question: Question | undefined): string {
    if (this.events.some(({ eventId }) => eventId === event.eventId)) return 'DUPLICATE';
    const mayAnswer =
      question === undefined || (question.isOpen && question.approvers.includes(event.sender['externalId'] ?? ''));
    const isCreated =
      (event.eventKind ?? 'CONNECTOR_MESSAGE_EVENT_KIND_CREATED') === 'CONNECTOR_MESSAGE_EVENT_KIND_CREATED';
    return isCreated && mayAnswer ? 'ACCEPTED' : 'IGNORED';
  }
}
