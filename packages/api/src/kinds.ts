/**
 * Every built-in kind of resource: the one table of what is known of a kind without loading its messages, for the server and the
 * command line. A new kind is a row here, its messages in proto/, a folder with its contract in the server's features, and its
 * line where the server lists its features.
 */

/** Who writes resources of a kind. `labels`: the ResourceService changes labels and annotations only. */
interface KindWriters {
  readonly gateway: boolean;
  readonly resourceService: 'all' | 'labels' | 'none';
  readonly fileService: boolean;
}

/**
 * A value of a spec or status that not every caller may see: `map` hides the values of a string map, `text` one string, `leaves` the
 * string leaves of a JSON text, `drop` removes the field for everyone.
 */
export interface SensitiveField {
  readonly path: readonly string[];
  readonly form: 'map' | 'text' | 'leaves' | 'drop';
  /** Hides `secret://` references as well. */
  readonly isSecret?: boolean;
}

export interface KindFacts {
  readonly kind: string;
  /** Words of the command line. */
  readonly plural: string;
  readonly short?: string;
  /** Its status message: one of its own, or CommonResourceStatus. */
  readonly status: 'own' | 'common';
  /** Rule of its names, which the server knows by this word. */
  readonly names: 'namespace' | 'agent' | 'skill' | 'knowledge' | 'plain';
  /** Reason of a refused name, where it has one of its own. */
  readonly nameReason: 'NAME_INVALID' | 'FIELD_INVALID';
  /** Namespaces themselves live in no namespace. */
  readonly scope: 'namespace' | 'root';
  /** The namespace that all of them live in. */
  readonly home?: string;
  /** What `parent` of the address means; undefined = always ''. */
  readonly parent?: 'channel' | 'agent';
  readonly writers: KindWriters;
  /** May be in a manifest. */
  readonly authorable: boolean;
  /** Templates may hold it. */
  readonly inTemplates: boolean;
  /** Its place among the kinds of a call that applies or exports several; deletion goes the other way. */
  readonly applyRank: number;
  /** Facts are kept next to the record and merged into its status on read, so that they make no new version. */
  readonly hasActivity: boolean;
  readonly sensitiveSpec: readonly SensitiveField[];
  readonly sensitiveStatus: readonly SensitiveField[];
}

/** Rank of what is applied after everything else: kinds that no manifest holds, and custom kinds. */
const LAST_RANK = 1_000;

const RESOURCE_SERVICE: KindWriters = { gateway: false, resourceService: 'all', fileService: false };
const GATEWAY: KindWriters = { ...RESOURCE_SERVICE, gateway: true };
const FILE_SERVICE: KindWriters = { ...RESOURCE_SERVICE, fileService: true };
const SYSTEM: KindWriters = { ...RESOURCE_SERVICE, resourceService: 'none' };
const SESSIONS: KindWriters = { ...GATEWAY, resourceService: 'labels' };

const HEADERS: readonly SensitiveField[] = [{ path: ['headers'], form: 'map' }];

type Row = Pick<KindFacts, 'kind' | 'plural' | 'status'> & Partial<KindFacts>;

const filled = (row: Row): KindFacts => ({
  names: 'plain',
  nameReason: 'FIELD_INVALID',
  scope: 'namespace',
  writers: RESOURCE_SERVICE,
  authorable: true,
  inTemplates: true,
  applyRank: LAST_RANK,
  hasActivity: false,
  sensitiveSpec: [],
  sensitiveStatus: [],
  ...row,
});

/** The row of a kind that only the system makes resources of. */
const systemMade = (row: Row): Row => ({ authorable: false, inTemplates: false, ...row });

const rows: readonly Row[] = [
  {
    kind: 'Namespace',
    plural: 'namespaces',
    short: 'ns',
    status: 'own',
    names: 'namespace',
    scope: 'root',
    writers: GATEWAY,
    inTemplates: false,
    applyRank: 0,
  },
  {
    kind: 'Agent',
    plural: 'agents',
    status: 'own',
    names: 'agent',
    writers: GATEWAY,
    hasActivity: true,
    applyRank: 120,
    sensitiveSpec: [{ path: ['runtime', 'acp', 'env'], form: 'map' }],
  },
  { kind: 'Template', plural: 'templates', short: 'tpl', status: 'common', writers: GATEWAY, applyRank: 30 },
  {
    kind: 'McpServer',
    plural: 'mcpservers',
    short: 'mcp',
    status: 'common',
    writers: GATEWAY,
    applyRank: 100,
    sensitiveSpec: HEADERS,
  },
  {
    kind: 'McpServerBinding',
    plural: 'mcpserverbindings',
    short: 'mcpb',
    status: 'common',
    writers: GATEWAY,
    applyRank: 110,
    sensitiveSpec: HEADERS,
  },
  {
    kind: 'Knowledge',
    plural: 'knowledges',
    short: 'kn',
    status: 'common',
    names: 'knowledge',
    writers: GATEWAY,
    applyRank: 50,
  },
  { kind: 'Skill', plural: 'skills', status: 'common', names: 'skill', applyRank: 40 },
  systemMade({
    kind: 'Session',
    plural: 'sessions',
    status: 'own',
    parent: 'agent',
    writers: SESSIONS,
    hasActivity: true,
  }),
  {
    kind: 'Channel',
    plural: 'channels',
    short: 'ch',
    status: 'own',
    nameReason: 'NAME_INVALID',
    writers: GATEWAY,
    hasActivity: true,
    applyRank: 130,
  },
  {
    kind: 'ChannelSubscription',
    plural: 'channelsubscriptions',
    short: 'sub',
    status: 'common',
    nameReason: 'NAME_INVALID',
    parent: 'channel',
    writers: GATEWAY,
    applyRank: 140,
  },
  {
    kind: 'Schedule',
    plural: 'schedules',
    short: 'sched',
    status: 'own',
    nameReason: 'NAME_INVALID',
    writers: GATEWAY,
    applyRank: 160,
  },
  {
    kind: 'ConnectorClass',
    plural: 'connectorclasses',
    short: 'cc',
    status: 'own',
    nameReason: 'NAME_INVALID',
    applyRank: 170,
    sensitiveSpec: [{ path: ['auth', 'apiKey', 'plain'], form: 'text' }],
  },
  {
    kind: 'Connector',
    plural: 'connectors',
    short: 'conn',
    status: 'own',
    nameReason: 'NAME_INVALID',
    applyRank: 180,
  },
  {
    kind: 'Workflow',
    plural: 'workflows',
    short: 'wf',
    status: 'own',
    nameReason: 'NAME_INVALID',
    applyRank: 150,
  },
  { kind: 'Deployment', plural: 'deployments', short: 'dep', status: 'own', inTemplates: false, applyRank: 190 },
  systemMade({ kind: 'DeploymentReplica', plural: 'deploymentreplicas', status: 'own', writers: SYSTEM }),
  {
    kind: 'SandboxClass',
    plural: 'sandboxclasses',
    short: 'sbc',
    status: 'common',
    applyRank: 70,
    sensitiveSpec: [
      { path: ['credentialsJson'], form: 'leaves' },
      { path: ['providerConfigJson'], form: 'leaves' },
    ],
  },
  {
    kind: 'SandboxPolicy',
    plural: 'sandboxpolicies',
    short: 'sbp',
    status: 'common',
    applyRank: 80,
  },
  {
    kind: 'Sandbox',
    plural: 'sandboxes',
    short: 'sb',
    status: 'own',
    inTemplates: false,
    applyRank: 90,
    sensitiveStatus: [{ path: ['lease', 'token'], form: 'drop' }],
  },
  { kind: 'Task', plural: 'tasks', status: 'own', applyRank: 200 },
  { kind: 'UsagePolicy', plural: 'usagepolicies', short: 'up', status: 'own', hasActivity: true, applyRank: 20 },
  {
    kind: 'Secret',
    plural: 'secrets',
    status: 'common',
    applyRank: 10,
    sensitiveSpec: [
      { path: ['data'], form: 'map', isSecret: true },
      // Only templates keep it: in a Secret itself it has become data.
      { path: ['stringData'], form: 'map', isSecret: true },
    ],
  },
  {
    kind: 'File',
    plural: 'files',
    status: 'own',
    writers: FILE_SERVICE,
    applyRank: 60,
    sensitiveStatus: [{ path: ['pendingUpload', 'requiredHeaders'], form: 'map' }],
  },
  systemMade({
    kind: 'Worker',
    plural: 'workers',
    status: 'own',
    home: 'system',
    writers: SYSTEM,
    hasActivity: true,
  }),
];

/** The table, in the order in which kinds are listed. Custom kinds (another API group) have no row. */
export const kindFacts: readonly KindFacts[] = rows.map(filled);

const byKind: ReadonlyMap<string, KindFacts> = new Map(kindFacts.map((facts) => [facts.kind, facts]));

/** The row of a built-in kind. */
export const findKindFacts = (kind: string): KindFacts | undefined => byKind.get(kind);

/** Place of a kind among those of a call that applies several; custom kinds come last. */
export const applyRank = (kind: string): number => byKind.get(kind)?.applyRank ?? LAST_RANK;
