import { ContentMode } from '@svc/api/gateway';
import { FilePurpose, FileRetention } from '@svc/api/resources';
import type { Authorizer } from '../../../auth/contract.ts';
import { decodePageToken, encodePageToken, invalidField, pageSize } from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import { type HttpRoute, viewer } from '../../../operations/index.ts';
import { fillPage, parseLabelSelector, recordKey, resourceNotFound } from '../../../resources/index.ts';
import type { ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { isLost, markDamaged, objectLost } from './file-damage.ts';
import { fileSpec, type ObjectFacts, objectOf } from './file-facts.ts';
import { armUnused } from './file-kind.ts';
import { isBelow } from './file-rules.ts';
import { fileKey } from './file-writes.ts';
import type { FilesDeps } from './files-deps.ts';
import { objectKey, sendObject } from './objects/index.ts';
import { tooLarge } from './upload-faults.ts';

/** Bytes or a link, as the caller wants them. */
interface ShownContent {
  readonly content: Uint8Array;
  /** '' without a link. */
  readonly downloadUrl: string;
  /** Micros; 0 without a link. */
  readonly expiresAt: number;
}

const NOTHING: ShownContent = { content: new Uint8Array(0), downloadUrl: '', expiresAt: 0 };

interface FileQuestion {
  readonly namespace: string;
  readonly pathPrefix: string;
  readonly purpose: FilePurpose;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly labelSelector: string;
  readonly metadataOnly: boolean;
}

/** A caller who may read a file may read its bytes. */
export const READ_FILE = viewer('fields');

/** Reads of files and of the bytes behind them. */
export class FileReads {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** Throws NAMESPACE_NOT_FOUND, FILE_NOT_FOUND. */
  async find(key: ResourceKey): Promise<StoredResource> {
    const { direct } = this.#deps.store;
    const record = await direct.resources.get(key);
    if (record !== undefined) return record;
    await requireNamespace(direct, key.namespace);
    throw resourceNotFound(key);
  }

  /** Counts as a use. Throws TOO_LARGE for INLINE over the limit, DATA_LOSS OBJECT_DAMAGED after marking the file. */
  async content(record: StoredResource, mode: ContentMode): Promise<ShownContent> {
    const object = objectOf(record.annotations);
    if (object === undefined || mode === ContentMode.NONE) return NOTHING;
    await this.#used(record);
    const shown = { ...object, mediaType: fileSpec(record).mediaType };
    return this.guarded(record.key, object, () =>
      showObject(this.#deps, { ...shown, namespace: record.key.namespace }, mode),
    );
  }

  /** Whole bytes of a file for tools; undefined for one without content. Throws as `content`. */
  async bytes(record: StoredResource): Promise<Uint8Array | undefined> {
    const object = objectOf(record.annotations);
    if (object === undefined) return undefined;
    await this.#used(record);
    return this.guarded(record.key, object, () => this.#deps.blobs.read(object.sha256));
  }

  /** Runs a read of the bytes; when they turn out to be lost the file says so from then on. */
  async guarded<T>(key: ResourceKey, object: ObjectFacts, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await markDamaged(this.#deps, key, { error, sha256: object.sha256 });
      throw isLost(error) ? objectLost(error) : error;
    }
  }

  /** One page by name. Throws NAMESPACE_NOT_FOUND, PAGE_TOKEN_INVALID, FIELD_INVALID. */
  async list(
    question: FileQuestion,
  ): Promise<{ readonly records: readonly StoredResource[]; readonly nextPageToken: string }> {
    const { namespace, pathPrefix, purpose, labelSelector, metadataOnly } = question;
    if (FilePurpose[purpose] === undefined) throw invalidField('purpose', 'is not one of the values');
    const asked = [namespace, pathPrefix, purpose, labelSelector, metadataOnly];
    const [place] = decodePageToken(question.pageToken, asked) ?? [];
    const labels = parseLabelSelector(labelSelector);
    const size = pageSize(question.pageSize, metadataOnly);
    const scope = { type: 'namespace', namespace } as const;
    const page = await this.#deps.store.read(async (tx) => {
      await requireNamespace(tx, namespace);
      return fillPage<StoredResource>({
        size,
        bytes: this.#deps.limits.responseBytes,
        metadataOnly,
        after: place === undefined ? undefined : recordKey('File', namespace, place),
        keep: (record) => isAsked(record, question),
        read: (after, limit) =>
          tx.resources.list({ kind: 'File', scope, labels, limit, ...(after === undefined ? {} : { after }) }),
      });
    });
    const nextPageToken = page.next === undefined ? '' : encodePageToken(asked, [page.next.name]);
    return { records: page.rows, nextPageToken };
  }

  /** Raw bytes with `Range`. */
  route(authorizer: Authorizer): HttpRoute {
    return {
      method: 'GET',
      pattern: '/v1/ns/{ns}/files/{name}/content',
      authenticated: true,
      handle: async (exchange, params, context) => {
        const { ns = '', name = '' } = params;
        authorizer.authorize(READ_FILE, { ns, name }, context.caller);
        const record = await this.find(fileKey(ns, name));
        const object = objectOf(record.annotations);
        if (object === undefined) return exchange.answer(204, {});
        await this.#used(record);
        const sent = { ...object, mediaType: fileSpec(record).mediaType, signal: context.signal };
        await this.guarded(record.key, object, () => sendObject(this.#deps.blobs, exchange, sent));
      },
    };
  }

  /** The lifetime of an EPHEMERAL file restarts. */
  async #used(record: StoredResource): Promise<void> {
    if (fileSpec(record).retention !== FileRetention.EPHEMERAL) return;
    await this.#deps.store.write((tx) => armUnused(this.#deps.limits, tx, record));
  }
}

/** Bytes or a link of an object, as `mode` says. Throws TOO_LARGE for INLINE over the limit. */
export const showObject = async (
  deps: Pick<FilesDeps, 'blobs' | 'links' | 'limits' | 'baseUrl'>,
  object: {
    readonly namespace: string;
    readonly sha256: string;
    readonly sizeBytes: number;
    readonly mediaType: string;
    readonly filename: string;
  },
  mode: ContentMode,
): Promise<ShownContent> => {
  const { inlineBytes } = deps.limits;
  if (mode === ContentMode.NONE) return NOTHING;
  const isInline = mode === ContentMode.INLINE || (mode === ContentMode.UNSPECIFIED && object.sizeBytes <= inlineBytes);
  if (!isInline) {
    const { path, expiresAt } = deps.links.grant({ ...object, key: objectKey(object.namespace, object.sha256) });
    return { content: new Uint8Array(0), downloadUrl: `${deps.baseUrl()}${path}`, expiresAt };
  }
  if (object.sizeBytes > inlineBytes) throw tooLarge('the content', inlineBytes);
  return { ...NOTHING, content: await deps.blobs.read(object.sha256) };
};

/** INVALID_ARGUMENT for a number that is not one of the values. */
export const checkMode = (mode: ContentMode): void => {
  if (ContentMode[mode] === undefined) throw invalidField('content', 'is not one of the values');
};

const isAsked = (record: StoredResource, { pathPrefix, purpose }: FileQuestion): boolean => {
  if (pathPrefix === '' && purpose === FilePurpose.UNSPECIFIED) return true;
  const spec = fileSpec(record);
  return isBelow(spec.path, pathPrefix) && (purpose === FilePurpose.UNSPECIFIED || spec.purpose === purpose);
};
