import type { SteerRow } from '../../store/contracts/index.ts';
import type { ClaimState } from '../claim/turn-claim.ts';
import type { SteerInputEntry } from '../record/turn-record.ts';
import { messageLabels, storeAssistantMessage } from '../session/turn-finish.ts';
import type { SteerBody } from '../session/turn-queue.ts';
import { noteRecorded, type TurnContext } from '../attempt/attempt-state.ts';

/** Most steering messages and bytes that join one model call. */
const STEER_MESSAGES = 16;
const STEER_BYTES = 64 * 1024;

/** True while messages wait to join the turn. */
export const hasSteers = async ({ claim, deps }: TurnContext): Promise<boolean> =>
  (await claim.patiently(() => deps.store.direct.log.steers(claim.sessionId))).length > 0;

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
const closedParts = (context: TurnContext, state: ClaimState, messageId: string) =>
  [...context.transcript.recorded, ...state.foreign]
    .filter((placed) => placed.messageId === messageId)
    .map((placed) => placed.part);

/**
 * Waiting steer entries join before the next model call; the message so far is closed, or dropped when it is empty.
 * Answers whether entries are left for the call after.
 */
export const absorbSteers = async (context: TurnContext): Promise<boolean> => {
  if (!(await hasSteers(context))) return false;
  const { claim, deps, messageId: closing } = context;
  let left = false;
  let entry: SteerInputEntry | undefined;
  deps.faultPoint('before-steer-input');
  await claim.commit(
    async (tx, state) => {
      const waiting = await tx.log.steers(claim.sessionId);
      const taken = takeFirst(waiting);
      left = taken.length < waiting.length;
      const last = taken.at(-1);
      if (last === undefined) return {};
      const parts = closedParts(context, state, closing);
      const { nextMessageId } = JSON.parse(last.body) as SteerBody;
      const messageIds = taken.map((steer) => steer.messageId);
      entry = { closedMessageId: parts.length > 0 ? closing : '', messageIds, nextMessageId };
      await tx.log.deleteSteers(claim.sessionId, messageIds);
      const labels = messageLabels(state.turn, state.body, { state: 'complete', reason: 'steered' });
      await storeAssistantMessage(tx, state.turn, { id: closing, parts, labels });
      const kept = parts.length > 0 ? state.body.replyMessageIds : state.body.replyMessageIds.slice(0, -1);
      return {
        entries: [{ kind: 'STEER_INPUT', value: entry }],
        body: { replyMessageIds: [...kept, nextMessageId] },
      };
    },
    (news) => noteRecorded(context, news),
  );
  deps.faultPoint('after-steer-input');
  if (entry !== undefined) await follow(context, entry);
  return left;
};

const follow = async (context: TurnContext, entry: SteerInputEntry): Promise<void> => {
  const { claim, deps, transcript } = context;
  const rows = await claim.patiently(() =>
    deps.store.read((tx) => Promise.all(entry.messageIds.map((id) => tx.log.message(claim.sessionId, id)))),
  );
  const found = rows.filter((row) => row !== undefined);
  transcript.absorb(entry, found);
  context.messageId = entry.nextMessageId;
};
