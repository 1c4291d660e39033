import { type Clock, type Fault, isFault } from '../../../base/index.ts';
import {
  errorResult,
  type Tool,
  type ToolContext,
  type ToolErrorCode,
  type ToolResult,
  type ToolWait,
} from '../../../tools/contract.ts';
import { stoppedResult } from './judge-calls.ts';

export interface RunToolOptions {
  /** runtime.toolTimeout, milliseconds, for tools that name none. */
  readonly timeoutMs: number;
  /** The turn's signal: stop, loss of the claim, shutdown. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How a call ended; `error` is what the tool threw, for the log only. */
export interface ToolOutcome {
  readonly end: 'finished' | 'failed' | 'timeout' | 'stopped';
  readonly result: ToolResult;
  readonly error?: unknown;
}

/** A call that has no result yet. */
export interface WaitingCall {
  readonly end: 'waiting';
  readonly wait: ToolWait;
}

/** Longest time-out a tool may ask for. */
const MAX_TIMEOUT_MS = 600_000;
/** How long a timed-out call may still clean up before it is abandoned. */
const GRACE_MS = 2000;

/**
 * Runs one tool and never throws. A time-out aborts the tool's signal, waits 2 s, then abandons it; a stop
 * answers at once. In both cases a late result is discarded.
 */
export const runTool = async (
  tool: Tool,
  context: Omit<ToolContext, 'signal' | 'progress'>,
  call: { readonly input: Readonly<Record<string, unknown>>; readonly options: RunToolOptions },
): Promise<ToolOutcome | WaitingCall> => {
  const { signal, clock, timeoutMs } = call.options;
  if (signal.aborted) return { end: 'stopped', result: stoppedResult(tool.name) };
  const abort = new AbortController();
  const limitMs = Math.min(tool.timeoutMs ?? timeoutMs, MAX_TIMEOUT_MS);
  const timer = silence(clock, limitMs);
  const work = startTool(tool, { ...context, signal: abort.signal, progress: timer.renew }, call.input);
  const stop = aborted(signal);
  try {
    const first = await Promise.race([work, timer.done, stop.done]);
    if (first === 'stopped' || signal.aborted) return { end: 'stopped', result: stoppedResult(tool.name) };
    if (first !== 'elapsed') return first;
    abort.abort(new Error('tool time-out'));
    const grace = delay(clock, GRACE_MS);
    await Promise.race([work, grace.done, stop.done]);
    grace.cancel();
    const result = errorResult(tool.name, 'timeout', `no result within ${limitMs / 1000} s`, true);
    return { end: 'timeout', result };
  } finally {
    timer.cancel();
    stop.cancel();
    abort.abort(new Error('tool call ended'));
  }
};

const startTool = async (
  tool: Tool,
  context: ToolContext,
  input: Readonly<Record<string, unknown>>,
): Promise<ToolOutcome | WaitingCall> => {
  try {
    const result = await tool.run(context, input);
    return 'wait' in result ? { end: 'waiting', wait: result } : { end: 'finished', result };
  } catch (error) {
    return { end: 'failed', result: failureResult(tool.name, error), error };
  }
};

interface Pending<T> {
  readonly done: Promise<T>;
  readonly cancel: () => void;
}

const delay = (clock: Clock, ms: number): Pending<'elapsed'> => {
  const { promise, resolve } = Promise.withResolvers<'elapsed'>();
  return { done: promise, cancel: clock.after(ms, () => resolve('elapsed')) };
};

/** Elapses `ms` after the last sign of progress, and `MAX_TIMEOUT_MS` after the start at the latest. */
const silence = (clock: Clock, ms: number): Pending<'elapsed'> & { readonly renew: () => void } => {
  const { promise, resolve } = Promise.withResolvers<'elapsed'>();
  const latestMs = clock.monotonicMs() + MAX_TIMEOUT_MS;
  let isOver = false;
  let cancel = clock.after(ms, () => resolve('elapsed'));
  return {
    done: promise,
    cancel: () => {
      isOver = true;
      cancel();
    },
    renew: () => {
      if (isOver) return;
      cancel();
      cancel = clock.after(Math.max(0, Math.min(ms, latestMs - clock.monotonicMs())), () => resolve('elapsed'));
    },
  };
};

const aborted = (signal: AbortSignal): Pending<'stopped'> => {
  const { promise, resolve } = Promise.withResolvers<'stopped'>();
  const listen = (): void => resolve('stopped');
  signal.addEventListener('abort', listen, { once: true });
  return { done: promise, cancel: () => signal.removeEventListener('abort', listen) };
};

/** Faults carry safe text; of anything else only the fact is shown. */
const failureResult = (name: string, error: unknown): ToolResult => {
  if (!isFault(error) || HIDDEN.has(error.code)) return errorResult(name, 'failed', 'the tool failed');
  const { code, retryable } = FAULT_CODES[error.code] ?? { code: 'failed', retryable: false };
  return errorResult(name, code, error.message, retryable);
};

const HIDDEN: ReadonlySet<Fault['code']> = new Set(['INTERNAL', 'UNKNOWN', 'DATA_LOSS']);

const FAULT_CODES: Partial<Record<Fault['code'], { readonly code: ToolErrorCode; readonly retryable: boolean }>> = {
  INVALID_ARGUMENT: { code: 'invalid_arguments', retryable: false },
  PERMISSION_DENIED: { code: 'denied', retryable: false },
  UNAUTHENTICATED: { code: 'denied', retryable: false },
  UNAVAILABLE: { code: 'unavailable', retryable: true },
  RESOURCE_EXHAUSTED: { code: 'unavailable', retryable: true },
  ABORTED: { code: 'failed', retryable: true },
  DEADLINE_EXCEEDED: { code: 'timeout', retryable: true },
};
