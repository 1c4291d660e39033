import type { DescMessage } from '@bufbuild/protobuf';
import { type KindFacts, kindFacts } from '@svc/api/kinds';
import * as shapes from '@svc/api/resources';

/** One row per built-in kind: all that the generic machinery knows about it. */
export interface KindRow extends Omit<KindFacts, 'status'> {
  /** Member of the oneofs ResourceSpec.kind and ResourceStatus.kind. */
  readonly member: string;
  readonly spec: DescMessage;
  readonly status: DescMessage;
  /** The message with metadata, spec and status. */
  readonly full: DescMessage;
}

const lower = (kind: string): string => kind.charAt(0).toLowerCase() + kind.slice(1);

/** Generated messages by name; the test of this table finds a wrong name. */
const schema = (name: string): DescMessage =>
  (shapes as unknown as Readonly<Record<string, DescMessage>>)[`${name}Schema`] as DescMessage;

/** Every built-in kind, with its messages. Custom kinds (another API group) have no row; their spec is raw JSON. */
export const kinds: readonly KindRow[] = kindFacts.map((facts) => ({
  ...facts,
  member: lower(facts.kind),
  spec: schema(`${facts.kind}Spec`),
  status: schema(facts.status === 'own' ? `${facts.kind}Status` : 'CommonResourceStatus'),
  full: schema(facts.kind),
}));

const byName: ReadonlyMap<string, KindRow> = new Map(kinds.map((entry) => [entry.kind, entry]));

/** The row of a built-in kind. */
export const findKind = (kind: string): KindRow | undefined => byName.get(kind);

/** The row of a kind that is named in the source. */
export const kindRow = (kind: string): KindRow => {
  const found = byName.get(kind);
  if (found === undefined) throw new Error(`no such kind: ${kind}`);
  return found;
};

/** Parent in the address of a resource, where its spec names it; '' for kinds without one. */
export const parentInSpec = (row: KindRow, spec: { readonly [field: string]: unknown }): string => {
  const name = row.parent === 'channel' ? spec['channel'] : undefined;
  return typeof name === 'string' ? name : '';
};

/** `apiVersion` of every kind that svc defines. */
export const API_VERSION = 'svc/v1';
const OWN_VERSIONS: ReadonlySet<string> = new Set(['', 'v1', API_VERSION]);
const GROUP_VERSION = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/v[0-9][a-z0-9]{0,62}$/;

/** Canonical API version: `svc/v1` for svc's kinds, a foreign group unchanged, undefined when malformed. */
export const canonicalApiVersion = (text: string): string | undefined => {
  if (OWN_VERSIONS.has(text)) return API_VERSION;
  return GROUP_VERSION.test(text) && !text.startsWith('svc/') ? text : undefined;
};
