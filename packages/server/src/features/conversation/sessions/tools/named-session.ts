import { textOrEmpty } from '../../../../base/index.ts';
import type { AppendAudit } from '../../../../controllers/contract.ts';
import type { Admission } from '../../../../runtime/contract.ts';
import type { Bus, ReadTx, Store } from '../../../../store/contracts/index.ts';
import { namespaceOf } from '../../../../tools/authority-contract.ts';
import type { ToolContext } from '../../../../tools/contract.ts';

export interface SessionToolsDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly admission: Admission;
  readonly audit: AppendAudit;
  readonly bus: Pick<Bus, 'publish'>;
  /** A namespace and its ancestors, nearest first. */
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
  /** `a2a.maxDepth`. */
  readonly maxDepth: number;
}

/** The session that a call names; the agent's own where no agent is named. */
export interface NamedSession {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
}

/** Names of the arguments, the namespace checked before anything is looked up. */
export const namedSession = async (
  { visibleNamespaces }: Pick<SessionToolsDeps, 'visibleNamespaces'>,
  tx: Pick<ReadTx, 'resources'>,
  call: { readonly context: ToolContext; readonly input: Readonly<Record<string, unknown>> },
): Promise<NamedSession> => {
  const { context, input } = call;
  const ns = await namespaceOf(context, input['namespace'], (name) => visibleNamespaces(tx, name));
  const agent = textOrEmpty(input['agent']);
  return { ns, agent: agent === '' ? context.agent : agent, sessionId: textOrEmpty(input['session_id']) };
};
