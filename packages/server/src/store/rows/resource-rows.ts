import { Fault, withoutHalfCharacters } from '../../base/index.ts';
import type {
  ResourceChange,
  ResourceDraft,
  ResourceKey,
  ResourceSection,
  StoredOwner,
  StoredResource,
} from '../contracts/index.ts';
import { listJson, parseList, parseTextMap, textMapJson } from './row-json.ts';

/** Columns of `resources` and `changes` as the engines hand them out. */
export interface ResourceSqlRow {
  readonly kind: string;
  readonly namespace: string;
  readonly parent: string;
  readonly name: string;
  readonly api_version: string;
  readonly uid: string;
  readonly generation: number;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deletion_at: number;
  readonly labels: string;
  readonly annotations: string;
  readonly owners: string;
  readonly finalizers: string;
  readonly spec: string;
  readonly status: string;
}

export interface ChangeSqlRow extends ResourceSqlRow {
  readonly change: string;
  readonly sections: string;
}

/** Columns shared by both tables, in one order for reading and for copying a row into the change log. */
export const RESOURCE_COLUMNS =
  'kind, namespace, parent, name, api_version, uid, generation, version, created_at, updated_at, deletion_at, ' +
  'labels, annotations, owners, finalizers, spec, status';

/** The resource that a row stores. */
export const toResource = (row: ResourceSqlRow): StoredResource => {
  const resource = {
    key: { kind: row.kind, namespace: row.namespace, parent: row.parent, name: row.name },
    apiVersion: row.api_version,
    uid: row.uid,
    generation: row.generation,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    labels: parseTextMap(row.labels),
    annotations: parseTextMap(row.annotations),
    owners: parseList<StoredOwner>(row.owners),
    finalizers: parseList<string>(row.finalizers),
    spec: withoutHalfCharacters(row.spec),
    status: withoutHalfCharacters(row.status),
  };
  return row.deletion_at === 0 ? resource : { ...resource, deletionTimestamp: row.deletion_at };
};

/** A draft together with the version and time its write got. */
export const toStored = (draft: ResourceDraft, version: number, updatedAt: number): StoredResource => ({
  ...draft,
  version,
  updatedAt,
});

/** The four JSON columns of a draft, encoded once per write. */
export interface EncodedDraft {
  readonly labels: string;
  readonly annotations: string;
  readonly owners: string;
  readonly finalizers: string;
}

/** What of a draft is stored as JSON text. */
export const encodeDraft = (draft: ResourceDraft): EncodedDraft => ({
  labels: textMapJson(draft.labels),
  annotations: textMapJson(draft.annotations),
  owners: listJson(draft.owners),
  finalizers: listJson(draft.finalizers),
});

/** What a resource has in the columns from `deletion_at` on, in the order of RESOURCE_COLUMNS. */
export const lastValues = (draft: ResourceDraft, json: EncodedDraft): readonly (string | number)[] => [
  draft.deletionTimestamp ?? 0,
  json.labels,
  json.annotations,
  json.owners,
  json.finalizers,
  draft.spec,
  draft.status,
];

/** Sections are stored comma-joined. */
export const joinSections = (sections: readonly ResourceSection[]): string => sections.join(',');

const splitSections = (text: string): readonly ResourceSection[] =>
  text === '' ? [] : (text.split(',') as ResourceSection[]);

/** Names of a key for a fault, without the empty ones. */
const keyNames = (key: ResourceKey): Readonly<Record<string, string>> => ({
  ...(key.namespace === '' ? {} : { namespace: key.namespace }),
  ...(key.parent === '' ? {} : { parent: key.parent }),
  name: key.name,
});

/** A row of the change log. */
export const toChange = (row: ChangeSqlRow): ResourceChange => ({
  version: row.version,
  change: row.change as ResourceChange['change'],
  sections: splitSections(row.sections),
  at: row.updated_at,
  resource: toResource(row),
});

/** Uids in the JSON column `owners`. */
export const ownerUids = (json: string): readonly string[] =>
  parseList<{ uid: string }>(json).map((owner) => owner.uid);

/** Fault ALREADY_EXISTS whose reason names the kind, as in MCP_SERVER_EXISTS. */
export const resourceExists = (key: ResourceKey): Fault => {
  const words = key.kind.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const names = keyNames(key);
  const label = Object.values(names).join('/');
  return new Fault(
    'ALREADY_EXISTS',
    `${words.toUpperCase()}_EXISTS`,
    `${words.replaceAll('_', ' ').toLowerCase()} exists: ${label}`,
    { metadata: names },
  );
};
