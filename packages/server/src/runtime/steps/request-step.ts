import type { Ids } from '../../base/index.ts';
import type { Bus, WriteTx } from '../../store/contracts/index.ts';
import type { ToolPause } from '../../tools/contract.ts';
import type { ClaimChange, ClaimState } from '../claim/index.ts';
import type { PermissionData, PlacedPart, RuntimeConfig } from '../contract.ts';
import { kindOf, parsePermission, partId, permissionRow, requestPart } from '../record/index.ts';
import { type ProgressPorts, publishAfterCommit, releasePendingStops, runProgressHooks } from '../session/index.ts';
import { livePauses, withoutPauses } from './call-waits.ts';
import type { FaultPort, StepTurn } from './contract.ts';

/** What questions to people, and waiting, use. */
export interface RequestPorts extends FaultPort, ProgressPorts {
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
  readonly config: Pick<RuntimeConfig, 'permissionTimeoutMs' | 'requestTimeoutMs'>;
}

/** A question as its asker words it; its id and times are given when it is recorded. */
export type NewRequest = Pick<PermissionData, 'toolCallId' | 'action' | 'prompt' | 'input' | 'options'> &
  Partial<Pick<PermissionData, 'kind' | 'key' | 'schema' | 'url'>>;

/** How a turn asks people, and how it waits without a worker. */
export interface Requests {
  /**
   * Records the questions, and where `mayPark` the turn waits from then on, so that a client that sees a question finds it
   * waiting. True when it does.
   */
  ask(turn: StepTurn, requests: readonly NewRequest[], mayPark: boolean): Promise<boolean>;
  /**
   * Releases the claim until an answer, an event that a call waits for, or the first of their deadlines. `callId` is the call that keeps the
   * turn from continuing, '' for a question that no call asks. False when what it waits for, or a stop, came meanwhile.
   */
  park(turn: StepTurn, callId: string): Promise<boolean>;
}

/** A transaction of the turn, what it found, and the questions that it asks. */
interface Found {
  readonly tx: WriteTx;
  readonly state: ClaimState;
  readonly asked: readonly PlacedPart[];
}

/** The record of a question that is asked now. */
export const permissionData = (
  { row, body }: Pick<StepTurn, 'row' | 'body'>,
  request: NewRequest,
  { id, now, config }: { readonly id: string; readonly now: number; readonly config: RequestPorts['config'] },
): PermissionData => {
  const timeoutMs = kindOf(request) === 'permission' ? config.permissionTimeoutMs : config.requestTimeoutMs;
  return {
    ...request,
    id,
    namespace: row.namespace,
    agent: row.agent,
    sessionId: row.sessionId,
    turnId: row.id,
    createdAt: now,
    expiresAt: now + timeoutMs * 1000,
    decision: 'PENDING',
    optionId: '',
    decidedBy: '',
    decidedAt: 0,
    identity: body.cause.identity,
    comment: '',
  };
};

class RequestStep implements Requests {
  readonly #ports: RequestPorts;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  async ask(turn: StepTurn, requests: readonly NewRequest[], mayPark: boolean): Promise<boolean> {
    const { faultPoint, ids, config } = this.#ports;
    let isParked = false;
    faultPoint('before-ask');
    if (mayPark) faultPoint('before-park');
    await turn.commit(async (tx, state) => {
      isParked = false;
      // Stopping a turn ends its questions too: one that parked behind the flag would wait on with its own.
      if (state.turn.stopRequested) return {};
      const asked: PlacedPart[] = [];
      for (const request of requests) {
        const data = permissionData(turn, request, { id: ids.next(), now: tx.now(), config });
        await tx.log.insertPermission(permissionRow(data, true));
        const part = requestPart(data, partId(turn.nextIndex + state.foreign.length + asked.length));
        asked.push({ messageId: turn.messageId, part });
      }
      const entries = asked.map((value) => ({ kind: 'PARK', value }));
      // A call waits for one thing at a time: one that asks a person no longer waits for an event.
      const asking = requests.map(({ toolCallId }) => toolCallId);
      const body = withoutPauses(state.body, asking);
      const found = { tx, state: { ...state, body: { ...state.body, ...body } }, asked };
      // Stops that wait for the turn show behind its question: that is left to a transaction of its own.
      isParked = mayPark && mayWait(turn, found) && state.body.pendingStops.length === 0;
      if (!isParked) return { entries, body };
      const parked = await this.#parked(turn, found);
      return { ...parked, entries, body: { ...parked.body, ...body } };
    });
    if (isParked) faultPoint('after-park');
    return isParked;
  }

  async park(turn: StepTurn, callId: string): Promise<boolean> {
    const { faultPoint } = this.#ports;
    let isParked = true;
    faultPoint('before-park');
    await turn.commit(async (tx, state) => {
      const found = { tx, state, asked: [] };
      isParked = mayWait(turn, found) && !state.turn.stopRequested && (await isWaiting(found, callId));
      return isParked ? this.#parked(turn, found) : {};
    });
    faultPoint('after-park');
    return isParked;
  }

  /** The change that lets the turn wait. */
  async #parked(turn: StepTurn, found: Found): Promise<ClaimChange> {
    const { tx, state, asked } = found;
    const { kind, until } = await reasonToWait(turn, found);
    const released = await releasePendingStops(tx, state.session, state.body.pendingStops);
    publishAfterCommit({ tx, ports: this.#ports }, released.events);
    const waitsFor = kind === 'permission' ? 'person' : 'event';
    const { turn: row, body } = state;
    await runProgressHooks({ tx, ports: this.#ports }, row, (hook) =>
      hook.turnParked(tx, { turn: row, body, waitsFor }),
    );
    return {
      turn: { state: 'WAITING', worker: '', claimExpiresAt: 0, wakeAt: until },
      body: {
        park: { kind, since: tx.now(), until },
        resume: 'handover',
        sentParts: turn.recorded.length + asked.length,
        pendingStops: [],
        activeMicros: turn.activeMicros(),
      },
      session: { ...released.session, state: 'WAITING' },
    };
  }
}

/** Waits that matter to the turn now, the questions that this transaction asks included. */
const pausesOf = ({ recorded }: StepTurn, { state, asked }: Found): readonly ToolPause[] =>
  livePauses([...recorded, ...asked], state.body);

/** Nothing came that the turn would have to act on first: no answer, and no event for a call that could run. */
const mayWait = (turn: StepTurn, found: Found): boolean =>
  found.state.foreign.length === 0 && pausesOf(turn, found).every((pause) => pause.endedBy === '');

/**
 * Whether the call still waits, as the store has it: an answer that was read into memory just before this transaction is nothing new to it, and
 * must not be slept through.
 */
const isWaiting = async ({ tx, state: { turn, body } }: Found, callId: string): Promise<boolean> => {
  if (body.pauses?.[callId] !== undefined) return true;
  const open = (await tx.log.permissionsOfTurn(turn.id)).filter((row) => row.open);
  return open.some((row) => parsePermission(row).toolCallId === callId);
};

/** What the turn waits for, and the first deadline of all that it waits for. */
const reasonToWait = async (
  turn: StepTurn,
  found: Found,
): Promise<{ readonly kind: 'permission' | 'agent_wait'; readonly until: number }> => {
  const open = (await found.tx.log.permissionsOfTurn(turn.row.id)).filter((row) => row.open);
  const pauses = pausesOf(turn, found);
  const until = Math.min(...open.map((row) => row.expiresAt), ...pauses.map((pause) => pause.untilMicros));
  return { kind: open.length > 0 ? 'permission' : 'agent_wait', until };
};

/** Questions of turns to people, and the waiting of turns for answers and events. */
export const createRequests = (ports: RequestPorts): Requests => new RequestStep(ports);
