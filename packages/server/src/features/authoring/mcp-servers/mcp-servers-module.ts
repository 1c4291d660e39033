import type { Clock, Log } from '../../../base/index.ts';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import type { McpConnector } from '../../../protocols/mcp/contract.ts';
import { openRecord, type ValueSeal } from '../../../resources/index.ts';
import type { CallWakes } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type McpBindingOperationsDeps, mcpBindingOperations } from './binding-operations.ts';
import {
  BrokerTokens,
  type BrokerTokensDeps,
  ConnectionPool,
  mcpToolSource,
  ServerLookup,
  TaskPolls,
} from './connections/index.ts';
import { type McpKindDeps, mcpContracts } from './mcp-kinds.ts';
import { mcpProbe, recordOutcome } from './mcp-probe.ts';
import { McpReferences } from './mcp-references.ts';
import { type McpServerOperationsDeps, mcpServerOperations } from './server-operations.ts';

/** How often idle and changed connections are ended, and the others pinged. */
const UPKEEP_MS = 30_000;

interface McpServersModuleDeps
  extends Omit<McpKindDeps, 'stdioNamespaces'>,
    McpServerOperationsDeps,
    McpBindingOperationsDeps,
    Pick<ConstructorParameters<typeof ServerLookup>[0], 'secret' | 'visibleNamespaces'> {
  readonly settings: { readonly 'mcp.stdioNamespaces': readonly string[] };
  readonly store: Store;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly seal: Pick<ValueSeal, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly connector: McpConnector;
  readonly wakes: CallWakes;
  /** How brokers are asked for the tokens of sessions. */
  readonly broker: Pick<BrokerTokensDeps, 'sign' | 'fetch'>;
}

export interface McpServersModule extends FeatureModule {
  /** Ends every connection and process. */
  close(): Promise<void>;
}

/** The kinds McpServer and McpServerBinding with their operations and conditions, and the tools of the servers. */
export const mcpServersModule = (deps: McpServersModuleDeps): McpServersModule => {
  const references = new McpReferences(deps.namespaces, (record) => openRecord(record, deps.seal));
  const lookup = new ServerLookup({
    ...deps,
    references,
    brokers: new BrokerTokens({ ...deps.broker, clock: deps.clock }),
  });
  const pool: ConnectionPool = new ConnectionPool({
    ...deps,
    report: (wanted, outcome) => recordOutcome({ ...deps, references }, wanted, outcome),
    keyNow: (wanted) => lookup.keyNow(wanted),
  });
  const tasks = new TaskPolls({ ...deps, lookup, pool });
  return {
    kinds: mcpContracts({ ...deps, stdioNamespaces: deps.settings['mcp.stdioNamespaces'] }),
    operations: [...mcpServerOperations(deps), ...mcpBindingOperations(deps)],
    toolSources: [mcpToolSource({ store: deps.store, lookup, pool })],
    workers: [mcpProbe({ ...deps, lookup, pool }), tasks],
    jobs: [{ name: 'mcp-connections', everyMs: UPKEEP_MS, tick: () => pool.tick() }],
    close: async () => {
      await tasks.close();
      await pool.close();
    },
  };
};
