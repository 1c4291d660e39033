import type { Clock } from '../../base/index.ts';
import { type Attempt, failed, type Outcome, type ProviderDriver, type ReportedUsage } from '../attempt.ts';
import type { ProviderConfig } from '../contract.ts';
import { failureOf } from '../failure-rules.ts';
import { countWords } from '../tokenizer.ts';
import { demoBody } from './demo-body.ts';
import { promptText, readInput } from './demo-input.ts';
import type { DemoMemory } from './demo-memory.ts';
import { DemoRun } from './demo-run.ts';
import { type DemoAction, type DemoStep, parseScript, phraseCall, stepOf } from './demo-script.ts';
import { echoReply, resultsReply, summaryReply, thoughtOf } from './demo-text.ts';

/** Chunks per second when the configuration names no rate. */
const DEFAULT_RATE = 50;

interface DemoDriverOptions {
  readonly config: ProviderConfig;
  readonly clock: Clock;
  readonly memory: DemoMemory;
}

const TEXT_ACTIONS = new Set<DemoAction['type']>(['say', 'repeat', 'prompt', 'tools']);
const OUTPUT_ACTIONS = new Set<DemoAction['type']>([...TEXT_ACTIONS, 'image', 'file']);

/** The deterministic provider without key and network. What it answers follows from its input alone. */
export class DemoDriver implements ProviderDriver {
  readonly #options: DemoDriverOptions;

  constructor(options: DemoDriverOptions) {
    this.#options = options;
  }

  async run(attempt: Attempt): Promise<Outcome> {
    const { request, facts } = attempt;
    if (request.onSent !== undefined) attempt.sent(demoBody(request));
    const inputTokens = countWords(promptText(request));
    const run = new DemoRun(attempt, {
      clock: this.#options.clock,
      memory: this.#options.memory,
      rate: this.#options.config.rate ?? DEFAULT_RATE,
      maxOutputTokens: Math.min(
        request.maxOutputTokens ?? facts.maxOutput,
        facts.maxOutput,
        request.outputLimit ?? facts.maxOutput,
      ),
    });
    if (inputTokens > facts.window) return failed(failureOf('context_overflow'));
    const outcome = await this.#perform(attempt, run);
    return outcome ?? this.#finish(attempt, run, inputTokens);
  }

  body({ request }: Pick<Attempt, 'request'>): Promise<string> {
    return Promise.resolve(demoBody(request));
  }

  async #perform(attempt: Attempt, run: DemoRun): Promise<Outcome | undefined> {
    const { request } = attempt;
    if (request.purpose === 'compaction') return (await run.begin([])) ?? run.say(summaryReply(request));
    const input = readInput(request);
    const script = parseScript(input.text);
    const unknown = script.actions.find((action) => action.type === 'unknown');
    if (unknown !== undefined) {
      const sentence = `The demo provider does not know or cannot read the directive ${unknown.name}.`;
      return failed(failureOf('provider_invalid_request', { sentence }));
    }
    const offered = request.tools.map((tool) => tool.name);
    const scripted = script.actions.some((action) => action.type === 'tool');
    const phrase = scripted
      ? undefined
      : phraseCall(script.plain, [...offered, ...input.results.map(({ name }) => name)]);
    const step = stepWithPhrase(stepOf(script.actions, input.batchesDone), phrase, input.batchesDone);
    const begun = await run.begin(step.actions);
    if (begun !== undefined) return begun;
    const thought = thoughtFor(step, script.plain, request.thinking?.enabled === true);
    const early = thought === undefined ? undefined : await run.think(thought);
    if (early !== undefined) return early;
    const failure = await run.perform(step.actions);
    if (failure !== undefined) return failure;
    if (step.batch.length > 0) return run.call(step.batch);
    if (step.actions.some((action) => TEXT_ACTIONS.has(action.type))) return undefined;
    const isAnswered = input.results.length > 0 && (script.plain === '' || phrase !== undefined);
    if (isAnswered) return run.say(resultsReply(input.results));
    const hasOutput = step.actions.some((action) => OUTPUT_ACTIONS.has(action.type));
    if (hasOutput && script.plain === '') return undefined;
    return run.say(echoReply(script.plain, input.media));
  }

  #finish(attempt: Attempt, run: DemoRun, inputTokens: number): Outcome {
    const { request } = attempt;
    const counted: ReportedUsage = {
      inputTokens,
      outputTokens: countWords(run.written) + countWords(run.reasoning),
      reasoningTokens: countWords(run.reasoning),
    };
    return {
      kind: 'finish',
      finish: run.finish,
      usage: run.usage === undefined ? counted : run.usage.reported,
      providerRequestId: `demo-${request.turnId}-${request.callNumber}`,
    };
  }
}

/** The reasoning of a step: what `!think` says, else what thinking gives when it is on. */
const thoughtFor = (step: DemoStep, plain: string, isThinking: boolean): string | undefined => {
  const directive = step.actions.findLast((action) => action.type === 'think');
  if (directive?.type === 'think') return directive.text;
  return isThinking ? thoughtOf(plain) : undefined;
};

const stepWithPhrase = (
  step: DemoStep,
  phrase: DemoStep['batch'][number] | undefined,
  batchesDone: number,
): DemoStep => (phrase !== undefined && batchesDone === 0 ? { ...step, batch: [phrase] } : step);
