import type { ModelRegistry, ModelTarget } from '../../models/contract.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import { QuotaFault, type TurnUsage, type UsageMeter, type UsageSubject } from '../contract.ts';
import { budgetDecisions } from './budget-decisions.ts';
import { ABORTED, AGAIN, PARKED, type Step, type StepFailure, type StepResult, type StepTurn } from './contract.ts';
import { costEstimate, type EstimatedCall } from './cost-estimate.ts';
import { targetKey } from './model-call/index.ts';
import type { NewRequest, Requests } from './request-step.ts';

/** What policies count. */
export interface QuotaPorts {
  readonly usage: UsageMeter;
}

/** What reservations use. */
export interface ReservePorts extends QuotaPorts {
  readonly models: Pick<ModelRegistry, 'facts' | 'countTokens'>;
}

/** A model call about to begin; `call` names it in its turn. */
interface ModelUse {
  readonly metric: 'llm.requests';
  readonly target: ModelTarget;
  readonly call: number | string;
}

/** One use about to begin; a repeated call of a tool is free. */
type QuotaRequest =
  | (ModelUse & { readonly prompt: EstimatedCall })
  | { readonly metric: 'tool.calls'; readonly callId: string };

/** What a request may use: `outputLimit` is set where money is limited. */
interface Granted {
  readonly kind: 'granted';
  readonly outputLimit: number | undefined;
}

/** A quota is used up; `budget` asks a person for more, where the policy says so. */
export interface QuotaRefusal extends StepFailure {
  readonly budget: NewRequest | undefined;
}

/** Reserves before something runs. */
export interface Quota extends Step<QuotaRequest, Granted | QuotaRefusal> {
  /** Not one byte of an answer came: the request does not count. */
  giveBack(turn: StepTurn, request: ModelUse): Promise<void>;
  /**
   * What a refusal means for the turn: it waits with a question, looks once more, or fails. A question that waits for its answer is not
   * asked again, and none is asked behind one that was declined.
   */
  refused(turn: StepTurn, refusal: QuotaRefusal): Promise<StepResult>;
}

const subjectOf = ({ row, body }: StepTurn, request: ModelUse | QuotaRequest): UsageSubject => {
  const subject = { namespace: row.namespace, agent: row.agent, identity: body.cause.identity };
  if (request.metric === 'tool.calls') return subject;
  return { ...subject, provider: request.target.provider, model: request.target.model };
};

const keyOf = ({ row }: StepTurn, request: ModelUse | QuotaRequest): string =>
  request.metric === 'tool.calls'
    ? request.callId
    : `${row.id}/${row.attempt}/${request.call}/${targetKey(request.target)}`;

/** No call of a tool asks for more. */
const NO_CALL = '';

const GRANTED: Granted = { kind: 'granted', outputLimit: undefined };

/** Quotas of model and tool calls, in guarded transactions of the turn; nothing is written where no policy can match. */
class QuotaStep implements Quota {
  readonly #ports: ReservePorts;
  readonly #requests: Requests;

  constructor(ports: ReservePorts, requests: Requests) {
    this.#ports = ports;
    this.#requests = requests;
  }

  async run(turn: StepTurn, request: QuotaRequest): Promise<Granted | QuotaRefusal> {
    const { usage, models } = this.#ports;
    if (!usage.governs(turn.row.namespace)) return GRANTED;
    const subject = subjectOf(turn, request);
    const key = keyOf(turn, request);
    const isPriced = request.metric === 'llm.requests' && usage.limitsCost(subject);
    const estimate = isPriced ? costEstimate(turn, request.target, { call: request.prompt, models }) : undefined;
    try {
      const outputLimit = await turn.claim.guarded(async (tx) => {
        await usage.reserve(tx, request.metric, subject, key);
        return estimate === undefined ? undefined : usage.reserveCost(tx, subject, turn.row.id, estimate);
      });
      return { kind: 'granted', outputLimit };
    } catch (error) {
      if (!(error instanceof QuotaFault)) throw error;
      return refusalOf(error);
    }
  }

  async giveBack(turn: StepTurn, request: ModelUse): Promise<void> {
    const { usage } = this.#ports;
    const { namespace, id } = turn.row;
    if (!usage.governs(namespace)) return;
    const subject = subjectOf(turn, request);
    const key = keyOf(turn, request);
    await turn.claim.guarded(async (tx) => {
      await usage.giveBack(tx, request.metric, subject, key);
      await usage.releaseCost(tx, namespace, id);
    });
  }

  async refused(turn: StepTurn, { budget, ...failure }: QuotaRefusal): Promise<StepResult> {
    const asked = budgetDecisions(turn.recorded);
    if (budget === undefined || asked.includes('declined')) return failure;
    if (turn.isStopping) return ABORTED;
    const isParked = asked.includes('open')
      ? await this.#requests.park(turn, NO_CALL)
      : await this.#requests.ask(turn, [budget], true);
    return isParked ? PARKED : AGAIN;
  }
}

const refusalOf = (fault: QuotaFault): QuotaRefusal => {
  const { message: sentence, metadata, budget } = fault;
  return {
    kind: 'failed',
    errorClass: 'quota_exceeded',
    sentence,
    usage: undefined,
    metadata,
    budget: budget === undefined ? undefined : { kind: 'budget', toolCallId: NO_CALL, action: 'budget', ...budget },
  };
};

/** Quotas of the turns of a process. */
export const createQuota = (ports: ReservePorts, requests: Requests): Quota => new QuotaStep(ports, requests);

/** Counts a model call against the policies of its namespace and records it, in the transaction that records its answer. */
export const chargeUsage = async (
  { tx, usage: meter }: QuotaPorts & { readonly tx: WriteTx },
  { row, body }: Pick<StepTurn, 'row' | 'body'>,
  usage: TurnUsage,
): Promise<void> => {
  const { namespace, agent } = row;
  const { provider, model } = usage;
  await meter.charge(tx, { namespace, agent, identity: body.cause.identity, provider, model }, usage, row.id);
};
