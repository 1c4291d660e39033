import type { Bus, WriteTx } from '../../../store/contracts/index.ts';
import type { ClaimChange, ClaimState } from '../../claim/index.ts';
import { type HarnessQuestion, PART, type PermissionData, WAKE_TURNS } from '../../contract.ts';
import { partId, permissionRow, requestPart } from '../../record/index.ts';
import { expirePermissions, type ProgressPorts, runProgressHooks } from '../../session/index.ts';
import type { StepTurn } from '../contract.ts';
import { type NewRequest, permissionData, type RequestPorts } from '../request-step.ts';
import type { HarnessRecorder } from './harness-recorder.ts';

/** What questions of harnesses use. */
export interface QuestionPorts extends RequestPorts, ProgressPorts {
  readonly bus: Pick<Bus, 'publish'>;
}

/** How often an answer is looked for: its notification may be lost. */
const LOOK_MS = 2_000;

/**
 * Asks people for a harness. The turn is WAITING meanwhile but keeps its claim, since the process that asks lives here; it takes no
 * slot of the worker, and the time counts for nothing.
 */
export class HarnessQuestions {
  readonly #turn: StepTurn;
  readonly #recorder: HarnessRecorder;
  readonly #ports: QuestionPorts;

  constructor(turn: StepTurn, recorder: HarnessRecorder, ports: QuestionPorts) {
    this.#turn = turn;
    this.#recorder = recorder;
    this.#ports = ports;
  }

  /** Id of the chosen option; undefined when time ran out, or the turn ends. */
  ask({ callId, options, ...question }: HarnessQuestion): Promise<string | undefined> {
    const toolCallId = callId === '' ? '' : this.#recorder.idOf(callId);
    // Only the harness knows what `always` means to it.
    return this.askAs({
      ...question,
      toolCallId,
      options: options.map((option) => ({ ...option, remember: false })),
    });
  }

  /** As `ask`, for a question of the engine. */
  askAs(request: NewRequest): Promise<string | undefined> {
    return this.#recorder.ask(async () => {
      const asked = await this.#record(request);
      if (asked === undefined) return undefined;
      const turn = this.#turn;
      turn.hold(true);
      try {
        const chosen = await this.#answer(asked);
        if (turn.signal.aborted) return undefined;
        await this.#resume();
        return chosen;
      } finally {
        turn.hold(false);
      }
    });
  }

  /** The question, and that the turn waits; undefined for a turn that is being stopped. */
  async #record(request: NewRequest): Promise<PermissionData | undefined> {
    const turn = this.#turn;
    const { ids, config, faultPoint } = this.#ports;
    let asked: PermissionData | undefined;
    faultPoint('before-hold');
    await this.#recorder.behindText(async ({ tx, state, first }) => {
      asked = undefined;
      if (state.turn.stopRequested) return {};
      asked = permissionData(turn, request, { id: ids.next(), now: tx.now(), config });
      await tx.log.insertPermission(permissionRow(asked, true));
      const value = { messageId: turn.messageId, part: requestPart(asked, partId(first)) };
      const waiting = await this.#waiting(tx, state, asked);
      return { ...waiting, entries: [{ kind: 'PARK', value }] };
    });
    faultPoint('after-hold');
    return asked;
  }

  async #waiting(tx: WriteTx, { turn, body }: ClaimState, asked: PermissionData): Promise<ClaimChange> {
    const park = { kind: 'permission', since: tx.now(), until: asked.expiresAt } as const;
    const waitsFor = 'person';
    await runProgressHooks({ tx, ports: this.#ports }, turn, (hook) => hook.turnParked(tx, { turn, body, waitsFor }));
    return { turn: { state: 'WAITING' }, session: { state: 'WAITING' }, body: { park } };
  }

  async #answer({ id, expiresAt }: PermissionData): Promise<string | undefined> {
    const turn = this.#turn;
    for (;;) {
      const parts = turn.recorded.map(({ part }) => part);
      const answer = parts.find((part) => part.type === PART.PERMISSION_RESULT && part.payload?.['request_id'] === id);
      if (answer !== undefined) return String(answer.payload?.['option_id'] ?? '') || undefined;
      if (turn.signal.aborted) return undefined;
      await turn.news(LOOK_MS);
      await turn.claim.guarded(async (tx, state) => {
        if (tx.now() >= expiresAt) await expirePermissions({ tx, ports: this.#ports }, state.turn);
      });
      await turn.refresh();
    }
  }

  #resume(): Promise<void> {
    const turn = this.#turn;
    return turn
      .commit(async (tx, state) => {
        const { turn: row, body } = state;
        await runProgressHooks({ tx, ports: this.#ports }, row, (hook) => hook.turnTaken(tx, { turn: row, body }));
        tx.afterCommit(() => this.#ports.bus.publish(WAKE_TURNS, {}));
        return { turn: { state: 'RUNNING' }, session: { state: 'PROCESSING' } };
      })
      .then(() => void turn.beginAnswer());
  }
}
