import { create, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import type { Resource } from '@svc/api/resources';
import { BoundedCache } from '../base/index.ts';
import { type JsonMap, parseJsonMap } from './canonical-json.ts';
import type { KindRow } from './kinds.ts';
import type { ResourceRecord } from './record.ts';
import {
  genericMetadataOnly,
  genericResource,
  messageFromMap,
  metadataOf,
  metadataOnly,
  type ResourceParts,
  rawResource,
  rowOf,
  statusWithActivity,
} from './resource-codec.ts';
import {
  closedSeal,
  dropInternals,
  hasSensitiveFields,
  maskSpec,
  maskStatus,
  openMap,
  type SealedSection,
  type ValueSeal,
} from './sensitive/index.ts';

export interface ViewOptions {
  /** True for callers with `read_secrets`. */
  readonly secrets: boolean;
  /** Facts kept next to the record: JSON text of status fields, '' for none. */
  readonly activity?: string;
  readonly metadataOnly?: boolean;
  /** The view is not kept: the record was not committed, or no one will read it again soon. It is not frozen then. */
  readonly isTransient?: boolean;
  /** One of many that are read in passing: kept, and frozen, only when it was read shortly before. */
  readonly isPassing?: boolean;
}

interface CachedView {
  readonly version: number;
  readonly activity: string;
  readonly full: Message;
  /** Characters of the record it was made of. */
  readonly chars: number;
  generic?: Resource;
}

const ENTRIES = 4_000;
/** Most characters of the records behind kept views or specs: one may have a mebibyte. */
const CHARS = 16 * 1024 * 1024;
const VIEW_WEIGHT = { limit: CHARS, of: (view: CachedView): number => view.chars };

/**
 * Messages of stored resources as callers see them. They are frozen and shared: the same record gives the same object, so
 * that transport encodes it once. Cached by uid, version and activity.
 */
export class ResourceViews {
  readonly #open: BoundedCache<string, CachedView>;
  readonly #masked: BoundedCache<string, CachedView>;
  /** Versions of records that were read in passing. */
  readonly #passed: BoundedCache<string, number>;
  readonly #seal: Pick<ValueSeal, 'open'>;

  /** Values that `seal` cannot open are shown empty. */
  constructor(limit = ENTRIES, seal: Pick<ValueSeal, 'open'> = closedSeal) {
    this.#seal = seal;
    this.#open = new BoundedCache(limit, VIEW_WEIGHT);
    this.#masked = new BoundedCache(limit, VIEW_WEIGHT);
    this.#passed = new BoundedCache(limit);
  }

  /** The full resource of a built-in kind; `schema` must be the kind's own. */
  full<D extends DescMessage>(schema: D, record: ResourceRecord, options: ViewOptions): MessageShape<D> {
    const row = rowOf(record);
    if (row?.full !== schema) throw new Error(`${record.key.kind} is not a ${schema.typeName}`);
    if (options.metadataOnly === true) return metadataOnly(row, record) as MessageShape<D>;
    return this.#view(row, record, options).full as MessageShape<D>;
  }

  /** The generic form, for every kind. */
  generic(record: ResourceRecord, options: ViewOptions): Resource {
    if (options.metadataOnly === true) return genericMetadataOnly(record);
    const row = rowOf(record);
    if (row === undefined) return rawResource(record);
    const view = this.#view(row, record, options);
    if (view.generic !== undefined) return view.generic;
    const generic = genericResource(row, record.apiVersion, view.full as Message & ResourceParts);
    if (Object.isFrozen(view.full)) view.generic = deepFreeze(generic);
    return generic;
  }

  #view(row: KindRow, record: ResourceRecord, options: ViewOptions): CachedView {
    const activity = options.activity ?? '';
    const cache = options.secrets || !hasSensitiveFields(row.kind) ? this.#open : this.#masked;
    const isMasked = cache === this.#masked;
    const { version } = record;
    const chars = record.spec.length + record.status.length;
    const known = options.isTransient === true ? undefined : cache.get(record.uid);
    if (known !== undefined && known.version === version && known.activity === activity) return known;
    const full = build(row, record, { activity, isMasked, seal: this.#seal });
    const view: CachedView = { version, activity, full, chars };
    if (!this.#isKept(record, options)) return view;
    deepFreeze(full);
    cache.set(record.uid, view);
    return view;
  }

  /** A list of everything would drive out what is asked for again, and its views would grow old for nothing. */
  #isKept(record: ResourceRecord, options: ViewOptions): boolean {
    if (options.isTransient === true) return false;
    if (options.isPassing !== true || this.#passed.get(record.uid) === record.version) return true;
    this.#passed.set(record.uid, record.version);
    return false;
  }
}

interface Shown {
  readonly activity: string;
  readonly isMasked: boolean;
  readonly seal: Pick<ValueSeal, 'open'>;
}

const build = (row: KindRow, record: ResourceRecord, view: Shown): Message => {
  const { kind } = row;
  const spec = parseJsonMap(record.spec) ?? {};
  const stored = statusWithActivity(record.status, view.activity);
  if (!hasSensitiveFields(kind)) return fullMessage(row, record, { spec, status: stored });
  const status = dropInternals(kind, stored);
  const open = (section: SealedSection, map: JsonMap): JsonMap =>
    openMap({ kind, section, uid: record.uid }, map, { seal: view.seal, unopened: 'blank' });
  return fullMessage(row, record, {
    spec: view.isMasked ? maskSpec(kind, spec) : open('spec', spec),
    status: view.isMasked ? maskStatus(kind, status) : open('status', status),
  });
};

const fullMessage = (
  row: KindRow,
  record: ResourceRecord,
  parts: { readonly spec: JsonMap; readonly status: JsonMap },
): Message =>
  create(row.full, {
    metadata: metadataOf(record),
    spec: messageFromMap(row.spec, parts.spec),
    status: messageFromMap(row.status, parts.status),
  } as never);

/** Freezes a message with everything in it; bytes cannot be frozen and are left. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
};

/** Typed specs of records for code that acts on them: frozen, unmasked, cached by uid and text. */
export class SpecReader {
  readonly #specs: BoundedCache<string, { readonly text: string; readonly spec: Message }>;

  constructor(limit = ENTRIES) {
    this.#specs = new BoundedCache(limit, { limit: CHARS, of: ({ text }) => text.length });
  }

  read<D extends DescMessage>(schema: D, record: Pick<ResourceRecord, 'uid' | 'spec'>): MessageShape<D> {
    const known = this.#specs.get(record.uid);
    if (known !== undefined && known.text === record.spec) return known.spec as MessageShape<D>;
    const spec = deepFreeze(messageFromMap(schema, parseJsonMap(record.spec) ?? {}));
    this.#specs.set(record.uid, { text: record.spec, spec });
    return spec as MessageShape<D>;
  }
}
