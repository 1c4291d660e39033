import { deploymentsModule } from '../../features/authoring/deployments/index.ts';
import { filesModule } from '../../features/authoring/files/index.ts';
import { chunkDocument, indexWords, knowledgeModule } from '../../features/authoring/knowledge/index.ts';
import { manifestsModule, requireScope } from '../../features/authoring/manifests/index.ts';
import { mcpServersModule } from '../../features/authoring/mcp-servers/index.ts';
import { namespacesModule } from '../../features/authoring/namespaces/index.ts';
import { searchModule, sessionSearch } from '../../features/authoring/search/index.ts';
import { templatesModule } from '../../features/authoring/templates/index.ts';
import { vectorsModule } from '../../features/authoring/vectors/index.ts';
import { sessionsModule } from '../../features/conversation/sessions/index.ts';
import { toolTriesModule } from '../../features/conversation/tool-tries/index.ts';
import { uiModule } from '../../features/conversation/ui/index.ts';
import { agentProtocolModule } from '../../features/coordination/agent-protocol/index.ts';
import { channelsModule } from '../../features/coordination/channels/index.ts';
import { connectorsModule } from '../../features/coordination/connectors/index.ts';
import { delegationModule } from '../../features/coordination/delegation/index.ts';
import { schedulesModule, utcCron } from '../../features/coordination/schedules/index.ts';
import { tasksModule } from '../../features/coordination/tasks/index.ts';
import { trailModule } from '../../features/coordination/trail/index.ts';
import { workflowsModule } from '../../features/coordination/workflows/index.ts';
import type { FeatureModule } from '../../features/module-contract.ts';
import { accessModule } from '../../features/platform/access/index.ts';
import { adminModule } from '../../features/platform/admin/index.ts';
import { backupsModule } from '../../features/platform/backups/index.ts';
import { harnessesModule } from '../../features/platform/harnesses/index.ts';
import { mcpEndpointModule } from '../../features/platform/mcp-endpoint/index.ts';
import { sandboxesModule } from '../../features/platform/sandboxes/index.ts';
import { workersModule } from '../../features/platform/workers/index.ts';
import type { Operation } from '../../operations/index.ts';
import { createPeerServer } from '../../protocols/a2a/index.ts';
import { connectAgent, demoAgentProgram } from '../../protocols/acp/index.ts';
import { createMcpServing, serveToolsOver } from '../../protocols/mcp-server/index.ts';
import { promptCheck } from '../../runtime/prompt/index.ts';
import { approvalOf, type CapabilitySwitches } from '../../tools/index.ts';
import { type Config, configurationFacts } from '../config/index.ts';
import type { Engines } from '../engines/index.ts';
import { connectorOutbound, GuardedFetch, mcpOutbound, peerOutbound, pushOutbound } from '../outbound/index.ts';
import { sandboxProviders } from '../sandbox-providers.ts';
import { storeEngine } from '../upkeep/index.ts';
import type { Host } from './host.ts';
import type { Turns } from './turns.ts';

interface FeatureNeeds {
  readonly config: Config;
  readonly engines: Engines;
  /** With what features learn of secrets, and where the server is reached. */
  readonly host: Host & SecretReading & { readonly baseUrl: () => string };
  readonly turns: Turns;
}

type SecretReading = Turns['secrets']['reading'];
type Searching = Pick<ReturnType<typeof platform>, 'access'> & Pick<ReturnType<typeof vectorsModule>, 'understand'>;

/** What people write down. */
const authoring = (
  { config, engines, host, turns }: FeatureNeeds,
  { sessions }: Pick<ReturnType<typeof conversation>, 'sessions'>,
  { access, understand }: Searching,
) => {
  const { brokerFetch, ...mcp } = mcpOutbound(config, host);
  const { objects, secrets, usage, runtime, skills } = turns;
  const deployments = deploymentsModule({ ...host, hash: host.seal });
  const { placement } = deployments;
  const namespaces = namespacesModule({
    ...host,
    directory: host.namespaces,
    turns: runtime.lifecycle,
    requireContents: (tx, names, origin) => placement.requireNamespaces(tx, names, origin),
  });
  const knowledge = knowledgeModule({ ...host, knowledge: host.facade('Knowledge'), understand });
  const files = filesModule({
    ...host,
    objects,
    direct: engines.objects.direct,
    // Files are cut and compared as knowledge is, so that one search ranks both.
    form: { chunks: chunkDocument, words: indexWords },
    ...skills.forFiles,
    searchPlaces: knowledge.library.searchPlaces.bind(knowledge.library),
    understand,
  });
  return {
    namespaces,
    deployments,
    files,
    search: searchModule({
      ...host,
      sources: [files.search, knowledge.search(files.retrieved), sessionSearch(host)],
      approvalOf: (capabilities, wanted) =>
        approvalOf(capabilities, wanted, host.settings['capabilities'] as CapabilitySwitches),
    }),
    mcpServers: mcpServersModule({
      ...host,
      ...mcp,
      ...runtime,
      servers: host.facade('McpServer'),
      bindings: host.facade('McpServerBinding'),
      broker: { fetch: brokerFetch, sign: access.signPlatform },
      skills: skills.directory,
      version: config.transport.version,
    }),
    templates: templatesModule({ ...host, templates: host.facade('Template'), promptCheck, placement }),
    knowledge,
    manifests: manifestsModule({
      ...host,
      namespaces: namespaces.tree,
      activity: { Session: sessions.facts, UsagePolicy: usage.facts },
      withReadAudit: secrets.withReadAudit,
    }),
  };
};

/** Who answers. */
const conversation = ({ host, turns }: FeatureNeeds) => {
  const { runtime, agents } = turns;
  return {
    sessions: sessionsModule({
      ...host,
      ...turns,
      ...runtime,
      agents: agents.directory,
      promptCheck,
      fetcher: new GuardedFetch({ allow: host.settings['net.allow'] }),
    }),
  };
};

/** Who works with whom and when. */
const coordination = (
  { config, engines, host, turns }: FeatureNeeds,
  { files }: Pick<ReturnType<typeof authoring>, 'files'>,
) => {
  const { objects, runtime, deliveries } = turns;
  const tasks = tasksModule({ ...host, ...runtime, ...files });
  const workflows = workflowsModule({ ...host, ...turns, ...runtime });
  const client = peerOutbound(config, host);
  const more = { channels: host.facade('Channel'), objects };
  const channels = channelsModule({ ...host, ...runtime, ...files, ...deliveries, ...more });
  return {
    channels,
    schedules: schedulesModule({ ...host, ...runtime, ...workflows, schedules: host.facade('Schedule') }),
    connectors: connectorsModule({
      ...host,
      ...runtime,
      ...files,
      ...connectorOutbound(config, engines),
      ...turns,
      channels: channels.posts,
      showUndelivered: channels.showUndelivered,
      workflows: workflows.runs,
    }),
    workflows,
    delegation: delegationModule({ ...host, ...runtime, ...files, ...tasks, objects, client }),
    tasks,
  };
};

/** Running the place. */
const platform = (
  { config, engines, host, turns }: FeatureNeeds,
  vectors: Pick<ReturnType<typeof vectorsModule>, 'facts'>,
  modules: () => readonly FeatureModule[],
) => {
  const { dataDir, publicUrl, clusterId } = config;
  const { version, trustProxy } = config.transport;
  const { secretKeys, examineStore, objects, loaded, lines } = engines;
  const { runtime, workerId, models } = turns;
  const about = { ...host, dataDir, publicUrl, version };
  const backups = backupsModule({
    ...about,
    utcCron,
    // Looked up when used: a server starts also on an engine that cannot be dumped.
    openDump: async (scratch) => storeEngine(config, engines).dump(scratch),
    clusterId,
  });
  const sandboxes = sandboxesModule({ ...host, workerId, ...sandboxProviders({ ...host, ...engines, dataDir }) });
  return {
    workers: workersModule({
      ...about,
      workerId,
      sources: () => modules().flatMap(({ claims = [] }) => claims),
      drain: () => runtime.worker.drain(),
    }),
    sandboxes,
    harnesses: harnessesModule({
      ...host,
      use: sandboxes.use,
      connect: connectAgent,
      demoProgram: demoAgentProgram,
      serveTools: (pipe, offer) => serveToolsOver(pipe, offer, version),
    }),
    access: accessModule({ ...about, config: config.auth, trustProxy, fetch: globalThis.fetch }),
    admin: adminModule({
      ...about,
      objects,
      examine: examineStore,
      pendingBackup: backups.pending,
      lostValues: () => secretKeys.lostValues(),
      configuration: configurationFacts(config, loaded),
      lines,
      models,
      providers: config.models.providers,
      vectors: vectors.facts,
    }),
    backups,
  };
};

type Serving = Pick<ReturnType<typeof conversation>, 'sessions'> & Pick<ReturnType<typeof authoring>, 'files'>;

/** Agents and operations for programs that speak other protocols. */
const protocols = (
  { config, host, turns }: FeatureNeeds,
  { sessions, files, operations }: Serving & { readonly operations: () => readonly Operation[] },
) => {
  const { agents, streams } = turns;
  return {
    agentProtocol: agentProtocolModule({
      ...host,
      sessions,
      streams,
      agents: agents.directory,
      links: files.links,
      peers: createPeerServer(),
      outbound: pushOutbound(config),
      needsToken: !config.auth.modes.includes('none'),
    }),
    mcpEndpoint: mcpEndpointModule({
      ...host,
      streams,
      serving: createMcpServing({
        version: config.transport.version,
        requestBytes: host.settings['limits.requestBytes'],
        failed: (error) => host.log.warn('a request over MCP failed', { reason: error.message }),
      }),
      operations,
    }),
  };
};

/** Every feature by its name, and all of them in the order in which their parts are listed. */
export const wireFeatures = (needs: FeatureNeeds) => {
  const { host, turns } = needs;
  const { secrets, agents, skills, usage, streams } = turns;
  const { sessions } = conversation(needs);
  const vectors = vectorsModule({ ...host, models: turns.models, meter: usage.meter });
  const { workers, sandboxes, harnesses, access, admin, backups } = platform(needs, vectors, () => list);
  const written = authoring(needs, { sessions }, { ...vectors, access });
  const { namespaces, deployments, files, search, mcpServers, templates, knowledge, manifests } = written;
  const { channels, schedules, connectors, workflows, delegation, tasks } = coordination(needs, { files });
  const ui = uiModule({
    ...host,
    chat: sessions.chat,
    console: sessions.console,
    channels: channels.activities,
    runs: workflows.activities,
    deliveries: connectors.activities,
    streams,
    links: files.links,
    sendObject: files.sendObject,
    changes: host.feed,
    ancestorsAt: (namespace, version) => host.ancestry.ancestorsAt(namespace, version),
    requireNamespace: (namespace) => requireScope(host.store.direct, namespace),
  });
  const { agentProtocol, mcpEndpoint } = protocols(needs, {
    sessions,
    files,
    operations: () => list.flatMap(({ operations = [] }) => operations),
  });
  const list: readonly FeatureModule[] = [
    namespaces,
    agents,
    templates,
    skills,
    knowledge,
    vectors,
    search,
    sessions,
    toolTriesModule({ ...host, ...turns, ...turns.runtime, ...mcpServers }),
    secrets,
    manifests,
    channels,
    schedules,
    ui,
    files,
    connectors,
    workflows,
    delegation,
    agentProtocol,
    sandboxes,
    harnesses,
    usage,
    tasks,
    workers,
    mcpServers,
    deployments,
    access,
    admin,
    backups,
    mcpEndpoint,
    trailModule({ ...host, sources: () => list.flatMap(({ trails = [] }) => trails) }),
  ];
  const closing = { usage, workers, access, backups, mcpServers, sandboxes, delegation, agentProtocol, connectors };
  return { list, files, harnesses, workflows, ...closing };
};
