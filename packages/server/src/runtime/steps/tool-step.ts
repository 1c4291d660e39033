import { isFault } from '../../base/index.ts';
import { sessionHolder, type WriteTx } from '../../store/contracts/index.ts';
import type { OfferedTool, ToolResult } from '../../tools/contract.ts';
import type { ClaimChange, ClaimState } from '../claim/turn-claim.ts';
import { callerTrace, noMeter, PART, type Part, type PermissionData, type PlacedPart } from '../contract.ts';
import { permissionRow, requestPart } from '../record/index.ts';
import { parseSide, partId } from '../record/turn-record.ts';
import { releasePendingStops } from '../session/turn-finish.ts';
import { publishAfterCommit } from '../session/turn-stop.ts';
import {
  type BatchEnd,
  deniedResult,
  driveBatch,
  failureFields,
  idempotencyKey,
  type JudgedCall,
  judgeCalls,
  placeOfCall,
  type RequestedCall,
  runTool,
  toolResultPart,
} from './tool-batch/index.ts';
import { noteRecorded, type TurnContext } from '../attempt/attempt-state.ts';

/** How a batch left the turn. `quota` ends it FAILED with these facts. */
export type ToolsEnd =
  | { readonly kind: 'finished' | 'stopped' | 'parked' }
  | { readonly kind: 'quota'; readonly sentence: string; readonly metadata: Readonly<Record<string, string>> };

/** A call that may run, perhaps only after an ALLOW. */
type RunnableCall = Exclude<JudgedCall, { kind: 'refused' }>;

interface QuotaStop {
  readonly sentence: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const callIdOf = (part: Part): string => String(part.payload?.['tool_call_id'] ?? '');

const asCall = (part: Part): RequestedCall => ({
  callId: callIdOf(part),
  name: part.name ?? '',
  input: part.payload?.['input'],
});

/** Calls of the newest model response, and all calls of the turn before it. */
const batchOf = (
  recorded: readonly PlacedPart[],
): { readonly calls: readonly RequestedCall[]; readonly earlier: readonly RequestedCall[] } => {
  const parts = recorded.map((entry) => entry.part);
  const lastUsage = parts.findLastIndex((part) => part.type === PART.USAGE);
  const isCall = (part: Part): boolean => part.type === PART.TOOL_CALL;
  return {
    calls: parts
      .slice(lastUsage + 1)
      .filter(isCall)
      .map(asCall),
    earlier: parts
      .slice(0, lastUsage + 1)
      .filter(isCall)
      .map(asCall),
  };
};

/** Ids of calls that have a result. */
const answered = (recorded: readonly PlacedPart[]): ReadonlySet<string> =>
  new Set(recorded.filter((entry) => entry.part.type === PART.TOOL_RESULT).map((entry) => callIdOf(entry.part)));

/** True while the newest model response has a call without a result: after a crash, only those run. */
export const hasOpenCalls = (recorded: readonly PlacedPart[]): boolean => {
  const done = answered(recorded);
  return batchOf(recorded).calls.some((call) => !done.has(call.callId));
};

/** Decision on the question about one call, as the recorded parts tell it. */
const decisionFor = (recorded: readonly PlacedPart[], callId: string): 'unasked' | 'open' | 'allowed' | 'denied' => {
  const question = recorded.find(
    (entry) => entry.part.type === PART.REQUEST_PERMISSION && callIdOf(entry.part) === callId,
  );
  if (question === undefined) return 'unasked';
  const requestId = question.part.payload?.['request_id'];
  const answer = recorded.find(
    (entry) => entry.part.type === PART.PERMISSION_RESULT && entry.part.payload?.['request_id'] === requestId,
  );
  if (answer === undefined) return 'open';
  return answer.part.payload?.['decision'] === 'PERMISSION_DECISION_ALLOW' ? 'allowed' : 'denied';
};

const question = (context: TurnContext, judged: RunnableCall, now: number): PermissionData => {
  const { turn } = context.claimed;
  const { call, tool, input } = judged;
  return {
    id: context.deps.ids.next(),
    namespace: turn.namespace,
    agent: turn.agent,
    sessionId: turn.sessionId,
    turnId: turn.id,
    toolCallId: call.callId,
    action: tool.name,
    prompt: `Allow ${turn.agent} to run ${tool.name}?`,
    input,
    options: [
      { id: 'allow_once', name: 'Allow once', allow: true, remember: false },
      { id: 'allow_session', name: 'Allow for this session', allow: true, remember: true },
      { id: 'deny_once', name: 'Deny', allow: false, remember: false },
    ],
    createdAt: now,
    expiresAt: now + context.deps.config.permissionTimeoutMs * 1000,
    decision: 'PENDING',
    optionId: '',
    decidedBy: '',
    decidedAt: 0,
    comment: '',
  };
};

/** One batch of tool calls of a turn: questions first, then the calls, each result journaled as it comes. */
export class TurnTools {
  readonly #context: TurnContext;
  readonly #offered: readonly OfferedTool[];
  readonly #isStopping: () => boolean;
  #quota: QuotaStop | undefined;

  constructor(context: TurnContext, offered: readonly OfferedTool[], isStopping: () => boolean) {
    this.#context = context;
    this.#offered = offered;
    this.#isStopping = isStopping;
  }

  /** Runs what is open until everything is answered, the turn must wait, or it is stopped. */
  async run(): Promise<ToolsEnd> {
    for (;;) {
      const end = await this.#once();
      if (end === 'parked') return { kind: 'parked' };
      if (this.#quota !== undefined) return { kind: 'quota', ...this.#quota };
      if (end.kind !== 'parked') return { kind: end.kind };
      if (this.#isAnswered(end.index)) continue;
      if (await this.#park()) return { kind: 'parked' };
    }
  }

  async #once(): Promise<BatchEnd | 'parked'> {
    const judged = this.#judge();
    if (await this.#ask(judged)) return 'parked';
    const { recorded } = this.#context.transcript;
    const done = answered(recorded);
    const remembered = await this.#remembered();
    const states = judged.map((entry) => this.#stateOf(entry, { done, remembered }));
    return driveBatch({
      calls: states,
      parallelTools: this.#context.knobs.parallelTools,
      isStopping: () => this.#isStopping() || this.#quota !== undefined,
      settle: async (index) => {
        const entry = judged[index];
        if (entry !== undefined)
          await this.#settle(entry, states[index]?.state === 'refused' && entry.kind !== 'refused');
      },
    });
  }

  /** An answer came while earlier calls of the batch ran: the batch continues without parking. */
  #isAnswered(index: number): boolean {
    const { recorded } = this.#context.transcript;
    const call = batchOf(recorded).calls[index];
    return call !== undefined && decisionFor(recorded, call.callId) !== 'open';
  }

  #judge(): readonly JudgedCall[] {
    const { deps, transcript } = this.#context;
    const { calls, earlier } = batchOf(transcript.recorded);
    const names = new Set(this.#offered.map((offer) => offer.tool.name));
    return judgeCalls(calls, {
      offered: this.#offered,
      exists: (name) => names.has(name) || deps.tools.exists(name),
      validate: (tool, input) => deps.tools.validate(tool, input),
      earlier,
      maxBatchCalls: deps.config.maxBatchCalls,
      maxTurnCalls: deps.config.maxToolCalls,
    });
  }

  async #remembered(): Promise<Readonly<Record<string, 'allow' | 'deny'>>> {
    const { claim, deps } = this.#context;
    const session = await claim.patiently(() => deps.store.read((tx) => tx.log.session(claim.sessionId)));
    return session === undefined ? {} : parseSide(session).remembered;
  }

  #stateOf(
    entry: JudgedCall,
    known: { readonly done: ReadonlySet<string>; readonly remembered: Readonly<Record<string, 'allow' | 'deny'>> },
  ): { readonly effect: 'read' | 'write' | 'external'; readonly state: 'ready' | 'asking' | 'refused' | 'done' } {
    const effect = entry.kind === 'refused' ? 'read' : entry.tool.effect;
    if (known.done.has(entry.call.callId)) return { effect, state: 'done' };
    if (entry.kind === 'refused') return { effect, state: 'refused' };
    if (entry.kind === 'run') return { effect, state: 'ready' };
    const decision = decisionFor(this.#context.transcript.recorded, entry.call.callId);
    if (decision === 'allowed' || known.remembered[entry.tool.name] === 'allow') return { effect, state: 'ready' };
    if (decision === 'denied' || known.remembered[entry.tool.name] === 'deny') return { effect, state: 'refused' };
    return { effect, state: 'asking' };
  }

  /**
   * Every question of the batch is asked before its first call runs. Where the first call must wait for its answer,
   * nothing else can run: the turn parks with its questions, so that a client that sees them finds it waiting. True when
   * it did.
   */
  async #ask(judged: readonly JudgedCall[]): Promise<boolean> {
    const { claim, transcript } = this.#context;
    const done = answered(transcript.recorded);
    const remembered = await this.#remembered();
    const open = judged.filter(
      (entry): entry is RunnableCall =>
        entry.kind === 'ask' &&
        !done.has(entry.call.callId) &&
        remembered[entry.tool.name] === undefined &&
        decisionFor(transcript.recorded, entry.call.callId) === 'unasked',
    );
    if (open.length === 0) return false;
    const { deps } = this.#context;
    const mayPark = judged.find((entry) => !done.has(entry.call.callId)) === open[0] && !this.#isStopping();
    let isParked = false;
    deps.faultPoint('before-ask');
    if (mayPark) deps.faultPoint('before-park');
    await claim.commit(
      async (tx, state) => {
        isParked = false;
        // Stopping a turn ends its questions too: one that parked behind the flag would wait on with its own.
        if (state.turn.stopRequested) return {};
        const entries: { kind: string; value: unknown }[] = [];
        for (const entry of open) {
          const data = question(this.#context, entry, tx.now());
          await tx.log.insertPermission(permissionRow(data, true));
          const part = requestPart(data, this.#nextPartId(state.foreign.length + entries.length));
          entries.push({ kind: 'PARK', value: { messageId: this.#context.messageId, part } });
        }
        // Stops that wait for the turn show behind its question: that is left to a transaction of its own.
        isParked = mayPark && state.foreign.length === 0 && state.body.pendingStops.length === 0;
        return isParked ? { entries, ...(await this.#parked(tx, state, entries.length)) } : { entries };
      },
      (news) => noteRecorded(this.#context, news),
    );
    if (isParked) deps.faultPoint('after-park');
    return isParked;
  }

  #nextPartId(ahead: number): string {
    return partId(this.#context.transcript.countIn(this.#context.messageId) + ahead);
  }

  async #settle(entry: JudgedCall, isDenied: boolean): Promise<void> {
    if (entry.kind === 'refused') return this.#record(entry.call, entry.result, false);
    if (isDenied)
      return this.#record(entry.call, deniedResult(entry.tool.name, 'the request was denied or expired'), false);
    const { claim, claimed, deps, signal } = this.#context;
    const { turn, body } = claimed;
    if (!(await this.#reserve(entry.call.callId))) return;
    const place = placeOfCall(turn.id, entry.call.callId) ?? { turnId: turn.id, step: 0, index: 0 };
    const { namespace, agent, sessionId } = turn;
    const toolContext = {
      namespace,
      agent,
      sessionId,
      turnId: turn.id,
      callId: entry.call.callId,
      idempotencyKey: idempotencyKey(place),
      identity: body.cause.identity,
      nowMicros: deps.clock.nowMicros(),
    };
    deps.faultPoint('before-tool');
    const span = this.#context.span.toolCall(entry.tool.name, entry.call.callId, entry.input);
    const startedMs = deps.clock.monotonicMs();
    const traceHeaders = span.traceHeaders ?? callerTrace(body.cause);
    const outcome = await runTool(
      entry.tool,
      traceHeaders === undefined ? toolContext : { ...toolContext, traceHeaders },
      {
        input: entry.input,
        options: { timeoutMs: deps.config.toolTimeoutMs, signal, clock: deps.clock },
      },
    );
    span.end(outcome);
    (deps.meter ?? noMeter).toolRan(entry.tool.name, outcome.end, deps.clock.monotonicMs() - startedMs);
    deps.faultPoint('after-tool');
    if (outcome.end === 'failed') {
      const names = { namespace, agent, session: sessionId, turn: turn.id, tool: entry.tool.name };
      deps.log.warn('tool failed', { ...names, ...failureFields(outcome.error) });
    }
    if (outcome.end === 'stopped' || claim.lost) return;
    await this.#record(entry.call, outcome.result, true);
  }

  /** False when the quota of tool.calls is used up: the turn ends. A re-run of the same call is free. */
  async #reserve(callId: string): Promise<boolean> {
    const { deps, claim, claimed } = this.#context;
    const { turn, body } = claimed;
    if (!deps.usage.governs(turn.namespace)) return true;
    try {
      await claim.guarded((tx) =>
        deps.usage.reserve(
          tx,
          'tool.calls',
          { namespace: turn.namespace, agent: turn.agent, identity: body.cause.identity },
          callId,
        ),
      );
      return true;
    } catch (error) {
      if (!isFault(error) || error.reason !== 'QUOTA_EXCEEDED') throw error;
      this.#quota = { sentence: error.message, metadata: error.metadata };
      return false;
    }
  }

  async #record(call: RequestedCall, result: ToolResult, ran: boolean): Promise<void> {
    const { claim, deps, messageId, claimed } = this.#context;
    const { namespace, sessionId } = claimed.turn;
    const made = await toolResultPart({
      id: '',
      name: call.name,
      callId: call.callId,
      result,
      createdAt: deps.clock.nowMicros(),
      write: (bytes, facts) => claim.patiently(() => deps.objects.store(namespace, bytes, facts)),
    });
    deps.faultPoint('before-tool-result');
    await claim.commit(
      async (tx, state) => {
        for (const object of made.objects) await deps.objects.hold(tx, namespace, object, sessionHolder(sessionId));
        const part = { ...made.part, id: this.#nextPartId(state.foreign.length) };
        return {
          entries: [{ kind: 'TOOL_RESULT', value: { messageId, part, callId: call.callId } }],
          body: { toolCalls: state.body.toolCalls + (ran ? 1 : 0) },
        };
      },
      (news) => noteRecorded(this.#context, news),
    );
    deps.faultPoint('after-tool-result');
  }

  /** Releases the claim until an answer or the deadline; false when an answer or a stop came meanwhile: the batch continues. */
  async #park(): Promise<boolean> {
    const { claim, deps } = this.#context;
    let parked = true;
    deps.faultPoint('before-park');
    await claim.commit(
      async (tx, state) => {
        parked = state.foreign.length === 0 && !state.turn.stopRequested;
        return parked ? this.#parked(tx, state, 0) : {};
      },
      (news) => noteRecorded(this.#context, news),
    );
    deps.faultPoint('after-park');
    return parked;
  }

  /** The change that lets the turn wait; `asked` parts are written with it. */
  async #parked(tx: WriteTx, state: ClaimState, asked: number): Promise<ClaimChange> {
    const { transcript, deps } = this.#context;
    const until = await this.#firstExpiry(tx);
    const released = await releasePendingStops(tx, state.session, state.body.pendingStops);
    publishAfterCommit({ tx, deps }, released.events);
    return {
      turn: { state: 'WAITING', worker: '', claimExpiresAt: 0, wakeAt: until },
      body: {
        park: { kind: 'permission', since: tx.now(), until },
        resume: 'handover',
        sentParts: transcript.recorded.length + asked,
        pendingStops: [],
        activeMicros: this.#context.activeMicros(),
      },
      session: { ...released.session, state: 'WAITING' },
    };
  }

  async #firstExpiry(tx: WriteTx): Promise<number> {
    const open = (await tx.log.permissionsOfTurn(this.#context.claim.turnId)).filter((row) => row.open);
    return open.reduce(
      (first, row) => Math.min(first, row.expiresAt),
      tx.now() + this.#context.deps.config.permissionTimeoutMs * 1000,
    );
  }
}
