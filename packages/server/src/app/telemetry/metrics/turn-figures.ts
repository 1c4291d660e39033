import type { EmbedOutcome, ModelTarget } from '../../../models/contract.ts';
import type { TracedOutcome, TurnMeter } from '../../../runtime/contract.ts';
import { MODEL_SECONDS, REQUEST_SECONDS, TOKENS, TURN_SECONDS } from './buckets.ts';
import { LabelLimit } from './label-limit.ts';
import { Counter, Histogram, type Registry } from './metric-classes.ts';

/** A turn that ended, as its hook sees it. */
export interface EndedTurn {
  readonly namespace: string;
  readonly state: string;
  /** Error class of a FAILED turn, else ''. */
  readonly errorClass: string;
  /** From its first claim; undefined for one that never ran. */
  readonly durationMs: number | undefined;
}

export interface TurnFigures {
  readonly meter: TurnMeter;
  readonly turnEnded: (turn: EndedTurn) => void;
  readonly retried: (target: ModelTarget, errorClass: string) => void;
  /** A request for vectors. */
  readonly embedded: (target: ModelTarget, durationMs: number, outcome: EmbedOutcome) => void;
}

const MODEL_LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

const modelCollectors = (registers: Registry[]) => ({
  durations: new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Duration of model calls, all tries included.',
    labelNames: [...MODEL_LABELS, 'error_type'],
    buckets: MODEL_SECONDS,
    registers,
  }),
  firstChunks: new Histogram({
    name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
    help: 'From a model request to the first chunk of its answer.',
    labelNames: MODEL_LABELS,
    buckets: MODEL_SECONDS,
    registers,
  }),
  tokens: new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of model calls.',
    labelNames: [...MODEL_LABELS, 'gen_ai_token_type'],
    buckets: TOKENS,
    registers,
  }),
  costs: new Counter({
    name: 'svc_llm_cost_micros_total',
    help: 'Cost of model calls, in millionths of the unit of models.prices.',
    labelNames: MODEL_LABELS,
    registers,
  }),
  retries: new Counter({
    name: 'svc_provider_retries_total',
    help: 'Repeated tries of model calls.',
    labelNames: ['provider', 'class'],
    registers,
  }),
  failovers: new Counter({
    name: 'svc_provider_failovers_total',
    help: 'Model calls handed to the next profile of their agent.',
    labelNames: ['provider', 'class'],
    registers,
  }),
});

/** With a label for the namespace only when enabled: an installation may have many. */
const turnCollectors = (registers: Registry[], namespaceLabels: readonly 'namespace'[]) => ({
  turns: new Counter({
    name: 'svc_turns_total',
    help: 'Ended turns by state and class.',
    labelNames: ['state', 'class', ...namespaceLabels],
    registers,
  }),
  durations: new Histogram({
    name: 'svc_turn_duration_seconds',
    help: 'From the first claim to the end of a turn.',
    buckets: TURN_SECONDS,
    registers,
  }),
  queueTimes: new Histogram({
    name: 'svc_turn_queue_time_seconds',
    help: 'From the admission of a turn to its first claim.',
    buckets: TURN_SECONDS,
    registers,
  }),
  recovered: new Counter({
    name: 'svc_turn_recovered_total',
    help: 'Attempts that took a turn over from a lost worker.',
    registers,
  }),
  lost: new Counter({ name: 'svc_claims_lost_total', help: 'Claims that ended before their turn did.', registers }),
  tools: new Histogram({
    name: 'svc_tool_duration_seconds',
    help: 'Duration of tool calls by how they ended.',
    labelNames: ['tool', 'end'],
    buckets: REQUEST_SECONDS,
    registers,
  }),
});

const errorOf = (outcome: TracedOutcome): string =>
  outcome.kind === 'failed' ? outcome.error.errorClass : outcome.kind === 'aborted' ? 'aborted' : '';

const noteTokens = (
  tokens: Histogram<string>,
  labels: Readonly<Record<string, string>>,
  outcome: TracedOutcome,
): void => {
  if (outcome.kind === 'aborted' || outcome.usage === undefined) return;
  const { inputTokens, outputTokens } = outcome.usage;
  tokens.observe({ ...labels, gen_ai_token_type: 'input' }, inputTokens);
  tokens.observe({ ...labels, gen_ai_token_type: 'output' }, outputTokens);
};

const meterOf = (
  model: ReturnType<typeof modelCollectors>,
  turn: ReturnType<typeof turnCollectors>,
  models: LabelLimit,
): TurnMeter => {
  const tools = new LabelLimit();
  return {
    turnBegan: ({ queuedMs, recovered }) => {
      if (queuedMs !== undefined) turn.queueTimes.observe(Math.max(0, queuedMs) / 1000);
      if (recovered) turn.recovered.inc();
    },
    claimLost: () => turn.lost.inc(),
    modelCalled: ({ target, purpose, durationMs, firstChunkMs, outcome }) => {
      const labels = {
        gen_ai_operation_name: purpose ?? 'chat',
        gen_ai_provider_name: target.provider,
        gen_ai_request_model: models.of(target.model),
      };
      model.durations.observe({ ...labels, error_type: errorOf(outcome) }, durationMs / 1000);
      if (firstChunkMs !== undefined) model.firstChunks.observe(labels, firstChunkMs / 1000);
      noteTokens(model.tokens, labels, outcome);
      if (outcome.kind !== 'aborted') model.costs.inc(labels, outcome.usage?.costMicros ?? 0);
    },
    failedOver: ({ provider }, errorClass) => model.failovers.inc({ provider, class: errorClass }),
    toolRan: (tool, end, durationMs) => turn.tools.observe({ tool: tools.of(tool), end }, durationMs / 1000),
  };
};

/** Turns, model calls and tools. */
export const turnFigures = (registry: Registry, hasNamespaceLabel: boolean): TurnFigures => {
  const registers = [registry];
  const model = modelCollectors(registers);
  const turn = turnCollectors(registers, hasNamespaceLabel ? ['namespace'] : []);
  const meter = meterOf(model, turn, new LabelLimit());
  return {
    meter,
    turnEnded: ({ namespace, state, errorClass, durationMs }) => {
      turn.turns.inc({ state, class: errorClass, ...(hasNamespaceLabel ? { namespace } : {}) });
      if (durationMs !== undefined) turn.durations.observe(Math.max(0, durationMs) / 1000);
    },
    embedded: ({ provider, model }, durationMs, outcome) => {
      const target = { provider, model };
      const traced: TracedOutcome =
        'failure' in outcome
          ? { kind: 'failed', error: outcome.failure, usage: undefined }
          : { kind: 'finished', finish: 'stop', usage: outcome.usage };
      meter.modelCalled({ target, purpose: 'embeddings', durationMs, firstChunkMs: undefined, outcome: traced });
    },
    retried: ({ provider }, errorClass) => model.retries.inc({ provider, class: errorClass }),
  };
};
