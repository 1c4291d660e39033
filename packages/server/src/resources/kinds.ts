import type { DescMessage } from '@bufbuild/protobuf';
import * as shapes from '@svc/api/resources';
import type { NameRule } from './identifiers/index.ts';

/** Who writes resources of a kind. `labels`: the ResourceService changes labels and annotations only. */
interface KindWriters {
  readonly gateway: boolean;
  readonly resourceService: 'all' | 'labels' | 'none';
  readonly fileService: boolean;
}

/** One row per built-in kind: everything that the generic code knows about it. */
export interface KindRow {
  readonly kind: string;
  /** Member of the oneofs ResourceSpec.kind and ResourceStatus.kind. */
  readonly member: string;
  readonly spec: DescMessage;
  readonly status: DescMessage;
  /** The message with metadata, spec and status. */
  readonly full: DescMessage;
  readonly names: NameRule;
  /** Namespaces themselves belong to no namespace. */
  readonly scope: 'namespace' | 'root';
  /** What `parent` of the address means; undefined = always ''. */
  readonly parent?: 'channel' | 'agent';
  readonly writers: KindWriters;
  /** May be in a manifest. */
  readonly authorable: boolean;
  /** Facts are kept next to the record and merged into its status on read, so that they create no new version. */
  readonly hasActivity: boolean;
}

type Facts = Partial<Omit<KindRow, 'kind' | 'spec' | 'status' | 'full'>>;

const lower = (kind: string): string => kind.charAt(0).toLowerCase() + kind.slice(1);

/** Generated messages by name; the test of this table finds a wrong name. */
const schema = (name: string): DescMessage =>
  (shapes as unknown as Readonly<Record<string, DescMessage>>)[`${name}Schema`] as DescMessage;

const own = (kind: string): string => `${kind}Status`;
const shared = (_kind: string): string => 'CommonResourceStatus';

const writers = (text: 'GR' | 'R' | 'FR' | 'rt' | 'G+labels'): KindWriters => ({
  gateway: text.startsWith('G'),
  resourceService: text === 'rt' ? 'none' : text === 'G+labels' ? 'labels' : 'all',
  fileService: text === 'FR',
});

const row = (kind: string, status: (kind: string) => string, facts: Facts): KindRow => ({
  kind,
  member: lower(kind),
  spec: schema(`${kind}Spec`),
  status: schema(status(kind)),
  full: schema(kind),
  names: 'plain',
  scope: 'namespace',
  writers: writers('R'),
  authorable: true,
  hasActivity: false,
  ...facts,
});

/** Every built-in kind. Custom kinds (another API group) have no row; their spec is raw JSON. */
export const kinds: readonly KindRow[] = [
  row('Namespace', own, { names: 'namespace', scope: 'root', writers: writers('GR') }),
  row('Agent', own, { names: 'agent', writers: writers('GR'), hasActivity: true }),
  row('Template', shared, { writers: writers('GR') }),
  row('McpServer', shared, { writers: writers('GR') }),
  row('McpServerBinding', shared, { writers: writers('GR') }),
  row('Knowledge', shared, { names: 'knowledge', writers: writers('GR') }),
  row('Skill', shared, { names: 'skill' }),
  row('Session', own, { parent: 'agent', writers: writers('G+labels'), authorable: false, hasActivity: true }),
  row('Channel', own, { writers: writers('GR'), hasActivity: true }),
  row('ChannelSubscription', shared, { parent: 'channel', writers: writers('GR') }),
  row('Schedule', own, { writers: writers('GR') }),
  row('ConnectorClass', own, {}),
  row('Connector', own, {}),
  row('Workflow', own, {}),
  row('Deployment', own, {}),
  row('DeploymentReplica', own, { writers: writers('rt'), authorable: false }),
  row('SandboxClass', shared, {}),
  row('SandboxPolicy', shared, {}),
  row('Sandbox', own, {}),
  row('Task', own, {}),
  row('UsagePolicy', own, { hasActivity: true }),
  row('Secret', shared, {}),
  row('File', own, { writers: writers('FR') }),
  row('Worker', own, { writers: writers('rt'), authorable: false, hasActivity: true }),
];

const byName: ReadonlyMap<string, KindRow> = new Map(kinds.map((entry) => [entry.kind, entry]));

/** The row of a built-in kind. */
export const findKind = (kind: string): KindRow | undefined => byName.get(kind);

/** The row of a kind that is named in the source. */
export const kindRow = (kind: string): KindRow => {
  const found = byName.get(kind);
  if (found === undefined) throw new Error(`no such kind: ${kind}`);
  return found;
};

/** Parent in the address of a resource, if its spec names it; '' for kinds without one. */
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
