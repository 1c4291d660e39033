import { createHash, timingSafeEqual } from 'node:crypto';
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf';
import {
  ConnectorActivityRequestSchema,
  ConnectorDeliveryRequestSchema,
  RegisterClusterRequestSchema,
} from '@svc/api/external';
import { BadRequest } from './bad-request.ts';
import { Callbacks } from './callbacks.ts';
import { type ConnectorHost, type ConnectorLog, NotTaken, type Platform } from './contract.ts';
import { Deliveries, type DeliveryResult } from './deliveries.ts';
import { Ingest } from './ingest.ts';
import { Registrations } from './registrations.ts';
import { StatusReports } from './status-reports.ts';

export interface ConnectorServiceOptions {
  /** The key that svc has to show: `auth.api_key` of the ConnectorClass. */
  readonly apiKey: string;
  /** Makes the platform of what the kit offers it. */
  readonly connect: (host: ConnectorHost) => Platform;
  readonly log: ConnectorLog;
  readonly fetch?: typeof globalThis.fetch;
}

/** Where the platform sends its webhooks; anything below it belongs to the platform as well. */
export const WEBHOOK_PATH = '/webhook';

/**
 * A connector service: svc on one side, a platform on the other. It keeps nothing on disk. What it has acknowledged to the platform is
 * in svc; what it has not, the platform sends again.
 */
export class ConnectorService {
  readonly #options: ConnectorServiceOptions;
  readonly #registrations = new Registrations();
  readonly #platform: Platform;
  readonly #deliveries: Deliveries;
  readonly #statusReports: StatusReports;

  /** Throws for an empty API key, with which anyone could write to the platform. */
  constructor(options: ConnectorServiceOptions) {
    const { log, fetch = globalThis.fetch } = options;
    if (options.apiKey.trim() === '')
      throw new Error('apiKey is empty: it has to be auth.api_key of the ConnectorClass');
    this.#options = options;
    const callbacks = new Callbacks({ fetch, onRefused: (registration) => this.#registrations.drop(registration) });
    const links = { registrations: this.#registrations, callbacks, log };
    const ingest = new Ingest(links);
    this.#statusReports = new StatusReports(links);
    this.#platform = options.connect({
      ingest: (event) => ingest.send(event),
      reportStatus: (status, reason) => this.#statusReports.report(status, reason),
      log,
    });
    this.#deliveries = new Deliveries({ platform: this.#platform, fetch, log });
  }

  /** Signs in to the platform. A failure is reported to svc as degraded and thrown. */
  async start(): Promise<void> {
    try {
      await this.#platform.start?.();
      this.#statusReports.report('connected', '');
    } catch (error) {
      this.#statusReports.report('degraded', 'the platform could not be reached at the start');
      throw error;
    }
  }

  /** Ends the connection to the platform and waits for reports that are on their way. */
  async stop(): Promise<void> {
    await this.#platform.stop?.();
    await this.#statusReports.settle();
  }

  /** Answers one HTTP request; never throws. */
  async handle(request: Request): Promise<Response> {
    try {
      return await this.#route(request);
    } catch (error) {
      return this.#answerError(error);
    }
  }

  #answerError(error: unknown): Response {
    if (error instanceof BadRequest) return Response.json({ error: error.message }, { status: error.status });
    this.#options.log.error('request failed', { error });
    const retryAfter = error instanceof NotTaken ? error.retryAfterSeconds : undefined;
    return Response.json({ error: 'not taken; send it again' }, { status: 503, headers: retryAfterHeader(retryAfter) });
  }

  async #route(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/healthz') return new Response('ok\n');
    if (pathname === WEBHOOK_PATH || pathname.startsWith(`${WEBHOOK_PATH}/`)) {
      const answer = await this.#platform.receive?.(request);
      if (answer === undefined) throw new BadRequest(404, 'this platform has no webhook');
      return answer;
    }
    const call = this.#calls[pathname];
    if (call === undefined) throw new BadRequest(404, `there is nothing at ${pathname}`);
    if (request.method !== 'POST') throw new BadRequest(405, `${pathname} takes POST`);
    this.#checkKey(request);
    return call(await readJson(request));
  }

  readonly #calls: Readonly<Record<string, (body: JsonValue) => Response | Promise<Response>>> = {
    '/v1/clusters/register': (body) => this.#register(body),
    '/v1/deliveries': (body) => this.#deliver(body),
    '/v1/activities': (body) => this.#showActivity(body),
  };

  #checkKey(request: Request): void {
    const shown = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    if (!isSame(shown, this.#options.apiKey)) throw new BadRequest(401, 'the API key is missing or wrong');
    const protocol = request.headers.get('svc-connector-protocol');
    if (protocol !== null && protocol !== 'v1') throw new BadRequest(400, `protocol ${protocol} is not known here`);
  }

  #register(body: JsonValue): Response {
    const registration = this.#registrations.add(decode(RegisterClusterRequestSchema, body));
    this.#options.log.info('registered', { registration: registration.id, cluster: registration.clusterId });
    this.#statusReports.repeat();
    return Response.json({ registrationId: registration.id });
  }

  async #deliver(body: JsonValue): Promise<Response> {
    const request = decode(ConnectorDeliveryRequestSchema, body);
    if (request.deliveryId === '') throw new BadRequest(400, 'deliveryId is missing');
    if (request.externalConversationId === '') throw new BadRequest(400, 'externalConversationId is missing');
    if (this.#registrations.get(request.registrationId) === undefined) return unregistered();
    const result = await this.#deliveries.deliver(request);
    if (result.disposition === 'retry' && result.isCredentialRefused)
      this.#statusReports.report('revoked', 'the platform refuses the credential');
    else if (result.disposition === 'accepted') this.#statusReports.report('connected', '');
    return answerTo(result);
  }

  async #showActivity(body: JsonValue): Promise<Response> {
    const activity = decode(ConnectorActivityRequestSchema, body);
    if (this.#platform.showTyping === undefined)
      throw new BadRequest(501, 'this platform cannot show that somebody is typing');
    if (activity.phase !== 'stop') {
      await this.#platform.showTyping({
        conversation: activity.externalConversationId,
        thread: activity.externalThreadId,
        replyTo: undefined,
        matchFields: activity.matchFields,
      });
    }
    return Response.json({});
  }
}

/** Compares hashes, so that the time says nothing about the key, not even its length. */
function isSame(shown: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(shown), hash(expected));
}

async function readJson(request: Request): Promise<JsonValue> {
  try {
    return (await request.json()) as JsonValue;
  } catch (cause) {
    throw new BadRequest(400, 'the body is not JSON', { cause });
  }
}

function decode<Desc extends DescMessage>(schema: Desc, body: JsonValue): MessageShape<Desc> {
  try {
    return fromJson(schema, body, { ignoreUnknownFields: true });
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : 'wrong shape';
    throw new BadRequest(400, `the body is not a ${schema.name}: ${text}`, { cause });
  }
}

const unregistered = (): Response =>
  Response.json(
    { accepted: false, disposition: 'unregistered', error: 'this registration is not known here' },
    { status: 409 },
  );

function answerTo(result: DeliveryResult): Response {
  switch (result.disposition) {
    case 'accepted':
    case 'duplicate':
      return Response.json({ accepted: true, disposition: result.disposition });
    case 'rejected':
      return Response.json({ accepted: false, disposition: 'rejected', error: result.error });
    case 'retry':
      return Response.json(
        { accepted: false, error: result.error },
        {
          status: result.retryAfterSeconds === undefined ? 503 : 429,
          headers: retryAfterHeader(result.retryAfterSeconds),
        },
      );
  }
}

const retryAfterHeader = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(Math.ceil(seconds)) };
