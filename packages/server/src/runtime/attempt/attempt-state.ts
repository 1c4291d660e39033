import type { ModelRegistry } from '../../models/contract.ts';
import type { MessageRow, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import { type ClaimedTurn, type ClaimPorts, type RecordedNews, TurnClaim } from '../claim/index.ts';
import {
  type AgentRevision,
  type AttemptSpan,
  type HistoryExtent,
  type LiveTurn,
  noTracer,
  PART,
  type Part,
  type PlacedPart,
  type RuntimeConfig,
  type TranscriptMessage,
  type TurnBody,
  type TurnTracer,
} from '../contract.ts';
import {
  type Knobs,
  knobsOf,
  profilesInOrder,
  type ResolvedProfile,
  resetSpan,
  type SteerInputEntry,
} from '../record/index.ts';
import { PartWriter, type StepCommit, type StepTurn, type WriterPorts } from '../steps/index.ts';
import { ShownTurn, type ShowPorts } from './shown-turn.ts';
import { type TranscriptPorts, TurnTranscript } from './turn-transcript.ts';

/** What the state of an attempt uses. */
export interface StatePorts extends ClaimPorts, WriterPorts, ShowPorts, TranscriptPorts {
  readonly store: ClaimPorts['store'] & TranscriptPorts['store'];
  readonly models: Pick<ModelRegistry, 'defaultTarget' | 'facts' | 'countTokens'>;
  readonly config: Pick<RuntimeConfig, 'leaseMs' | 'parallelTools' | 'maxSteps'>;
  /** Absent: nothing is traced, the caller's trace context is passed on as it came. */
  readonly tracer?: TurnTracer;
}

/** Part types that a step shows while it runs; the others are shown once they are recorded. */
const isLivePart = ({ type }: Part): boolean =>
  type !== PART.USAGE && type !== PART.TOOL_CALL && type !== PART.TOOL_RESULT;

type RecordedEntry = RecordedNews['entries'][number];

/**
 * All that one attempt keeps in memory of its turn: what is recorded and shown, the message and the answer being written, and
 * what was asked of it meanwhile. It alone changes any of it, in the functions below; what a commit recorded is taken in before
 * the next commit of the claim starts. When it is gone, the store alone can continue.
 */
export class AttemptState implements StepTurn {
  readonly row: TurnRow;
  readonly session: SessionRow;
  readonly agent: AgentRevision;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly profiles: readonly [ResolvedProfile, ...ResolvedProfile[]];
  readonly knobs: Knobs;
  readonly claim: TurnClaim;
  readonly #ports: StatePorts;
  readonly #transcript: TurnTranscript;
  readonly #abort = new AbortController();
  readonly #startedMs: number;
  /** Active time before this claim. */
  readonly #activeBefore: number;
  #span: AttemptSpan;
  readonly #shown: ShownTurn;
  #writer: PartWriter | undefined;
  #messageId: string;
  #stop: boolean;
  #draining = false;
  #timedOut = false;
  #steerPending: boolean;
  /** When the hold began, on the monotonic clock; undefined while the turn is not held. */
  #heldSinceMs: number | undefined;
  /** Milliseconds of earlier holds. */
  #heldMs = 0;
  #newsWanted: (() => void) | undefined;

  constructor(claimed: ClaimedTurn, sentMs: number, ports: StatePorts) {
    const { turn, session, agent, body } = claimed;
    this.row = turn;
    this.session = session;
    this.agent = agent;
    this.namespaceLabels = claimed.namespaceLabels;
    this.profiles = profilesInOrder(agent.spec, body.snapshot?.profile ?? '', ports.models.defaultTarget);
    this.knobs = knobsOf(agent.spec, ports.config);
    this.claim = new TurnClaim(claimed, sentMs, ports);
    this.#ports = ports;
    this.#transcript = new TurnTranscript(turn.id, claimed.journal);
    this.#startedMs = ports.clock.monotonicMs();
    this.#activeBefore = body.activeMicros;
    this.#span = (ports.tracer ?? noTracer).attempt(turn, body.cause, turn.attempt);
    this.#shown = new ShownTurn(turn, this.claim, ports);
    this.#messageId = body.replyMessageIds.at(-1) ?? '';
    this.#stop = turn.stopRequested;
    this.#steerPending = body.spans.length > 1;
  }

  get body(): TurnBody {
    return this.claim.body;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get span(): AttemptSpan {
    return this.#span;
  }

  get attempt(): number {
    return this.#shown.sequencer.attempt;
  }

  get messageId(): string {
    return this.#messageId;
  }

  get nextIndex(): number {
    return this.#transcript.countIn(this.#messageId);
  }

  get recorded(): readonly PlacedPart[] {
    return this.#transcript.recorded;
  }

  get writer(): PartWriter | undefined {
    return this.#writer;
  }

  /** Sequence of the last event that was published. */
  get sequence(): number {
    return this.#shown.sequencer.sequence;
  }

  /** Asked for directly, seen at a renewal, or found in a transaction of the turn. */
  get isStopped(): boolean {
    return this.#stop || this.claim.stopSeen;
  }

  get isTimedOut(): boolean {
    return this.#timedOut;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  get isStopping(): boolean {
    return this.isStopped || this.#timedOut || this.#draining || this.claim.lost;
  }

  get steerPending(): boolean {
    return this.#steerPending;
  }

  activeMicros(): number {
    const nowMs = this.#ports.clock.monotonicMs();
    const heldMs = this.#heldMs + (this.#heldSinceMs === undefined ? 0 : nowMs - this.#heldSinceMs);
    return this.#activeBefore + Math.round((nowMs - this.#startedMs - heldMs) * 1000);
  }

  get isHeld(): boolean {
    return this.#heldSinceMs !== undefined;
  }

  hold(isHeld: boolean): void {
    const nowMs = this.#ports.clock.monotonicMs();
    if (this.#heldSinceMs !== undefined) this.#heldMs += nowMs - this.#heldSinceMs;
    this.#heldSinceMs = isHeld ? nowMs : undefined;
  }

  async news(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.signal.aborted) return;
    this.#newsWanted = resolve;
    const cancel = this.#ports.clock.after(ms, resolve);
    const wake = (): void => resolve();
    this.signal.addEventListener('abort', wake, { once: true });
    await promise;
    cancel();
    this.signal.removeEventListener('abort', wake);
    this.#newsWanted = undefined;
  }

  messages(): TranscriptMessage[] {
    return this.#transcript.messages();
  }

  get historyExtent(): HistoryExtent {
    return this.#transcript.extent;
  }

  /** What followers of this session see at this moment. */
  live(): LiveTurn {
    const { claim } = this;
    const { parts, sequencer } = this.#shown;
    return {
      turnId: claim.turnId,
      sessionId: claim.sessionId,
      attempt: sequencer.attempt,
      fence: sequencer.fence,
      spans: claim.body.spans,
      parts: this.#writer === undefined ? parts : [...parts, ...this.#writer.shown()],
      sequence: sequencer.sequence,
      messageId: this.#messageId,
    };
  }

  /** Cancels whatever runs; the turn ends STOPPED. */
  requestStop(): void {
    this.#stop = true;
    this.#abort.abort();
  }

  /** The turn was active as long as it may be: cancels whatever runs. */
  timeOut(): void {
    this.#timedOut = true;
    this.#abort.abort();
  }

  /** Hands over at the next journal entry. */
  drain(): void {
    this.#draining = true;
  }

  /** The claim is gone: cancel, write and emit nothing. */
  lose(): void {
    this.claim.lose();
    this.silence();
    this.#abort.abort();
  }

  /** The answer under way shows nothing more. */
  silence(): void {
    this.#writer?.silence();
  }

  noteSteers(arePending: boolean): void {
    this.#steerPending = arePending;
  }

  /** Shows what followers lack: RESET and the recorded parts, or what others recorded while the turn was parked. */
  showBegin(): void {
    const span = this.body.spans.at(-1);
    if (span?.reset === true) return this.#shown.reset(this.#messageId, this.recorded, span.reason ?? 'recovered');
    const firstPart = span?.firstPart ?? 0;
    for (const [index, placed] of this.recorded.entries())
      if (index < firstPart) this.#shown.noteShown(placed);
      else this.#shown.show(placed);
  }

  /** Reads the history and the messages of the turn itself. */
  load(journal: ClaimedTurn['journal']): Promise<void> {
    const { models } = this.#ports;
    const [{ target }] = this.profiles;
    const budget = {
      tokenLimit: models.facts(target).window,
      countTokens: (text: string): number => models.countTokens(target, text),
    };
    const { session, row: turn } = this;
    return this.claim.patiently(() =>
      this.#transcript.load({ session, turn, body: this.body, journal }, budget, this.#ports),
    );
  }

  commit(work: StepCommit): Promise<void> {
    return this.claim.commit(work, this.#noteRecorded);
  }

  commitAnswer(work: StepCommit): Promise<void> {
    return this.claim.commit(work, this.#noteAnswer);
  }

  /** Takes in what others recorded: answers to permission requests. */
  refresh(): Promise<void> {
    return this.claim.refresh(this.#noteRecorded);
  }

  beginAnswer(): PartWriter {
    const { clock, pressure, bus } = this.#ports;
    const { claim } = this;
    this.#writer = new PartWriter({
      clock,
      pressure,
      bus,
      sequencer: this.#shown.sequencer,
      sessionId: claim.sessionId,
      messageId: this.#messageId,
      firstIndex: this.nextIndex,
      isLost: () => claim.lost,
    });
    return this.#writer;
  }

  async restart(): Promise<void> {
    const messageId = this.#messageId;
    // What arrived is shown before it is taken back, so that a reader sees why there is a new attempt.
    this.#writer?.flush();
    this.#writer?.silence();
    const attempt = this.#shown.sequencer.attempt + 1;
    let fence = 0;
    await this.claim.moveFence(
      async (_tx, state) => {
        fence = state.session.fence + 1;
        const span = resetSpan(this.recorded, { fence, attempt, reason: 'retry', messageId });
        return { turn: { fence, attempt }, session: { fence }, body: { spans: [...state.body.spans, span] } };
      },
      () => {
        this.#writer = undefined;
        this.#shown.moveTo(fence, attempt);
        this.#shown.reset(messageId, this.recorded, 'retry');
        this.#span.end('retried');
        this.#span = (this.#ports.tracer ?? noTracer).attempt(this.row, this.body.cause, attempt);
      },
    );
  }

  absorb(entry: SteerInputEntry, messages: readonly MessageRow[]): void {
    this.#transcript.absorb(entry, messages);
    this.#messageId = entry.nextMessageId;
  }

  /** After the final commit: shows what followers lack and the terminal event. */
  publishEnd(end: Parameters<ShownTurn['end']>[1]): void {
    this.#shown.end(this.#messageId, end);
  }

  /** After a commit: remembers what is recorded and shows what was not shown live, other people's entries first. */
  readonly #noteRecorded = (news: RecordedNews): void => {
    for (const placed of news.foreign) this.#take(placed, false);
    if (news.foreign.length > 0) this.#newsWanted?.();
    for (const entry of news.entries) this.#takeEntry(entry);
  };

  readonly #noteAnswer = (news: RecordedNews): void => {
    this.#writer = undefined;
    this.#noteRecorded(news);
  };

  #takeEntry(entry: RecordedEntry): void {
    if (entry.kind === 'STEER_INPUT') return;
    const { messageId, parts, part } = entry.value as {
      readonly messageId: string;
      readonly parts?: readonly Part[];
      readonly part?: Part;
    };
    for (const each of parts ?? []) this.#take({ messageId, part: each }, isLivePart(each));
    if (parts === undefined && part !== undefined) this.#take({ messageId, part }, false);
  }

  #take(placed: PlacedPart, isShown: boolean): void {
    this.#transcript.record(placed);
    if (isShown) this.#shown.noteShown(placed);
    else this.#shown.show(placed);
  }
}
