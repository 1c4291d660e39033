import { fileURLToPath } from 'node:url';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import * as web from '@connectrpc/connect-web';
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { SessionMessagePartType } from '@svc/api/data';
import {
  type SessionMessagePartEvent,
  SessionMessagePartEventKind,
  SessionMessagePartEventSchema,
} from '@svc/api/events';
import { GatewayService, StreamSessionPartsRequestSchema } from '@svc/api/gateway';
import { RestCaller, readNdjson, readSse, type SessionEvent, type SessionKey } from '../../calls/index.ts';
import { readJsonArray, readWebText } from './incremental-bodies.ts';

/** What a reader sees, whatever carried it. */
export interface StreamedEvent {
  readonly sessionId: string;
  readonly messageId: string;
  readonly kind: string;
  readonly type: string;
  readonly content: string;
  readonly cursor: string;
}

/** Opens the stream of a session after a cursor; ends with its turn. */
export type OpenStream = (url: string, session: SessionKey, after: string) => AsyncIterable<StreamedEvent>;

const namespace = 'default';
const requestOf = ([agent, sessionId]: SessionKey, after: string) => ({
  ns: namespace,
  agent,
  sessionId,
  after,
  untilDone: true,
});
/** DONE and RESET carry an empty part or none. */
const short = (name: string): string => name.replace(/^SESSION_MESSAGE_PART_(EVENT_KIND|TYPE)_|UNSPECIFIED$/g, '');

const fromJson = (event: SessionEvent): StreamedEvent => ({
  sessionId: event.sessionId,
  messageId: event.messageId,
  kind: short(event.kind),
  type: short(event.part?.partType ?? ''),
  content: event.part?.content ?? '',
  cursor: event.cursor,
});
/** REST tells how a stream failed as its last element. */
const fromJsonEvent = (event: SessionEvent & { readonly error?: unknown }): StreamedEvent => {
  if (event.error !== undefined) throw new Error(`the stream ended: ${JSON.stringify(event.error)}`);
  return fromJson(event);
};
const fromMessage = (event: SessionMessagePartEvent): StreamedEvent => ({
  sessionId: event.sessionId,
  messageId: event.messageId,
  kind: SessionMessagePartEventKind[event.kind] ?? '',
  type: event.part === undefined ? '' : short(SessionMessagePartType[event.part.partType] ?? ''),
  content: event.part?.content ?? '',
  cursor: event.cursor,
});

const openRest = (url: string, session: SessionKey, given: { readonly after: string; readonly accept: string }) => {
  const rest = new RestCaller(url, { accept: given.accept });
  return rest.stream(session, `?untilDone=true&after=${encodeURIComponent(given.after)}`);
};

async function* ndjson(url: string, session: SessionKey, after: string): AsyncGenerator<StreamedEvent> {
  const answer = await openRest(url, session, { after, accept: 'application/x-ndjson' });
  for await (const event of readNdjson<SessionEvent>(answer)) yield fromJsonEvent(event);
}

async function* sse(url: string, session: SessionKey, after: string): AsyncGenerator<StreamedEvent> {
  const answer = await openRest(url, session, { after, accept: 'text/event-stream' });
  for await (const { id, event: name, data } of readSse(answer)) {
    if (name === 'error') throw new Error(`the stream ended: ${data}`);
    const event = JSON.parse(data) as SessionEvent;
    if (id !== event.cursor) throw new Error(`id ${id} is not the cursor ${event.cursor}`);
    yield fromJsonEvent(event);
  }
}

async function* jsonArray(url: string, session: SessionKey, after: string): AsyncGenerator<StreamedEvent> {
  const answer = await openRest(url, session, { after, accept: 'application/json' });
  for await (const event of readJsonArray<SessionEvent>(answer)) yield fromJsonEvent(event);
}

const throughTransport = (make: (url: string) => Transport): OpenStream =>
  async function* (url, session, after) {
    const client = createClient(GatewayService, make(url));
    for await (const event of client.streamSessionParts(requestOf(session, after))) yield fromMessage(event);
  };

const protos = [
  fileURLToPath(new URL('../../../proto', import.meta.url)),
  fileURLToPath(new URL('../../../node_modules/google-proto-files', import.meta.url)),
];

async function* grpcJs(url: string, session: SessionKey, after: string): AsyncGenerator<StreamedEvent> {
  const loaded = loadSync('svc/gateway/gateway_service.proto', {
    includeDirs: protos,
    keepCase: false,
    enums: String,
    longs: String,
    defaults: true,
  });
  const root = loadPackageDefinition(loaded) as unknown as {
    svc: { gateway: { GatewayService: ServiceClientConstructor } };
  };
  const client = new root.svc.gateway.GatewayService(url.replace('http://', ''), credentials.createInsecure());
  try {
    const call = client['streamSessionParts']!(requestOf(session, after)) as AsyncIterable<SessionEvent>;
    for await (const event of call) yield fromJsonEvent(event);
  } finally {
    client.close();
  }
}

async function* grpcWebText(url: string, [agent, sessionId]: SessionKey, after: string): AsyncGenerator<StreamedEvent> {
  const request = toBinary(StreamSessionPartsRequestSchema, {
    ...requestOf([agent, sessionId], after),
    turnId: '',
    $typeName: 'svc.gateway.StreamSessionPartsRequest',
  });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(request.length, 1);
  const answer = await fetch(`${url}/svc.gateway.GatewayService/StreamSessionParts`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web-text', accept: 'application/grpc-web-text' },
    body: Buffer.concat([head, request]).toString('base64'),
  });
  for await (const message of readWebText(answer))
    yield fromMessage(fromBinary(SessionMessagePartEventSchema, message));
}

/** Opens one stream of several sessions, each after its cursor; it stays open. */
export async function* openBatch(
  url: string,
  sessions: readonly SessionKey[],
  after: ReadonlyMap<string, string>,
): AsyncGenerator<StreamedEvent> {
  const answer = await new RestCaller(url).fetch('/v1/session-streams:batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      sessions: sessions.map(([agent, sessionId]) => ({ ns: namespace, agent, sessionId })),
      after: Object.fromEntries(sessions.map(([, id]) => [id, after.get(id) ?? ''])),
    }),
  });
  if (answer.status !== 200) throw new Error(`batch: ${answer.status} ${await answer.text()}`);
  for await (const event of readNdjson<SessionEvent>(answer)) yield fromJsonEvent(event);
}

/** A page of another port on this machine, as a browser would say. */
const fetchOfPage = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const headers = new Headers(init?.headers);
  headers.set('origin', 'http://localhost:5173');
  return fetch(input, { ...init, headers });
};

export const streamOpeners: readonly [name: string, open: OpenStream][] = [
  ['REST as NDJSON', ndjson],
  ['REST as SSE', sse],
  ['REST as a JSON array', jsonArray],
  ['gRPC by grpc-js and proto-loader', grpcJs],
  ['gRPC by connect-node', throughTransport((baseUrl) => createGrpcTransport({ baseUrl }))],
  ['gRPC-web by connect-node', throughTransport((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }))],
  [
    'Connect by connect-node, HTTP/2',
    throughTransport((baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' })),
  ],
  [
    'Connect JSON by connect-node, HTTP/1.1',
    throughTransport((baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false })),
  ],
  [
    'Connect by connect-web',
    throughTransport((baseUrl) => web.createConnectTransport({ baseUrl, fetch: fetchOfPage })),
  ],
  [
    'gRPC-web by connect-web',
    throughTransport((baseUrl) => web.createGrpcWebTransport({ baseUrl, fetch: fetchOfPage })),
  ],
  ['gRPC-web text by fetch', grpcWebText],
];
