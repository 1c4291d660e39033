import { type Clock, isFault, together } from '../../../base/index.ts';
import { PART, type Part, parseBody, replyTextOf, type SessionEvent } from '../../../runtime/contract.ts';
import type { ReadTx, TurnRow } from '../../../store/contracts/index.ts';
import type { Sink } from '../../../streams/index.ts';
import type { SessionsDeps } from './sessions-deps.ts';

/** Text of the final message of a COMPLETED turn; '' for every other one. */
export const replyText = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<string> =>
  turn.state === 'COMPLETED' ? replyTextOf(await lastParts(tx, turn)) : '';

/** Facts of a FAILED turn by name, from the ERROR part that ends its final message; {} once that message is gone. */
export const failureFacts = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<Record<string, string>> => {
  if (turn.state !== 'FAILED') return {};
  const error = (await lastParts(tx, turn)).findLast((part) => part.type === PART.ERROR);
  const { reason: _ownField, ...facts } = error?.payload ?? {};
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, String(fact)]));
};

/** Parts of the final message of a turn; none once it is gone. */
const lastParts = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<readonly Part[]> => {
  const id = parseBody(turn).replyMessageIds.at(-1) ?? '';
  const message = await tx.log.message(turn.sessionId, id);
  return message === undefined ? [] : (JSON.parse(message.parts) as Part[]);
};

const SILENT: Sink<SessionEvent> = { open: () => undefined, send: () => true, onDrained: () => undefined };

export interface TurnWait {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The message whose answer is awaited: left-over steering moves it to a later turn, and the wait with it. */
  readonly messageId: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

type WaitDeps = Pick<SessionsDeps, 'store' | 'streams'> & { readonly clock: Clock };

/** The turn as it is when it ended, when time is up, when the client is gone or the server has stopped its turns. */
export const awaitTurn = async (wait: TurnWait, deps: WaitDeps): Promise<TurnRow | undefined> => {
  const control = new AbortController();
  const cancel = deps.clock.after(wait.waitMs, () => control.abort());
  const signal = AbortSignal.any([control.signal, wait.signal]);
  try {
    let { turnId } = wait;
    for (;;) {
      const isOver = await follow(followTurn(wait, turnId), deps, signal);
      const followed = turnId;
      // One snapshot: the end of a turn and the message that it hands to the next one are one transaction.
      const { turn, current } = await deps.store.read(async (tx) => {
        const [turn, message] = await together(tx.log.turn(followed), tx.log.message(wait.sessionId, wait.messageId));
        const isMoved = message !== undefined && message.turnId !== '' && message.turnId !== followed;
        return isMoved
          ? { turn: await tx.log.turn(message.turnId), current: message.turnId }
          : { turn, current: followed };
      });
      if (current === followed || isOver || signal.aborted) return turn;
      turnId = current;
    }
  } finally {
    cancel();
  }
};

/** True when the server stops: what it was sent is stored, so the caller learns how far it got instead of a failure. */
const follow = async (
  request: ReturnType<typeof followTurn>,
  { streams }: WaitDeps,
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    await streams.follow(request, SILENT, signal);
    return false;
  } catch (error) {
    if (isFault(error) && error.reason === 'SHUTTING_DOWN') return true;
    throw error;
  }
};

const followTurn = (wait: TurnWait, turnId: string): Parameters<SessionsDeps['streams']['follow']>[0] => ({
  sessions: [{ namespace: wait.namespace, agent: wait.agent, sessionId: wait.sessionId, after: 'live' }],
  untilDone: true,
  turnId,
  batch: false,
  isWait: true,
});
