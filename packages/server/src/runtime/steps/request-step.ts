import type { Ids } from '../../base/index.ts';
import type { Bus, WriteTx } from '../../store/contracts/index.ts';
import type { ClaimChange, ClaimState } from '../claim/index.ts';
import type { PermissionData, RuntimeConfig, TurnBody } from '../contract.ts';
import { kindOf, parsePermission, partId, permissionRow, requestPart } from '../record/index.ts';
import { type ProgressPorts, publishAfterCommit, releasePendingStops, runProgressHooks } from '../session/index.ts';
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

class RequestStep implements Requests {
  readonly #ports: RequestPorts;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  async ask(turn: StepTurn, requests: readonly NewRequest[], mayPark: boolean): Promise<boolean> {
    const { faultPoint } = this.#ports;
    let isParked = false;
    faultPoint('before-ask');
    if (mayPark) faultPoint('before-park');
    await turn.commit(async (tx, state) => {
      isParked = false;
      // Stopping a turn ends its questions too: one that parked behind the flag would wait on with its own.
      if (state.turn.stopRequested) return {};
      const entries: { kind: string; value: unknown }[] = [];
      for (const request of requests) {
        const data = this.#data(turn, request, tx.now());
        await tx.log.insertPermission(permissionRow(data, true));
        const part = requestPart(data, partId(turn.nextIndex + state.foreign.length + entries.length));
        entries.push({ kind: 'PARK', value: { messageId: turn.messageId, part } });
      }
      // Stops that wait for the turn show behind its question: that is left to a transaction of its own.
      isParked = mayPark && mayWait(state) && state.body.pendingStops.length === 0;
      return isParked ? { entries, ...(await this.#parked(turn, { tx, state, asked: entries.length })) } : { entries };
    });
    if (isParked) faultPoint('after-park');
    return isParked;
  }

  async park(turn: StepTurn, callId: string): Promise<boolean> {
    const { faultPoint } = this.#ports;
    let isParked = true;
    faultPoint('before-park');
    await turn.commit(async (tx, state) => {
      isParked = mayWait(state) && !state.turn.stopRequested && (await isWaiting(tx, state, callId));
      return isParked ? this.#parked(turn, { tx, state, asked: 0 }) : {};
    });
    faultPoint('after-park');
    return isParked;
  }

  #data({ row, body }: StepTurn, request: NewRequest, now: number): PermissionData {
    const { ids, config } = this.#ports;
    const timeoutMs = kindOf(request) === 'permission' ? config.permissionTimeoutMs : config.requestTimeoutMs;
    return {
      ...request,
      id: ids.next(),
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
  }

  /** The change that lets the turn wait; `asked` parts are written with it. */
  async #parked(
    turn: StepTurn,
    found: { readonly tx: WriteTx; readonly state: ClaimState; readonly asked: number },
  ): Promise<ClaimChange> {
    const { tx, state, asked } = found;
    const { kind, until } = await reasonToWait(tx, turn.row.id, state.body);
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
        sentParts: turn.recorded.length + asked,
        pendingStops: [],
        activeMicros: turn.activeMicros(),
      },
      session: { ...released.session, state: 'WAITING' },
    };
  }
}

/** Nothing came that the turn would have to look at first: no answer, and nothing that a call waited for. */
const mayWait = ({ foreign, body }: ClaimState): boolean =>
  foreign.length === 0 && Object.values(body.pauses ?? {}).every((pause) => pause.endedBy === '');

/**
 * Whether the call still waits, as the store has it: an answer that was read into memory just before this transaction is nothing new to it, and
 * must not be slept through.
 */
const isWaiting = async (tx: WriteTx, { turn, body }: ClaimState, callId: string): Promise<boolean> => {
  if (body.pauses?.[callId] !== undefined) return true;
  const open = (await tx.log.permissionsOfTurn(turn.id)).filter((row) => row.open);
  return open.some((row) => parsePermission(row).toolCallId === callId);
};

/** What the turn waits for, and the first deadline of all that it waits for. */
const reasonToWait = async (
  tx: WriteTx,
  turnId: string,
  body: TurnBody,
): Promise<{ readonly kind: 'permission' | 'agent_wait'; readonly until: number }> => {
  const open = (await tx.log.permissionsOfTurn(turnId)).filter((row) => row.open);
  const pauses = Object.values(body.pauses ?? {});
  const until = Math.min(...open.map((row) => row.expiresAt), ...pauses.map((pause) => pause.untilMicros));
  return { kind: open.length > 0 ? 'permission' : 'agent_wait', until };
};

/** Questions of turns to people, and the waiting of turns for answers and events. */
export const createRequests = (ports: RequestPorts): Requests => new RequestStep(ports);
