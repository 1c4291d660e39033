import { createHash } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type CreateFileRequestSchema,
  type FileResponse,
  FileService,
  type PrepareUploadRequestSchema,
  type PrepareUploadResponse,
  type ReadFileResponse,
} from '@svc/api/gateway';
import type { FileSpecSchema } from '@svc/api/resources';
import { Fault, silentLog } from '../../../../base/index.ts';
import { QueueRunner, ReconcileLoop } from '../../../../controllers/index.ts';
import type { HttpExchange, HttpRoute, Operation } from '../../../../operations/index.ts';
import { ADMIN, callContext, openResourceWorld } from '../../../testing/index.ts';
import { chunkDocument, indexWords } from '../../knowledge/index.ts';
import { KnowledgeLibrary } from '../../knowledge/knowledge-library.ts';
import { artifactsFeature } from '../artifacts/index.ts';
import { fileContract } from '../file-kind.ts';
import { filesFeature } from '../file-operations.ts';
import { FileWorker, fileController } from '../file-worker.ts';
import { StoredObjects } from '../index.ts';
import { memoryOperations } from '../memory/index.ts';
import { ObjectCollector, ObjectLinks } from '../objects/index.ts';
import { PdfTexts } from '../pdf/index.ts';
import { UploadSignatures } from '../transfers/index.ts';
import { type OpenObjects, openLocalObjects } from './world-objects.ts';

const { method } = FileService;
/** What a client sends at a time. */
const PIECE_BYTES = 64 * 1024;
export const DAY_MS = 86_400_000;
const FORM = { chunks: chunkDocument, words: indexWords };
const LIMITS = {
  ...{ namespaceBytes: 0, ephemeralMicros: 2 * DAY_MS * 1_000, inlineBytes: 64 * 1024, objectBytes: 300_000 },
  responseBytes: 1 << 20,
};

const openParts = async (limits: Partial<typeof LIMITS>, open: OpenObjects) => {
  const all = { ...LIMITS, ...limits };
  const world = await openResourceWorld({ contracts: () => [fileContract(all)] });
  const { store, writer, views, clock, random, ids, feed, bus, authorizer } = world;
  const { blobs, direct, damage, close: closeObjects } = open(world);
  const objects = new StoredObjects({ store, blobs, clock });
  const links = new ObjectLinks({ key: { bytes: new Uint8Array(32) }, clock, blobs });
  const signatures = new UploadSignatures({ bytes: new Uint8Array(32).fill(7) });
  const deps = {
    store,
    clock,
    writer,
    views,
    blobs,
    objects,
    direct,
    links,
    signatures,
    ids,
    form: FORM,
    pdf: new PdfTexts({ clock, log: silentLog }),
    baseUrl: () => 'http://here',
    limits: all,
  };
  const feature = filesFeature({ ...deps, authorizer });
  const sessions = artifactsFeature(
    { ...deps, authorizer, audit: world.audit, namespaces: world.directory },
    feature.writes,
  );
  (world.operations as Operation[]).push(
    ...feature.operations,
    ...memoryOperations({ ...deps, reads: feature.reads, audit: world.audit }),
    ...sessions.operations,
  );
  const routes = [...feature.routes, ...sessions.routes];
  const runner = new QueueRunner({
    ...{ store, bus, clock, random, log: silentLog, pollMs: 5_000 },
    workers: [new FileWorker(deps)],
  });
  const loop = new ReconcileLoop(fileController(deps), { store, feed, clock, random, log: silentLog });
  loop.start();
  const collector = new ObjectCollector({ store, blobs });
  return {
    ...world,
    ...{ blobs, direct, damage, closeObjects },
    objects,
    feature,
    routes,
    artifacts: sessions.artifacts,
    links,
    files: runner,
    loop,
    collector,
  };
};

export type FileWorld = Awaited<ReturnType<typeof openFileWorld>>;

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** What a route answers: status, headers and the bytes that went out. */
export const visit = async (
  route: HttpRoute,
  params: Record<string, string>,
  asked: { readonly query?: string; readonly headers?: Record<string, string>; readonly body?: Uint8Array } = {},
) => {
  const sent = { status: 0, headers: {} as Readonly<Record<string, string>>, body: Buffer.alloc(0), isEnded: false };
  const exchange: HttpExchange = {
    method: route.method,
    path: '',
    query: new URLSearchParams(asked.query ?? ''),
    header: (name) => asked.headers?.[name],
    body: async (limit) => {
      const body = asked.body ?? new Uint8Array(0);
      if (body.length > limit.bytes) throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', 'too large');
      return body;
    },
    pieces: async function* (limit) {
      const body = asked.body ?? new Uint8Array(0);
      for (let at = 0; at < body.length; at += PIECE_BYTES) {
        if (at > limit.bytes) throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', 'too large');
        yield body.subarray(at, at + PIECE_BYTES);
      }
      if (body.length > limit.bytes) throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', 'too large');
    },
    answer: (status, headers, body = '') =>
      void Object.assign(sent, { status, headers, body: Buffer.from(body as string), isEnded: true }),
    stream: (status, headers) => {
      Object.assign(sent, { status, headers });
      return {
        write: (chunk) => {
          sent.body = Buffer.concat([sent.body, Buffer.from(chunk as Uint8Array)]);
          return true;
        },
        onDrained: () => undefined,
        end: () => {
          sent.isEnded = true;
        },
        writable: true,
      };
    },
  };
  const failure = await route.handle(exchange, params, callContext('', ADMIN)).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { ...sent, failure };
};

type Spec = MessageInitShape<typeof FileSpecSchema>;
type Parts = Awaited<ReturnType<typeof openParts>>;

const helpersOf = (world: Parts) => {
  const made = (
    path: string,
    content = 'hello',
    { ns = 'default', ...spec }: Spec & { ns?: string } = {},
  ): Promise<FileResponse> =>
    world.call(method.createFile, {
      ns,
      file: { spec: { path, mediaType: 'text/plain', ...spec } },
      content: text(content),
    } as MessageInitShape<typeof CreateFileRequestSchema>);
  const readFile = (name: string, content = 0, ns = 'default'): Promise<ReadFileResponse> =>
    world.call(method.readFile, { ns, name, content });
  const conditions = ({ file }: FileResponse | ReadFileResponse): readonly string[] =>
    (file?.status?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  const prepare = (path: string, bytes: Uint8Array, extra: object = {}): Promise<PrepareUploadResponse> =>
    world.call(method.prepareUpload, {
      ns: 'default',
      file: { spec: { path } },
      sizeBytes: BigInt(bytes.length),
      sha256: sha256(bytes),
      ...extra,
    } as MessageInitShape<typeof PrepareUploadRequestSchema>);
  const route = (kind: string): HttpRoute => {
    const found = world.routes.find((each) => each.method === kind);
    if (found === undefined) throw new Error(`no route ${kind}`);
    return found;
  };
  /** Through the gateway, or where the link leads. */
  const put = async (
    prepared: PrepareUploadResponse,
    body: Uint8Array,
    query = new URL(prepared.url).search,
  ): Promise<{ readonly status: number; readonly failure?: unknown }> => {
    if (world.direct === undefined) return visit(route('PUT'), { upload_id: prepared.uploadId }, { query, body });
    const { url, headers } = prepared;
    return fetch(url, { method: prepared.method, headers, body: new Uint8Array(body) });
  };
  const complete = (prepared: PrepareUploadResponse, name = prepared.file?.metadata?.name): Promise<FileResponse> =>
    world.call(method.completeUpload, { ns: 'default', name: name ?? '', uploadId: prepared.uploadId });
  const download = (name: string, headers: Record<string, string> = {}) =>
    visit(route('GET'), { ns: 'default', name }, { headers });
  const nameOf = (response: { readonly file?: FileResponse['file'] }): string => response.file?.metadata?.name ?? '';
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      // A database on a network answers after some turns of the event loop, so no notification is waited for.
      await world.feed.tick();
      await world.loop.tick();
      await world.files.tick();
    }
  };
  const search = async (query: string, ns = 'default'): Promise<readonly string[]> => {
    const library = new KnowledgeLibrary({ visibleNamespaces: async () => [ns] });
    const found = await world.store.read((tx) => library.search(tx, ns, { query, limit: 10 }));
    return found.map(({ path }) => path);
  };

  return { route, made, readFile, conditions, prepare, put, complete, download, nameOf, settle, search };
};

/** Files and artifacts around a real store and real bytes, with a clock that tests move. */
export const openFileWorld = async (limits: Partial<typeof LIMITS> = {}, open: OpenObjects = openLocalObjects) => {
  const world = await openParts(limits, open);
  const shut = async (): Promise<void> => {
    world.loop.close();
    world.files.close();
    world.closeObjects();
    await world.close();
  };
  return { ...world, ...helpersOf(world), shut };
};
