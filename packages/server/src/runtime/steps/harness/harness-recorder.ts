import type { Clock } from '../../../base/index.ts';
import { sessionHolder, type WriteTx } from '../../../store/contracts/index.ts';
import type { ToolResult } from '../../../tools/contract.ts';
import type { ClaimState } from '../../claim/index.ts';
import {
  type HarnessCall,
  type HarnessSession,
  type KeptCall,
  type ObjectAccess,
  PART,
  type Part,
} from '../../contract.ts';
import { parseSide, partId } from '../../record/index.ts';
import { holdObjects, type KeepSources } from '../../session/index.ts';
import type { FaultPort, StepCommit, StepTurn } from '../contract.ts';
import { toolCallId, toolResultPart } from '../tool-batch/index.ts';

/** A transaction that records, and what it found. */
interface RecordedBehind {
  readonly tx: WriteTx;
  readonly state: ClaimState;
  readonly first: number;
}

/** What recording uses. */
export interface RecorderPorts extends FaultPort {
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
  readonly clock: Clock;
  readonly keepSources: KeepSources;
}

/** Text that one prompt may bring. */
const TEXT_CHARS = 4 * 1024 * 1024;
const NAME_CHARS = 128;

/**
 * Records what a harness does: text goes live at once and is recorded with the next call or question, calls and their ends in
 * transactions of their own. One thing is recorded at a time, in the order in which it happened.
 */
export class HarnessRecorder {
  readonly #turn: StepTurn;
  readonly #ports: RecorderPorts;
  readonly #ids = new Map<string, string>();
  #tail: Promise<unknown> = Promise.resolve();
  #chars = 0;

  constructor(turn: StepTurn, ports: RecorderPorts) {
    this.#turn = turn;
    this.#ports = ports;
  }

  /** The harness's session, and what it is about to be prompted with; a new claim sees how often that happened. */
  begin({ id, sandbox }: HarnessSession, asked: KeptCall | undefined): Promise<void> {
    return this.#inOrder(async () => {
      const turn = this.#turn;
      await turn.commit(async (tx, { body, session }) => {
        await this.#ports.keepSources(tx, turn.agent, asked?.sources ?? []);
        const { lastCall, lostPrompts = [], harnessPrompts = 0 } = body;
        return {
          body: {
            harnessPrompts: harnessPrompts + 1,
            activeMicros: turn.activeMicros(),
            ...(lastCall === undefined ? {} : { lostPrompts: lostPrompts.concat(lastCall) }),
            ...(asked === undefined ? {} : { lastCall: asked.record }),
          },
          side: { ...parseSide(session), acpSessionId: id, sandboxRef: sandbox },
        };
      });
      turn.beginAnswer();
    });
  }

  text(kind: 'text' | 'reasoning', piece: string): Promise<void> {
    return this.#inOrder(async () => {
      const { writer, knobs } = this.#turn;
      this.#chars += piece.length;
      if (this.#chars > TEXT_CHARS) throw new TooMuchText();
      if (kind === 'text') writer?.text(PART.TEXT, piece);
      else if (!knobs.hideReasoning) writer?.text(PART.REASONING, piece);
    });
  }

  /** Our id of a call of the harness: unique in the session, whatever ids the harness gives. */
  idOf(callId: string): string {
    const known = this.#ids.get(callId);
    if (known !== undefined) return known;
    const { row, body } = this.#turn;
    const made = toolCallId({ turnId: row.id, step: body.harnessPrompts ?? 0, index: this.#ids.size });
    this.#ids.set(callId, made);
    return made;
  }

  callBegan({ callId, name, input }: HarnessCall & { readonly input: unknown }): Promise<void> {
    return this.#inOrder(() =>
      this.#record(() => ({
        type: PART.TOOL_CALL,
        name: name.slice(0, NAME_CHARS),
        payload: { tool_call_id: this.idOf(callId), input: input ?? {} },
      })),
    );
  }

  callEnded({
    output,
    isError,
    ...call
  }: HarnessCall & { readonly output: string; readonly isError: boolean }): Promise<void> {
    return this.resultOf(call, { content: [{ type: 'text', text: output }], isError });
  }

  /** The result of a call, whatever is in it. */
  resultOf(call: HarnessCall, result: ToolResult): Promise<void> {
    return this.#inOrder(async () => {
      const { objects, clock } = this.#ports;
      const { row, claim } = this.#turn;
      const made = await toolResultPart({
        id: '',
        name: call.name.slice(0, NAME_CHARS),
        callId: this.idOf(call.callId),
        result,
        createdAt: clock.nowMicros(),
        write: (bytes, facts) => claim.patiently(() => objects.store(row.namespace, bytes, facts)),
      });
      await this.#record(
        () => made.part,
        async (tx) => {
          for (const object of made.objects)
            await objects.hold(tx, row.namespace, object, sessionHolder(row.sessionId));
        },
      );
    });
  }

  /** Asks a person: nothing else is recorded until that is over. */
  ask<T>(work: () => Promise<T>): Promise<T> {
    return this.#inOrder(work);
  }

  /**
   * Records what `work` answers behind the text so far; `first` is the index of its first part. Text that comes later needs
   * `turn.beginAnswer` first.
   */
  async behindText(work: (found: RecordedBehind) => ReturnType<StepCommit>): Promise<void> {
    const turn = this.#turn;
    const { messageId, writer } = turn;
    writer?.flush();
    const parts = writer?.parts() ?? [];
    await turn.commitAnswer(async (tx, state) => {
      await holdObjects({ tx, objects: this.#ports.objects }, state.turn, parts);
      const change = await work({ tx, state, first: turn.nextIndex + state.foreign.length + parts.length });
      const said = parts.length === 0 ? [] : [{ kind: 'HARNESS', value: { messageId, parts } }];
      return {
        ...change,
        entries: [...said, ...(change.entries ?? [])],
        body: { ...change.body, activeMicros: turn.activeMicros() },
      };
    });
  }

  async #record(
    make: () => Omit<Part, 'id' | 'createdAt'>,
    also: (tx: WriteTx) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const { messageId } = this.#turn;
    const createdAt = this.#ports.clock.nowMicros();
    this.#ports.faultPoint('before-harness-entry');
    await this.behindText(async ({ tx, first }) => {
      await also(tx);
      const part: Part = { ...make(), id: partId(first), createdAt };
      return { entries: [{ kind: 'HARNESS', value: { messageId, parts: [part] } }] };
    });
    this.#turn.beginAnswer();
    this.#ports.faultPoint('after-harness-entry');
  }

  /** Runs `work` behind what was to be recorded before; a failure is the caller's, and does not hold up the others. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(work);
    this.#tail = run.catch(() => undefined);
    return run;
  }
}

/** A harness wrote more than a message may hold. */
export class TooMuchText extends Error {
  constructor() {
    super(`the harness wrote more than ${TEXT_CHARS} characters`);
  }
}
