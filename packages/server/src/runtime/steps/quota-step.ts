import { isFault } from '../../base/index.ts';
import type { ModelTarget } from '../../models/contract.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import type { TurnUsage, UsageMeter, UsageSubject } from '../contract.ts';
import type { Step, StepFailure, StepTurn } from './contract.ts';
import { targetKey } from './model-call/index.ts';

/** What policies count. */
export interface QuotaPorts {
  readonly usage: UsageMeter;
}

/** One use about to begin. `call` names the model call in its turn; a repeated call of a tool is free. */
export type QuotaRequest =
  | { readonly metric: 'llm.requests'; readonly target: ModelTarget; readonly call: number | string }
  | { readonly metric: 'tool.calls'; readonly callId: string };

/** Reserves before something runs; `run` answers why it may not, undefined when it may. */
export interface Quota extends Step<QuotaRequest, StepFailure | undefined> {
  /** Not one byte of an answer came: the request does not count. */
  giveBack(turn: StepTurn, request: QuotaRequest): Promise<void>;
}

const subjectOf = ({ row, body }: StepTurn, request: QuotaRequest): UsageSubject => {
  const subject = { namespace: row.namespace, agent: row.agent, identity: body.cause.identity };
  if (request.metric === 'tool.calls') return subject;
  return { ...subject, provider: request.target.provider, model: request.target.model };
};

const keyOf = ({ row }: StepTurn, request: QuotaRequest): string =>
  request.metric === 'tool.calls'
    ? request.callId
    : `${row.id}/${row.attempt}/${request.call}/${targetKey(request.target)}`;

/** Quotas of model and tool calls, in guarded transactions of the turn; nothing is written where no policy can match. */
export const createQuota = ({ usage }: QuotaPorts): Quota => ({
  run: async (turn, request) => {
    if (!usage.governs(turn.row.namespace)) return undefined;
    const subject = subjectOf(turn, request);
    const key = keyOf(turn, request);
    try {
      await turn.claim.guarded((tx) => usage.reserve(tx, request.metric, subject, key));
      return undefined;
    } catch (error) {
      if (!isFault(error) || error.reason !== 'QUOTA_EXCEEDED') throw error;
      const { message: sentence, metadata } = error;
      return { kind: 'failed', errorClass: 'quota_exceeded', sentence, usage: undefined, metadata };
    }
  },
  giveBack: async (turn, request) => {
    if (!usage.governs(turn.row.namespace)) return;
    const subject = subjectOf(turn, request);
    const key = keyOf(turn, request);
    await turn.claim.guarded((tx) => usage.giveBack(tx, request.metric, subject, key));
  },
});

/** Counts a model call against the policies of its namespace, in the transaction that records it. */
export const chargeUsage = async (
  { tx, usage: meter }: QuotaPorts & { readonly tx: WriteTx },
  { row, body }: Pick<StepTurn, 'row' | 'body'>,
  usage: TurnUsage,
): Promise<void> => {
  if (!meter.governs(row.namespace)) return;
  const { namespace, agent } = row;
  const { provider, model } = usage;
  await meter.charge(tx, { namespace, agent, identity: body.cause.identity, provider, model }, usage);
};
