import type { SessionMessagePart } from '@svc/api/data';
import { decodingDataUrl, Fault, type FieldViolation, inTurns, invalidFields } from '../../../../base/index.ts';
import type { ObjectAccess, ObjectData } from '../../../../runtime/contract.ts';
import { type Store, sessionHolder, type WriteTx } from '../../../../store/contracts/index.ts';
import type { UrlFetcher } from '../sessions-deps.ts';
import { ATTACHMENT_BYTES, isMedia, urlOf } from './part-rules.ts';

export interface InboundRequest {
  readonly namespace: string;
  readonly parts: readonly SessionMessagePart[];
  /** Path of the list in the request, for field faults. */
  readonly field: string;
  readonly signal: AbortSignal;
  readonly contents?: InboundContents;
}

/** Bytes that came with the request, by the sha256 by which its parts name them. */
export type InboundContents = ReadonlyMap<string, Uint8Array>;

interface InboundDeps {
  readonly objects: ObjectAccess;
  readonly fetcher: UrlFetcher;
  readonly store: Pick<Store, 'direct'>;
}

/** Objects of parts by index; `stored` ones were put into the namespace by this very call. */
export type InboundObjects = ReadonlyMap<number, ObjectData>;

/**
 * Makes every media part an object of the namespace before the transaction: given objects are looked up, their size
 * and hash computed; data: urls are stored; https urls are fetched once. All faults are thrown together.
 */
export const settleObjects = async (request: InboundRequest, deps: InboundDeps): Promise<InboundObjects> => {
  const settled = new Map<number, ObjectData>();
  const violations: FieldViolation[] = [];
  for (const [index, part] of request.parts.entries()) {
    if (!isMedia(part.partType)) continue;
    const result = await settleObject(request, part, deps);
    if (typeof result !== 'string') settled.set(index, result);
    else violations.push({ field: `${request.field}[${index}]`, description: result, reason: 'FIELD_INVALID' });
  }
  if (violations.length > 0) throw invalidFields(violations);
  return settled;
};

/** The object, or what is wrong. */
const settleObject = async (
  request: InboundRequest,
  part: SessionMessagePart,
  deps: InboundDeps,
): Promise<ObjectData | string> => {
  const { namespace, contents } = request;
  const { object } = part;
  const bytes = object === undefined ? undefined : contents?.get(object.sha256);
  if (object !== undefined && bytes === undefined) return await knownObject(namespace, object, deps);
  const sent = object === undefined || bytes === undefined ? undefined : { bytes, mediaType: object.mediaType };
  const found = sent ?? (await foundByUrl(request, urlOf(part), deps));
  if (found === undefined) return 'url is not a valid data: url';
  if (typeof found === 'string') return found;
  if (found.bytes.length > ATTACHMENT_BYTES) return `larger than ${ATTACHMENT_BYTES} bytes`;
  return await deps.objects.store(namespace, found.bytes, { mediaType: found.mediaType, filename: part.name });
};

const foundByUrl = (request: InboundRequest, url: string, deps: InboundDeps): ReturnType<typeof fetched> =>
  url.startsWith('data:') ? inTurns(decodingDataUrl(url), 1) : fetched(request, url, deps);

/** The bytes behind an https url, or why they could not be read; all faults of a request come in one answer. */
const fetched = async (
  { namespace, signal }: InboundRequest,
  url: string,
  { fetcher }: InboundDeps,
): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | string | undefined> => {
  try {
    return await fetcher.fetch(namespace, url, { limitBytes: ATTACHMENT_BYTES, signal });
  } catch (error) {
    if (error instanceof Fault && error.code === 'INVALID_ARGUMENT') return error.message;
    throw error;
  }
};

/** An object that something in this namespace holds, found by its hash: neither a key nor a hash opens another namespace. */
const knownObject = async (
  namespace: string,
  given: NonNullable<SessionMessagePart['object']>,
  { objects, store }: InboundDeps,
): Promise<ObjectData | string> => {
  const sha256 = given.sha256.toLowerCase();
  const { key, filename } = given;
  const mediaType = given.mediaType === '' ? 'application/octet-stream' : given.mediaType;
  const asked: ObjectData = { key, mediaType, sizeBytes: Number(given.sizeBytes), sha256, filename };
  const isHeld = await store.direct.objects.hasReference(namespace, sha256);
  const sizeBytes = isHeld ? await objects.size(namespace, asked) : undefined;
  if (sizeBytes !== undefined && sizeBytes > ATTACHMENT_BYTES) return `larger than ${ATTACHMENT_BYTES} bytes`;
  const bytes = sizeBytes === undefined ? undefined : await objects.read(namespace, asked);
  if (bytes === undefined) return 'no object of this namespace has this sha256';
  return await objects.store(namespace, bytes, { mediaType, filename });
};

/** Keeps the objects alive with the message that names them. */
export const holdObjects = async (
  tx: WriteTx,
  hold: { readonly namespace: string; readonly holder: string; readonly objects: InboundObjects },
  access: ObjectAccess,
): Promise<void> => {
  for (const object of hold.objects.values()) await access.hold(tx, hold.namespace, object, hold.holder);
};

/** Holder of a message's objects: below its session's, so that they go with the session too. */
export const messageHolder = (sessionId: string, messageId: string): string =>
  `${sessionHolder(sessionId)}/${messageId}`;
