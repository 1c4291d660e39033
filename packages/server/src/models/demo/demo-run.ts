import type { CancelTimer, Clock } from '../../base/index.ts';
import { type Attempt, failed, type Outcome, type ReportedUsage } from '../attempt.ts';
import type { ModelErrorClass, ModelFinish } from '../contract.ts';
import { failureOf } from '../failure-rules.ts';
import { countWords } from '../tokenizer.ts';
import type { DemoMemory } from './demo-memory.ts';
import type { DemoAction } from './demo-script.ts';
import { demoFile, demoImage, promptReply, toolsReply, wordsOf } from './demo-text.ts';
import { readDemoUsage } from './demo-usage.ts';

interface DemoRunOptions {
  readonly clock: Clock;
  readonly memory: DemoMemory;
  /** Chunks per second; 0 = no delay. */
  readonly rate: number;
  readonly maxOutputTokens: number;
}

const STATUS: Partial<Record<ModelErrorClass, number>> = {
  provider_auth: 401,
  provider_rate_limited: 429,
  provider_unavailable: 503,
  provider_invalid_request: 400,
};

const CANCELLED: Outcome = failed(failureOf('provider_stream'));

/** Carries out one demo answer with its pacing. Methods return the outcome that ended it early, else undefined. */
export class DemoRun {
  readonly #attempt: Attempt;
  readonly #options: DemoRunOptions;
  #rate: number;
  #nextChunkMs = 0;
  #chunks = 0;
  #tokens = 0;
  #breakAfter: number | undefined;
  #retryAfterMs: number | undefined;
  #isCancelled = false;
  #interrupt: (() => void) | undefined;
  written = '';
  reasoning = '';
  finish: ModelFinish = 'stop';
  /** Set by `!usage`; `reported` is undefined for `none`. */
  usage: { readonly reported: ReportedUsage | undefined } | undefined;

  constructor(attempt: Attempt, options: DemoRunOptions) {
    this.#attempt = attempt;
    this.#options = options;
    this.#rate = options.rate;
    attempt.onCancel(() => {
      this.#isCancelled = true;
      this.#interrupt?.();
    });
  }

  /** Headers: settings that hold for the whole answer, and `!connect`. */
  async begin(actions: readonly DemoAction[]): Promise<Outcome | undefined> {
    this.#attempt.connected();
    for (const action of actions) {
      if (action.type === 'retry-after') this.#retryAfterMs = action.value * 1000;
      else if (action.type === 'finish') this.finish = action.finish;
      else if (action.type === 'usage') this.usage = { reported: readDemoUsage(action.usage) };
      else if (action.type === 'break' && this.#count('break') === 1) this.#breakAfter = action.value;
      else if (action.type === 'connect' && !(await this.#pause(action.value))) return CANCELLED;
    }
    return undefined;
  }

  async perform(actions: readonly DemoAction[]): Promise<Outcome | undefined> {
    for (const [index, action] of actions.entries()) {
      const ended = await this.#performOne(action, index);
      if (ended !== undefined) return ended;
    }
    return undefined;
  }

  async think(text: string): Promise<Outcome | undefined> {
    for (const word of wordsOf(text)) {
      const ended = await this.#nextChunk();
      if (ended !== undefined) return ended;
      this.reasoning += word;
      this.#attempt.emit({ type: 'reasoning', text: word });
    }
    this.#attempt.emit({ type: 'reasoning-end', continuation: { demo: this.#attempt.request.callNumber } });
    return undefined;
  }

  async say(text: string): Promise<Outcome | undefined> {
    return this.#sayChunks(wordsOf(text));
  }

  async call(batch: readonly { readonly name: string; readonly inputText: string }[]): Promise<Outcome | undefined> {
    for (const [index, { name, inputText }] of batch.entries()) {
      const ended = await this.#nextChunk();
      if (ended !== undefined) return ended;
      this.written += ` ${name} ${inputText}`;
      const providerCallId = `demo-call-${this.#attempt.request.callNumber}-${index}`;
      this.#attempt.emit({ type: 'call', providerCallId, name, inputText });
    }
    if (this.finish === 'stop') this.finish = 'tool_calls';
    return undefined;
  }

  async #performOne(action: DemoAction, index: number): Promise<Outcome | undefined> {
    switch (action.type) {
      case 'say':
        return this.say(action.text);
      case 'repeat':
        return this.#sayChunks(Array.from({ length: action.count }, () => `${action.text} `));
      case 'prompt':
        return this.say(promptReply(this.#attempt.request));
      case 'tools':
        return this.say(toolsReply(this.#attempt.request));
      case 'image':
        return this.#emitFile({ type: 'file', media: demoImage() });
      case 'file':
        return this.#emitFile({ type: 'file', media: demoFile(action.name, action.text) });
      case 'rate':
        this.#rate = action.value;
        return undefined;
      case 'delay':
        return (await this.#pause(action.value)) ? undefined : CANCELLED;
      case 'hold':
        return this.#hold(action.text);
      case 'error':
        return this.#error(action, index);
      default:
        return undefined;
    }
  }

  /** One chunk for each element; cut by the output cap with finish `length`. */
  async #sayChunks(chunks: readonly string[]): Promise<Outcome | undefined> {
    for (const text of chunks) {
      const tokens = countWords(text);
      if (this.#tokens + tokens > this.#options.maxOutputTokens) {
        this.finish = 'length';
        return undefined;
      }
      const ended = await this.#nextChunk();
      if (ended !== undefined) return ended;
      this.#tokens += tokens;
      this.written += text;
      this.#attempt.emit({ type: 'text', text });
    }
    return undefined;
  }

  async #emitFile(chunk: Parameters<Attempt['emit']>[0]): Promise<Outcome | undefined> {
    const ended = await this.#nextChunk();
    if (ended === undefined) this.#attempt.emit(chunk);
    return ended;
  }

  /** Waits for the pace of the next chunk, breaks off when `!break` says so. */
  async #nextChunk(): Promise<Outcome | undefined> {
    const { clock } = this.#options;
    if (this.#breakAfter !== undefined && this.#chunks >= this.#breakAfter) {
      this.#attempt.received(this.#chunks > 0);
      return failed(failureOf('provider_stream'));
    }
    if (this.#rate > 0) {
      const now = clock.monotonicMs();
      if (this.#nextChunkMs > now && !(await this.#pause(this.#nextChunkMs - now))) return CANCELLED;
      this.#nextChunkMs = Math.max(this.#nextChunkMs, now) + 1000 / this.#rate;
    }
    if (this.#isCancelled) return CANCELLED;
    this.#attempt.received(true);
    this.#chunks += 1;
    return undefined;
  }

  /** False when cancelled meanwhile. */
  async #pause(delayMs: number): Promise<boolean> {
    if (this.#isCancelled) return false;
    let cancelTimer: CancelTimer | undefined;
    await new Promise<void>((resolve) => {
      this.#interrupt = resolve;
      cancelTimer = this.#options.clock.after(delayMs, resolve);
    });
    cancelTimer?.();
    this.#interrupt = undefined;
    return !this.#isCancelled;
  }

  async #hold(name: string): Promise<Outcome | undefined> {
    if (this.#isCancelled) return CANCELLED;
    const resume = this.#attempt.suspendTimeouts();
    let leave: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      this.#interrupt = resolve;
      leave = this.#options.memory.hold(name, resolve);
    });
    leave?.();
    this.#interrupt = undefined;
    resume();
    return this.#isCancelled ? CANCELLED : undefined;
  }

  #error(action: Extract<DemoAction, { readonly type: 'error' }>, index: number): Outcome | undefined {
    const number = this.#count(`error ${index}`);
    if (action.times !== undefined && number > action.times) return undefined;
    const httpStatus = STATUS[action.errorClass];
    return failed(
      failureOf(action.errorClass, {
        ...(httpStatus === undefined || this.#chunks > 0 ? {} : { httpStatus }),
        ...(this.#retryAfterMs === undefined ? {} : { retryAfterMs: this.#retryAfterMs }),
      }),
    );
  }

  #count(directive: string): number {
    return this.#options.memory.count(`${this.#attempt.request.turnId} ${directive}`);
  }
}
