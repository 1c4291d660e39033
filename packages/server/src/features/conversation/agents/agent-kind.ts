import { create } from '@bufbuild/protobuf';
import { type AgentSpec, type AgentStatus, AgentStatusSchema } from '@svc/api/resources';
import {
  type KindContract,
  kindContract,
  type LookReads,
  type NamespaceFacts,
  type SpecWrite,
  type WriteOrigin,
} from '../../../controllers/contract.ts';
import { type Judged, judgedConditions, kindRow, messageFromText } from '../../../resources/index.ts';
import type { PromptCheck } from '../../../runtime/contract.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { type AgentDependencies, type AgentJudgement, judgeAgent } from './agent-findings.ts';
import { keepRevision } from './agent-revisions.ts';
import { checkAgentSpec, fillAgentDefaults } from './agent-rules.ts';

export interface AgentKindDeps {
  readonly namespaces: NamespaceFacts;
  readonly dependencies: AgentDependencies;
  readonly promptCheck: PromptCheck;
  /** Removes the agent's sessions, or sees to it that they go. */
  readonly removeSessions: (tx: WriteTx, agent: StoredResource, origin: WriteOrigin) => Promise<void>;
}

/** How agents are written, whichever operation writes them. */
export const agentContract = (deps: AgentKindDeps): KindContract =>
  kindContract<AgentSpec>({
    kind: 'Agent',
    defaults: fillAgentDefaults,
    validate: (write) => checkAgentSpec(write.spec, deps.promptCheck),
    observe: (tx, write) => observe(deps, tx, write),
    applied: async (tx, write) => {
      if (write.current !== undefined && write.isSpecChanged) await keepRevision(tx, write.current);
    },
    removing: deps.removeSessions,
  });

const observe = async (deps: AgentKindDeps, tx: LookReads, write: SpecWrite<AgentSpec>): Promise<AgentStatus> => {
  const { namespace } = write.key;
  const ancestors = await deps.namespaces.ancestors(tx, namespace);
  const facts = { namespace, spec: write.spec, annotations: write.annotations, ancestors };
  const judgement = await judgeAgent(tx, facts, deps.dependencies);
  return agentStatus(write.current, judgement, { now: tx.now(), generation: write.generation });
};

/** Phase and conditions by what the judgement found. */
export const judgedAgent = ({ isDegraded, notReady, findings }: AgentJudgement): Judged => ({
  phase: isDegraded || notReady !== '' ? 'Degraded' : 'Ready',
  findings,
});

/** Status that says what the judgement found. */
export const agentStatus = (
  current: StoredResource | undefined,
  judgement: AgentJudgement,
  at: { readonly now: number; readonly generation: number },
): AgentStatus => {
  const judged = judgedAgent(judgement);
  return create(AgentStatusSchema, {
    observedGeneration: BigInt(at.generation),
    phase: judged.phase,
    conditions: judgedConditions(current === undefined ? [] : storedStatus(current).conditions, judged, at),
  });
};

const storedStatus = (record: StoredResource): AgentStatus =>
  messageFromText(kindRow('Agent').status, record.status) as AgentStatus;
