import type { Authorizer } from '../../../auth/contract.ts';
import type { Clock, Log } from '../../../base/index.ts';
import type { NamespaceFacts, ResourceWriter } from '../../../controllers/contract.ts';
import type { McpConnector } from '../../../protocols/mcp/contract.ts';
import { openRecord, type ValueSeal } from '../../../resources/index.ts';
import type { CallWakes } from '../../../runtime/contract.ts';
import { type Bus, RESOURCES_CHANGED, type Store } from '../../../store/contracts/index.ts';
import type { OutsideSkills } from '../../../tools/skill-contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type McpBindingOperationsDeps, mcpBindingOperations } from './binding-operations.ts';
import { checkOperation, type MissingServer, missingServer } from './check/index.ts';
import {
  BrokerTokens,
  type BrokerTokensDeps,
  ConnectionPool,
  mcpToolSource,
  ServerLookup,
  type ServerUse,
  TaskPolls,
} from './connections/index.ts';
import { type McpKindDeps, mcpContracts } from './mcp-kinds.ts';
import { mcpProbe, recordOutcome } from './mcp-probe.ts';
import { McpReferences } from './mcp-references.ts';
import { type McpServerOperationsDeps, mcpServerOperations } from './server-operations.ts';
import { grantOperations, type SignInPartsDeps, signInParts } from './sign-in/index.ts';
import { serverSkills } from './skills/index.ts';

/** How often idle and changed connections are ended, and the others pinged. */
const UPKEEP_MS = 30_000;

interface McpServersModuleDeps
  extends Omit<McpKindDeps, 'stdioNamespaces' | 'namespaces'>,
    Omit<McpServerOperationsDeps, 'authorizer'>,
    Omit<McpBindingOperationsDeps, 'authorizer'>,
    Pick<ConstructorParameters<typeof ServerLookup>[0], 'secret' | 'visibleNamespaces'>,
    Omit<SignInPartsDeps, 'wake' | 'requestTimeoutMs'> {
  readonly authorizer: Pick<Authorizer, 'allows' | 'readsSecrets'>;
  readonly namespaces: NamespaceFacts;
  readonly settings: { readonly 'mcp.stdioNamespaces': readonly string[]; readonly 'requests.timeoutSeconds': number };
  readonly bus: Pick<Bus, 'publish'>;
  readonly store: Store;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly seal: ValueSeal;
  readonly clock: Clock;
  readonly log: Log;
  readonly connector: McpConnector;
  readonly wakes: CallWakes;
  /** How brokers are asked for the tokens of sessions. */
  readonly broker: Pick<BrokerTokensDeps, 'sign' | 'fetch'>;
  /** Where the skills of servers are offered to agents. */
  readonly skills: { attach(outside: OutsideSkills): void };
}

export interface McpServersModule extends FeatureModule {
  /** Why a turn for that use gets no tools of a server that an agent of the namespace names; undefined where it does. */
  readonly missingServer: (namespace: string, name: string, use: ServerUse) => Promise<MissingServer | undefined>;
  /** Ends every connection and process. */
  close(): Promise<void>;
}

/** The kinds McpServer and McpServerBinding with their operations and conditions, and the tools of the servers. */
export const mcpServersModule = (deps: McpServersModuleDeps): McpServersModule => {
  const references = new McpReferences(deps.namespaces, (record) => openRecord(record, deps.seal));
  const wake = (): void => deps.bus.publish(RESOURCES_CHANGED, {});
  const requestTimeoutMs = deps.settings['requests.timeoutSeconds'];
  const { routes, workers, jobs, reseal, ...signIn } = signInParts({ ...deps, wake, requestTimeoutMs });
  const lookup = new ServerLookup({
    ...deps,
    ...signIn,
    references,
    brokers: new BrokerTokens({ ...deps.broker, clock: deps.clock }),
  });
  const pool: ConnectionPool = new ConnectionPool({
    ...deps,
    report: (wanted, outcome) => recordOutcome({ ...deps, references }, wanted, outcome),
    keyNow: (wanted) => lookup.keyNow(wanted),
  });
  const tasks = new TaskPolls({ ...deps, lookup, pool });
  deps.skills.attach(serverSkills({ ...deps, lookup, pool }));
  return {
    kinds: mcpContracts({ ...deps, stdioNamespaces: deps.settings['mcp.stdioNamespaces'] }),
    operations: [
      ...mcpServerOperations(deps),
      ...mcpBindingOperations(deps),
      checkOperation({ ...deps, ...signIn, lookup, pool }),
      ...grantOperations({ ...deps, ...signIn, wake, subjectOf: (...names) => lookup.signInSubject(...names) }),
    ],
    toolSources: [mcpToolSource({ store: deps.store, lookup, pool, ...signIn })],
    workers: [mcpProbe({ ...deps, lookup, pool }), tasks, ...workers],
    jobs: [{ name: 'mcp-connections', everyMs: UPKEEP_MS, tick: () => pool.tick() }, ...jobs],
    missingServer: (namespace, name, use) => missingServer({ ...signIn, lookup, pool }, { namespace, name, use }),
    routes,
    reseal,
    close: async () => {
      await Promise.all([tasks.close(), signIn.close()]);
      await pool.close();
    },
  };
};
