import type { SteerRow, Store } from '../../store/contracts/index.ts';
import type { ClaimState } from '../claim/index.ts';
import { messageLabels, type SteerBody, type SteerInputEntry } from '../record/index.ts';
import { storeAssistantMessage } from '../session/index.ts';
import { AGAIN, type FaultPort, type LoopStep, NEXT, type StepTurn } from './contract.ts';

/** What steering uses. */
export interface SteeringPorts extends FaultPort {
  readonly store: Pick<Store, 'read' | 'direct'>;
}

/** Most steering messages and bytes that join one model call. */
const STEER_MESSAGES = 16;
const STEER_BYTES = 64 * 1024;

/** True while messages wait to join the turn. */
export const hasSteers = async (
  { claim, row }: Pick<StepTurn, 'claim' | 'row'>,
  { store }: { readonly store: Pick<Store, 'direct'> },
): Promise<boolean> => (await claim.patiently(() => store.direct.log.steers(row.sessionId))).length > 0;

/** The oldest entries that fit one model call; always at least one. */
const takeFirst = (waiting: readonly SteerRow[]): readonly SteerRow[] => {
  let bytes = 0;
  const taken: SteerRow[] = [];
  for (const steer of waiting) {
    bytes += steer.bytes;
    if (taken.length > 0 && (taken.length === STEER_MESSAGES || bytes > STEER_BYTES)) break;
    taken.push(steer);
  }
  return taken;
};

/** Parts of the message that steering closes, answers of others included. */
const closedParts = (turn: StepTurn, state: ClaimState, messageId: string) =>
  [...turn.recorded, ...state.foreign].filter((placed) => placed.messageId === messageId).map((placed) => placed.part);

/**
 * Waiting steer entries join before the next model call; the message so far is closed, or dropped when it is empty.
 * Answers whether entries are left for the call after.
 */
const absorbSteers = async (turn: StepTurn, { store, faultPoint }: SteeringPorts): Promise<boolean> => {
  if (!(await hasSteers(turn, { store }))) return false;
  const { messageId: closing } = turn;
  const { sessionId } = turn.row;
  let left = false;
  let entry: SteerInputEntry | undefined;
  faultPoint('before-steer-input');
  await turn.commit(async (tx, state) => {
    const waiting = await tx.log.steers(sessionId);
    const taken = takeFirst(waiting);
    left = taken.length < waiting.length;
    const last = taken.at(-1);
    if (last === undefined) return {};
    const parts = closedParts(turn, state, closing);
    const { nextMessageId } = JSON.parse(last.body) as SteerBody;
    const messageIds = taken.map((steer) => steer.messageId);
    entry = { closedMessageId: parts.length > 0 ? closing : '', messageIds, nextMessageId };
    await tx.log.deleteSteers(sessionId, messageIds);
    const labels = messageLabels(state.turn, state.body, { state: 'complete', reason: 'steered' });
    await storeAssistantMessage(tx, state.turn, { id: closing, parts, labels });
    const kept = parts.length > 0 ? state.body.replyMessageIds : state.body.replyMessageIds.slice(0, -1);
    return {
      entries: [{ kind: 'STEER_INPUT', value: entry }],
      body: { replyMessageIds: [...kept, nextMessageId] },
    };
  });
  faultPoint('after-steer-input');
  if (entry !== undefined) await follow(turn, entry, store);
  return left;
};

const follow = async (turn: StepTurn, entry: SteerInputEntry, store: Pick<Store, 'read'>): Promise<void> => {
  const { sessionId } = turn.row;
  const rows = await turn.claim.patiently(() =>
    store.read((tx) => Promise.all(entry.messageIds.map((id) => tx.log.message(sessionId, id)))),
  );
  const found = rows.filter((row) => row !== undefined);
  turn.absorb(entry, found);
};

/**
 * Steering messages join the turn. Once it did something the store is asked even without a notification, which may be
 * lost.
 */
export const createSteeringStep = (ports: SteeringPorts): LoopStep => ({
  kind: 'steering',
  isDue: (turn) => turn.steerPending || turn.body.journalCount > 0,
  run: async (turn) => {
    turn.noteSteers(false);
    if (await absorbSteers(turn, ports)) turn.noteSteers(true);
    return turn.isStopped ? AGAIN : NEXT;
  },
});
