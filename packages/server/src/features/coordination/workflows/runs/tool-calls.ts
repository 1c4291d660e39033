import { BackgroundWork, type CancelTimer, type Clock, isFault, type Log } from '../../../../base/index.ts';
import {
  type ClaimedItem,
  DONE,
  isPassing,
  type QueueWorker,
  type ReconcileOutcome,
  type WorkGoesOn,
} from '../../../../controllers/contract.ts';
import { isJsonMap, type JsonData } from '../../../../resources/index.ts';
import type { ObjectAccess } from '../../../../runtime/contract.ts';
import { runHolder, type Store } from '../../../../store/contracts/index.ts';
import type { ToolContext, ToolRegistry, ToolResult, ToolWait } from '../../../../tools/contract.ts';
import {
  CALL_HOLD_MS,
  callKey,
  isRunOver,
  type OpenRun,
  type StepAttempt,
  type StepState,
  TOOL_CALL,
  VALUE,
} from '../record/index.ts';
import { failed, outputOf, type StepEnd, storedTextOutput, workflowIdentity } from '../steps/index.ts';
import type { StepToolGrant } from '../tool-grant.ts';
import type { SchemaCheck } from '../values/index.ts';
import type { RunDriver } from './run-driver.ts';

/** Calls under way in this process; further ones wait in the queue. */
const MAX_AT_ONCE = 64;
const BUSY_MS = 1_000;
const RENEW_MS = 10_000;
/** Longest time-out that a tool may ask for. */
const TIMEOUT_MAX_MS = 600_000;

interface ToolCallsDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly driver: RunDriver;
  readonly tools: Pick<ToolRegistry, 'offered'>;
  readonly check: SchemaCheck;
  readonly grantOf: StepToolGrant;
  /** Names this process. */
  readonly owner: string;
  /** `runtime.toolTimeout`. */
  readonly timeoutMs: number;
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
  /** `limits.stepOutputMax`. */
  readonly outputBytes: number;
}

/** What an ended call makes of its step, in the transaction that records it. */
type CallEnd = (open: OpenRun) => StepEnd | Promise<StepEnd>;

/** A text that is too large to be in the record of its run. */
interface LargeOutput {
  readonly namespace: string;
  readonly bytes: Uint8Array;
  readonly facts: Parameters<ObjectAccess['store']>[2];
}

/** A call that this process has claimed. */
interface ClaimedCall extends StepAttempt {
  readonly namespace: string;
  readonly workflow: string;
  readonly tool: string;
  /** The step takes text. */
  readonly isText: boolean;
  readonly input: JsonData;
}

/**
 * Calls the tools of steps, next to the queue, so that a slow one holds up nothing else. The queued item stays claimed until the result is
 * recorded; a process that dies leaves it, and another one makes the same call with the same idempotency key. A recorded result is not asked for again.
 */
export class ToolCalls implements QueueWorker {
  readonly kinds = [TOOL_CALL];
  readonly #deps: ToolCallsDeps;
  readonly #calls: BackgroundWork;
  /** The token of the queued item of each call that is under way. */
  readonly #tokens = new Map<string, string>();

  constructor(deps: ToolCallsDeps) {
    this.#deps = deps;
    this.#calls = new BackgroundWork({
      max: MAX_AT_ONCE,
      // The item is still queued: the call is made again.
      failed: (error, call) =>
        deps.log.warn('the tool of a workflow step was not called', { call, reason: String(error) }),
    });
  }

  async run(item: ClaimedItem): Promise<ReconcileOutcome | WorkGoesOn> {
    if (this.#calls.has(item.key)) return this.#goesOn(item);
    if (this.#calls.isFull) return { againMs: BUSY_MS };
    const claimed = await this.#claim(JSON.parse(item.payload) as StepAttempt);
    if (claimed === undefined) return DONE;
    if ('againMs' in claimed) return claimed;
    // Not begun where it was closed meanwhile: another process makes the call.
    const isBegun = this.#calls.start(callKey(claimed), (control) => this.#run(claimed, control));
    return isBegun ? this.#goesOn(item) : { againMs: BUSY_MS };
  }

  #goesOn({ key, token }: ClaimedItem): WorkGoesOn {
    if (this.#calls.has(key)) this.#tokens.set(key, token);
    return { heldMs: CALL_HOLD_MS };
  }

  /** Resolves once no call is under way any more. */
  settled(): Promise<void> {
    return this.#calls.settled();
  }

  /** Ends what is under way; the queue still holds it. */
  close(): Promise<void> {
    return this.#calls.close();
  }

  /** Undefined where the call is no longer wanted. */
  #claim(call: StepAttempt): Promise<ClaimedCall | { readonly againMs: number } | undefined> {
    const { store, driver } = this.#deps;
    return store.write(async (tx) => {
      const open = await driver.find(tx, call.runId);
      const state = open === undefined ? undefined : calledStep(open, call);
      if (open === undefined || state === undefined) return undefined;
      // Its result could not be recorded, and the call would be made again and again.
      const paused = await driver.pause(tx, open.run);
      if (paused !== undefined) return paused;
      const now = tx.steadyNow();
      const held = state.call === undefined || state.call.owner === this.#deps.owner ? 0 : state.call.until - now;
      if (held > 0) return { againMs: Math.ceil(held / 1_000) };
      open.change(state, { call: this.#claimUntil(now) });
      await open.save();
      const { namespace, workflow } = open.run;
      const { tool = '', output } = open.spec.steps.find(({ id }) => id === call.stepId) ?? {};
      const input = (await open.value(VALUE.stepInput(call.stepId))) ?? {};
      return { ...call, namespace, workflow, tool, isText: output?.format !== 'json', input };
    });
  }

  #claimUntil(now: number) {
    return { owner: this.#deps.owner, until: now + CALL_HOLD_MS * 1_000 };
  }

  async #run(call: ClaimedCall, control: AbortController): Promise<void> {
    const stopRenewing = this.#renew(call, control);
    try {
      await this.#carry(call, control);
    } finally {
      stopRenewing();
      this.#tokens.delete(callKey(call));
    }
  }

  /** Keeps the claim while the call is under way, and ends a call that is no longer wanted. */
  #renew(call: ClaimedCall, control: AbortController): CancelTimer {
    const { clock, store, driver, log } = this.#deps;
    const renewed = (): Promise<boolean> =>
      store.write(async (tx) => {
        const open = await driver.find(tx, call.runId);
        const state = open === undefined ? undefined : calledStep(open, call);
        if (open === undefined || state?.call?.owner !== this.#deps.owner) return false;
        const claim = this.#claimUntil(tx.steadyNow());
        open.change(state, { call: claim });
        await open.save();
        const key = callKey(call);
        await tx.queue.renew(TOOL_CALL, key, this.#tokens.get(key) ?? '', claim.until);
        return true;
      });
    let cancel: CancelTimer = () => undefined;
    const next = (): void => {
      cancel = clock.after(RENEW_MS, () => {
        next();
        renewed().then(
          (isOwn) => {
            if (!isOwn) control.abort();
          },
          (error: unknown) => log.warn('the claim of a tool call was not renewed', { reason: String(error) }),
        );
      });
    };
    next();
    return () => cancel();
  }

  async #carry(call: ClaimedCall, control: AbortController): Promise<void> {
    const { driver } = this.#deps;
    const end = await this.#call(call, control);
    // Stopped: by the end of its step or of this process, which records nothing.
    if (end === undefined) return;
    await driver.move(call.runId, `tool of step ${call.stepId} answered`, async (open) => {
      const state = calledStep(open, call);
      if (state !== undefined) await driver.moves.endAttempt(open, state, await end(open));
    });
  }

  async #call(call: ClaimedCall, control: AbortController): Promise<CallEnd | undefined> {
    const { clock, timeoutMs, check } = this.#deps;
    const found = await this.#find(call, control.signal);
    if (found === undefined) return () => failed('TOOL_NOT_AVAILABLE', `${call.tool} is not available now`);
    const input = isJsonMap(call.input) ? call.input : {};
    const problems = check(found.tool.inputSchema, call.input);
    if (problems.length > 0) return () => failed('TOOL_INPUT', problems.join('; '), { isFinal: true });
    const limitMs = Math.min(found.tool.timeoutMs ?? timeoutMs, TIMEOUT_MAX_MS);
    let hasTimedOut = false;
    const timer = clock.after(limitMs, () => {
      hasTimedOut = true;
      control.abort();
    });
    let result: ToolResult | ToolWait;
    try {
      result = await untilAborted(found.tool.run(this.#context(call, found, control), input), control.signal);
    } catch (error) {
      if (hasTimedOut) return () => failed('TOOL_TIMEOUT', `no result within ${limitMs / 1_000} s`);
      if (control.signal.aborted) return undefined;
      const { code, message } = isFault(error)
        ? { code: error.reason, message: error.message }
        : { code: 'TOOL_FAILED', message: 'the tool failed' };
      return () => failed(code, message);
    } finally {
      timer();
    }
    return this.#ended(call, result, control.signal);
  }

  async #find({ namespace, tool, runId, workflow }: ClaimedCall, signal: AbortSignal) {
    const { tools, grantOf, store } = this.#deps;
    const granted = await grantOf(store.direct, namespace, tool);
    const none = { agent: '', features: [], connections: [] };
    const { capabilities, names, mcpServers } = granted;
    const offered = await tools.offered({
      grants: { ...none, namespace, capabilities, mcpServers },
      sessionId: '',
      sessionLabels: {},
      turnId: runId,
      identity: workflowIdentity({ namespace, workflow }),
      lineage: [],
      openCalls: names,
      signal,
    });
    return offered.find((one) => names.includes(one.tool.name) && one.approval === 'allow');
  }

  #context(
    { namespace, workflow, ...call }: ClaimedCall,
    { reach, narrower }: { readonly reach: ToolContext['reach']; readonly narrower?: readonly string[] },
    { signal }: AbortController,
  ): ToolContext {
    const key = callKey(call);
    return {
      namespace,
      agent: '',
      sessionId: '',
      turnId: call.runId,
      callId: key,
      idempotencyKey: key,
      identity: workflowIdentity({ namespace, workflow }),
      lineage: [],
      reach,
      ...(narrower === undefined ? {} : { narrower }),
      signal,
      progress: () => undefined,
      answers: [],
      nowMicros: this.#deps.clock.nowMicros(),
    };
  }

  /**
   * Tries until the bytes are stored: the tool is not called again because the object store is away. Undefined when it refuses them for
   * a reason that does not pass.
   */
  async #stored(
    { namespace, bytes, facts }: LargeOutput,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<ObjectAccess['store']>> | undefined> {
    const { objects, clock, log } = this.#deps;
    for (;;) {
      try {
        return await objects.store(namespace, bytes, facts);
      } catch (error) {
        if (signal.aborted || !isFault(error)) throw error;
        log.warn('the output of a tool was not stored', { reason: error.message });
        if (!isPassing(error)) return undefined;
      }
      await untilAborted(new Promise<void>((resolve) => void clock.after(RENEW_MS, resolve)), signal);
    }
  }

  async #ended(call: ClaimedCall, result: ToolResult | ToolWait, signal: AbortSignal): Promise<CallEnd> {
    const { stepId, tool, namespace, runId, isText } = call;
    const { check, outputBytes } = this.#deps;
    if ('wait' in result) return () => failed('TOOL_WAITS', `${tool} waits for a ${result.wait}, which a step cannot`);
    const text = result.content.map((one) => (one.type === 'text' ? one.text : `[${one.mediaType}]`)).join('\n');
    if (result.isError) return () => failed('TOOL_FAILED', text.slice(0, 600), { text });
    if (isText && Buffer.byteLength(JSON.stringify({ text })) > outputBytes) {
      const facts = { mediaType: 'text/plain; charset=utf-8', filename: `${stepId}.txt` };
      const object = await this.#stored({ namespace, bytes: Buffer.from(text.toWellFormed()), facts }, signal);
      if (object === undefined)
        return () => failed('OUTPUT_NOT_STORED', 'the object store refused it', { isFinal: true });
      return async ({ tx }) => {
        await this.#deps.objects.hold(tx, namespace, object, runHolder(runId));
        return { end: 'completed', output: storedTextOutput(text, object) };
      };
    }
    const { structured } = result;
    return (open) => {
      const step = open.spec.steps.find(({ id }) => id === stepId);
      if (step === undefined) return failed('TOOL_FAILED', 'the step is gone');
      return outputOf(check, step, { text, structured });
    };
  }
}

/** The step while the call is wanted. */
const calledStep = (open: OpenRun, { stepId, attempt }: StepAttempt): StepState | undefined => {
  const state = isRunOver(open.run) ? undefined : open.step(stepId);
  return state?.status === 'STARTING' && state.attempt === attempt ? state : undefined;
};

/** The work, unless the signal comes first: what is late is discarded. */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  });
