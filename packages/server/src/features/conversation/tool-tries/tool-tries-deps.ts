import type { Clock, Ids } from '../../../base/index.ts';
import type { AppendAudit, NamespaceFacts } from '../../../controllers/contract.ts';
import type { AgentDirectory, ToolTries, UsageMeter } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';

/** For whom the tools of a server are listed outside of a session. */
interface ServerAsker {
  readonly agent: string;
  readonly sessionId: '';
  readonly identity: string;
}

export interface ToolTriesDeps {
  readonly store: Pick<Store, 'direct' | 'steadyNow' | 'write'>;
  readonly agents: { readonly directory: Pick<AgentDirectory, 'current'> };
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly tries: ToolTries;
  readonly usage: { readonly meter: Pick<UsageMeter, 'governs' | 'reserve'> };
  readonly audit: AppendAudit;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Hours for which the answer of a call with an idempotency key is kept. */
  readonly keptHours: number;
  /** Why an agent of the namespace has no tools of an MCP server that it names; undefined where it has. */
  readonly missingServer: (
    namespace: string,
    server: string,
    asker: ServerAsker,
  ) => Promise<{ readonly reason: string; readonly message: string } | undefined>;
}
