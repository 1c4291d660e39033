import { hash } from 'node:crypto';
import type { Clock } from '../../../base/index.ts';
import { hasExpressions } from '../../../resources/expressions/index.ts';
import type { KeptCall, PromptAgent, PromptRequest, PromptSource, StepRecord } from '../../contract.ts';
import type { ResolvedProfile } from '../../record/index.ts';
import type { AskedCall } from '../answer/index.ts';
import type { StepTurn } from '../contract.ts';

/** SHA-256 of a text, base64url. */
const textHash = (text: string): string => hash('sha256', text, 'base64url');

const sourceOf = (value: unknown): PromptSource => {
  const text = JSON.stringify(value);
  return { hash: textHash(text), text };
};

/** Sources of what does not change as long as it is the same object: revisions of agents, lists of tools. */
const knownSources = new WeakMap<object, PromptSource>();

const sourceOnce = (of: object, value: () => unknown): PromptSource => {
  const known = knownSources.get(of);
  if (known !== undefined) return known;
  const source = sourceOf(value());
  knownSources.set(of, source);
  return source;
};

const agentSource = (agent: PromptAgent): PromptSource =>
  sourceOnce(agent, () => {
    const { name, namespace, labels, spec, promptOf } = agent;
    const { systemPrompt, postHistoryPrompt } = spec;
    const replaced = promptOf === undefined ? {} : { promptOf };
    return { name, namespace, labels, spec: { systemPrompt, postHistoryPrompt }, ...replaced };
  });

type Sources = Pick<StepRecord, 'agent' | 'tools' | 'catalogue' | 'skills'>;

/** The texts that a request was made of, each by its hash. */
const sourcesOf = ({
  request,
  tools,
}: AskedPlan): { readonly named: Sources; readonly all: readonly PromptSource[] } => {
  const agent = agentSource(request.agent);
  const offered = tools.length === 0 ? undefined : sourceOnce(tools, () => tools);
  const { catalogue = [], active = [] } = request.skills ?? {};
  const listed = catalogue.length === 0 ? undefined : sourceOf(catalogue);
  const skills = active.map(sourceOf);
  return {
    named: {
      agent: agent.hash,
      ...(offered === undefined ? {} : { tools: offered.hash }),
      ...(listed === undefined ? {} : { catalogue: listed.hash }),
      ...(skills.length === 0 ? {} : { skills: skills.map((skill) => skill.hash) }),
    },
    all: [agent, offered, listed, ...skills].filter((source) => source !== undefined),
  };
};

/** What a request is assembled from. */
type AskedSources = Pick<PromptRequest, 'agent' | 'session' | 'namespaceLabels' | 'goals' | 'skills'>;

interface AskedPlan {
  readonly request: AskedSources;
  /** Those that the system message goes by, also where none are sent. */
  readonly tools: PromptRequest['tools'];
  readonly fitTo?: number;
}

/** Labels matter where a prompt may name them. */
const valuesOf = ({ agent, session, namespaceLabels }: AskedSources): Pick<StepRecord, 'values'> => {
  const { systemPrompt, postHistoryPrompt } = agent.spec;
  if (!hasExpressions(systemPrompt) && !hasExpressions(postHistoryPrompt)) return {};
  return { values: { session: session.labels, namespace: namespaceLabels } };
};

/** Goals by what the system message says of them. */
const goalsOf = ({ goals = [] }: AskedSources): Pick<StepRecord, 'goals'> =>
  goals.length === 0
    ? {}
    : { goals: goals.map(({ objective, successCriteria, progress }) => ({ objective, successCriteria, progress })) };

/** What is asked, of a model or of a harness. */
interface Asked extends Pick<StepRecord, 'summary' | 'harness'> {
  readonly plan: AskedPlan;
  readonly profile: ResolvedProfile;
  readonly step: number;
  readonly inputs: StepRecord['inputs'];
  /** What a quota of money leaves for the answer. */
  readonly outputLimit: number | undefined;
}

/** One call of a model, or prompt of a harness, from its request to its end: hash and times as they become known. */
export class SentCall implements AskedCall {
  readonly #turn: Pick<StepTurn, 'historyExtent' | 'messageId'>;
  readonly #asked: Asked;
  readonly #parts: number;
  readonly #startedAt: number;
  #sha256 = '';
  #bytes = 0;
  #durationMs = 0;
  #firstMs: number | undefined;

  constructor(turn: Pick<StepTurn, 'historyExtent' | 'messageId' | 'nextIndex'>, asked: Asked, clock: Clock) {
    this.#turn = turn;
    this.#asked = asked;
    this.#parts = turn.nextIndex;
    this.#startedAt = clock.nowMicros();
  }

  /** The request leaves with this body. */
  readonly onSent = (body: string): void => {
    // Hashed as bytes: a long text takes ten times as long, and with a picture in it that holds up everyone else.
    const bytes = Buffer.from(body);
    this.#sha256 = hash('sha256', bytes, 'base64url');
    this.#bytes = bytes.length;
  };

  noteTimes(durationMs: number, firstMs: number | undefined): void {
    this.#durationMs = Math.round(durationMs);
    this.#firstMs = firstMs === undefined ? undefined : Math.round(firstMs);
  }

  kept(): KeptCall | undefined {
    if (this.#bytes === 0) return undefined;
    const { plan, profile, step, inputs, outputLimit, summary, harness } = this.#asked;
    const { target, temperature, thinking } = profile;
    const { named, all } = sourcesOf(plan);
    const record: StepRecord = {
      step,
      target,
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(outputLimit === undefined ? {} : { outputLimit }),
      inputs,
      sha256: this.#sha256,
      bytes: this.#bytes,
      startedAt: this.#startedAt,
      ...(this.#firstMs === undefined ? {} : { firstMs: this.#firstMs }),
      durationMs: this.#durationMs,
      messageId: this.#turn.messageId,
      parts: this.#parts,
      history: this.#turn.historyExtent,
      ...named,
      ...goalsOf(plan.request),
      ...valuesOf(plan.request),
      ...(plan.fitTo === undefined ? {} : { fitTo: plan.fitTo }),
      ...(summary === undefined ? {} : { summary }),
      ...(harness === undefined ? {} : { harness }),
    };
    return { record, sources: all };
  }
}
