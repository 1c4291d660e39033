import { create, type DescMessage } from '@bufbuild/protobuf';
import { decodePageToken, encodePageToken, pageSize } from '../base/index.ts';
import {
  fillPage,
  type KindRow,
  kindRow,
  parseLabelSelector,
  recordKey,
  resourceNotFound,
} from '../resources/index.ts';
import type { ResourceKey, Store, StoredResource } from '../store/contracts/index.ts';
import type { ResourceWriter, WriteInput, WriteOrigin } from './contract.ts';
import {
  desiredOf,
  type KindFacade,
  type ListQuery,
  type RecordAddress,
  type RecordPage,
  requireNamespace,
  type WholeResource,
} from './facade-contract.ts';

export interface KindFacadeDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'direct'>;
  readonly writer: Pick<ResourceWriter, 'put' | 'remove'>;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
}

/** Upsert, read, delete and list of one kind, over the write pipeline and the store. */
export class StoredKindFacade implements KindFacade {
  readonly #deps: KindFacadeDeps;
  readonly #row: KindRow;

  constructor(kind: string, deps: KindFacadeDeps) {
    this.#deps = deps;
    this.#row = kindRow(kind);
  }

  async upsert(origin: WriteOrigin, key: ResourceKey, resource: WholeResource): Promise<StoredResource> {
    const input = writeInput(this.#row.spec, key, resource);
    const written = await this.#deps.store.write((tx) => this.#deps.writer.put(tx, origin, input));
    return written.resource;
  }

  async read(address: RecordAddress): Promise<StoredResource> {
    const { direct } = this.#deps.store;
    const record = await direct.resources.get(address.key);
    if (record !== undefined && address.keep?.(record) !== false) return record;
    await requireNamespace(direct, address.key.namespace);
    throw resourceNotFound(address.key);
  }

  async remove(origin: WriteOrigin, address: RecordAddress): Promise<void> {
    const { key, keep } = address;
    await this.#deps.store.write(async (tx) => {
      const record = await tx.resources.get(key);
      if (record === undefined || keep?.(record) === false) {
        await requireNamespace(tx, key.namespace);
        throw resourceNotFound(key);
      }
      await this.#deps.writer.remove(tx, origin, { key });
    });
  }

  async list(question: ListQuery): Promise<RecordPage> {
    const { namespace, labelSelector, metadataOnly, keep } = question;
    const { kind } = this.#row;
    const size = pageSize(question.pageSize, metadataOnly);
    const labels = parseLabelSelector(labelSelector);
    const asked = [kind, namespace, labelSelector, metadataOnly];
    const [place] = decodePageToken(question.pageToken, asked) ?? [];
    const page = await this.#deps.store.read(async (tx) => {
      await requireNamespace(tx, namespace);
      return fillPage<StoredResource>({
        size,
        bytes: this.#deps.responseBytes,
        metadataOnly,
        after: place === undefined ? undefined : recordKey(kind, namespace, place),
        ...(keep === undefined ? {} : { keep }),
        read: (after, limit) =>
          tx.resources.list({
            kind,
            scope: { type: 'namespace', namespace },
            labels,
            limit,
            ...(after === undefined ? {} : { after }),
          }),
      });
    });
    return {
      records: page.rows,
      nextPageToken: page.next === undefined ? '' : encodePageToken(asked, [page.next.name]),
    };
  }
}

const writeInput = (schema: DescMessage, key: ResourceKey, { metadata, spec, sent }: WholeResource): WriteInput => {
  const wanted = { key, spec: spec ?? create(schema) };
  if (metadata === undefined) return wanted;
  return { ...desiredOf({ metadata, spec: wanted.spec, sent }), key, resourceVersion: metadata.resourceVersion };
};
