import type { Ids } from '../../base/index.ts';
import type { Bus, Store, WriteTx } from '../../store/contracts/index.ts';
import type { ClaimChange, ClaimState } from '../claim/index.ts';
import type { PermissionData, RuntimeConfig, SessionSide } from '../contract.ts';
import { parseSide, partId, permissionRow, requestPart } from '../record/index.ts';
import { publishAfterCommit, releasePendingStops } from '../session/index.ts';
import type { FaultPort, Step, StepTurn } from './contract.ts';
import { answeredCalls, decisionFor, type JudgedCall, type RunnableCall } from './tool-batch/index.ts';

/** What permission questions use. */
export interface PermissionPorts extends FaultPort {
  readonly store: Pick<Store, 'read'>;
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
  readonly config: Pick<RuntimeConfig, 'permissionTimeoutMs'>;
}

/** Asks what a batch must ask before its first call runs; `run` answers whether the turn parked with its questions. */
export interface Permission extends Step<readonly JudgedCall[], boolean> {
  /** Answers that hold for the session, by tool. */
  remembered(turn: StepTurn): Promise<SessionSide['remembered']>;
  /** Releases the claim until an answer or the deadline; false when an answer or a stop came meanwhile. */
  park(turn: StepTurn): Promise<boolean>;
}

const question = (
  { row }: StepTurn,
  { call, tool, input }: RunnableCall,
  made: { readonly id: string; readonly now: number; readonly timeoutMs: number },
): PermissionData => ({
  id: made.id,
  namespace: row.namespace,
  agent: row.agent,
  sessionId: row.sessionId,
  turnId: row.id,
  toolCallId: call.callId,
  action: tool.name,
  prompt: `Allow ${row.agent} to run ${tool.name}?`,
  input,
  options: [
    { id: 'allow_once', name: 'Allow once', allow: true, remember: false },
    { id: 'allow_session', name: 'Allow for this session', allow: true, remember: true },
    { id: 'deny_once', name: 'Deny', allow: false, remember: false },
  ],
  createdAt: made.now,
  expiresAt: made.now + made.timeoutMs * 1000,
  decision: 'PENDING',
  optionId: '',
  decidedBy: '',
  decidedAt: 0,
  comment: '',
});

class PermissionStep implements Permission {
  readonly #ports: PermissionPorts;

  constructor(ports: PermissionPorts) {
    this.#ports = ports;
  }

  async remembered({ claim, row }: StepTurn): Promise<SessionSide['remembered']> {
    const { store } = this.#ports;
    const session = await claim.patiently(() => store.read((tx) => tx.log.session(row.sessionId)));
    return session === undefined ? {} : parseSide(session).remembered;
  }

  /**
   * Every question of the batch is asked before its first call runs. Where the first call must wait for its answer,
   * nothing else can run: the turn parks with its questions, so that a client that sees them finds it waiting. True when
   * it did.
   */
  async run(turn: StepTurn, judged: readonly JudgedCall[]): Promise<boolean> {
    const { ids, config, faultPoint } = this.#ports;
    const done = answeredCalls(turn.recorded);
    const open = await this.#unasked(turn, judged, done);
    if (open.length === 0) return false;
    const mayPark = judged.find((entry) => !done.has(entry.call.callId)) === open[0] && !turn.isStopping;
    let isParked = false;
    faultPoint('before-ask');
    if (mayPark) faultPoint('before-park');
    await turn.commit(async (tx, state) => {
      isParked = false;
      // Stopping a turn ends its questions too: one that parked behind the flag would wait on with its own.
      if (state.turn.stopRequested) return {};
      const entries: { kind: string; value: unknown }[] = [];
      for (const entry of open) {
        const made = { id: ids.next(), now: tx.now(), timeoutMs: config.permissionTimeoutMs };
        const data = question(turn, entry, made);
        await tx.log.insertPermission(permissionRow(data, true));
        const part = requestPart(data, partId(turn.nextIndex + state.foreign.length + entries.length));
        entries.push({ kind: 'PARK', value: { messageId: turn.messageId, part } });
      }
      // Stops that wait for the turn show behind its question: that is left to a transaction of its own.
      isParked = mayPark && state.foreign.length === 0 && state.body.pendingStops.length === 0;
      return isParked ? { entries, ...(await this.#parked(turn, { tx, state, asked: entries.length })) } : { entries };
    });
    if (isParked) faultPoint('after-park');
    return isParked;
  }

  async park(turn: StepTurn): Promise<boolean> {
    const { faultPoint } = this.#ports;
    let isParked = true;
    faultPoint('before-park');
    await turn.commit(async (tx, state) => {
      isParked = state.foreign.length === 0 && !state.turn.stopRequested;
      return isParked ? this.#parked(turn, { tx, state, asked: 0 }) : {};
    });
    faultPoint('after-park');
    return isParked;
  }

  /** Calls that need a question and have none yet. */
  async #unasked(
    turn: StepTurn,
    judged: readonly JudgedCall[],
    done: ReadonlySet<string>,
  ): Promise<readonly RunnableCall[]> {
    const remembered = await this.remembered(turn);
    return judged.filter(
      (entry): entry is RunnableCall =>
        entry.kind === 'ask' &&
        !done.has(entry.call.callId) &&
        remembered[entry.tool.name] === undefined &&
        decisionFor(turn.recorded, entry.call.callId) === 'unasked',
    );
  }

  /** The change that lets the turn wait; `asked` parts are written with it. */
  async #parked(
    turn: StepTurn,
    found: { readonly tx: WriteTx; readonly state: ClaimState; readonly asked: number },
  ): Promise<ClaimChange> {
    const { tx, state, asked } = found;
    const until = await this.#firstExpiry(tx, turn.row.id);
    const released = await releasePendingStops(tx, state.session, state.body.pendingStops);
    publishAfterCommit({ tx, ports: this.#ports }, released.events);
    return {
      turn: { state: 'WAITING', worker: '', claimExpiresAt: 0, wakeAt: until },
      body: {
        park: { kind: 'permission', since: tx.now(), until },
        resume: 'handover',
        sentParts: turn.recorded.length + asked,
        pendingStops: [],
        activeMicros: turn.activeMicros(),
      },
      session: { ...released.session, state: 'WAITING' },
    };
  }

  async #firstExpiry(tx: WriteTx, turnId: string): Promise<number> {
    const open = (await tx.log.permissionsOfTurn(turnId)).filter((row) => row.open);
    const latest = tx.now() + this.#ports.config.permissionTimeoutMs * 1000;
    return open.reduce((first, row) => Math.min(first, row.expiresAt), latest);
  }
}

/** The permission questions of turns: asked before a batch runs, and what a turn waits for when it parks. */
export const createPermission = (ports: PermissionPorts): Permission => new PermissionStep(ports);
