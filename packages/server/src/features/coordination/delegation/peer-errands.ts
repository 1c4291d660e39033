import type { PeerPart } from '../../../protocols/a2a/contract.ts';
import type { WriteTx } from '../../../store/contracts/index.ts';
import type { SentWork } from './delegation-rules.ts';
import type { RemotePlace, SentFile } from './remote-rules.ts';

/** Queue item: a message to an agent elsewhere has to be sent, asked for or called off; key = id of the message. */
export const PEER_ERRAND = 'delegation.peer';

/** On whose behalf the agent elsewhere works. */
export interface ErrandSender {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly identity: string;
}

/** Payload of PEER_ERRAND: all that is needed, also when the conversation is gone meanwhile. */
export interface PeerErrand {
  readonly sender: ErrandSender;
  readonly alias: string;
  readonly messageId: string;
  readonly place: Pick<RemotePlace, 'cardUrl' | 'secretRef' | 'outputModes' | 'timeoutSeconds'>;
  /** '' until the agent has named its task. */
  readonly taskId: string;
  /** Absent once it was sent. */
  readonly message?: {
    /** The task that it answers; '' = none. */
    readonly taskId: string;
    readonly parts: readonly PeerPart[];
    /** Absent in errands of releases before. */
    readonly files?: readonly SentFile[];
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  /** Steady micros. */
  readonly since: number;
  /** Steady micros since when the agent could not be reached; 0 = it was. */
  readonly failingSince: number;
  /** The last pause before it was asked again. */
  readonly delayMs: number;
}

/** Queues the errand in place of the one that there is: a worker that has taken that one can no longer change it. */
export const putErrand = (tx: WriteTx, errand: PeerErrand, delayMs = 0): Promise<void> =>
  tx.queue.put(
    {
      kind: PEER_ERRAND,
      key: errand.messageId,
      dueAt: tx.steadyNow() + delayMs * 1_000,
      attempts: 0,
      payload: JSON.stringify(errand),
    },
    { replace: true },
  );

/** What an errand needs of how the agent is reached. */
export const errandPlace = ({ cardUrl, secretRef, outputModes, timeoutSeconds }: RemotePlace): PeerErrand['place'] => ({
  cardUrl,
  secretRef,
  outputModes,
  timeoutSeconds,
});

/** Has the task of an agent elsewhere cancelled; it may not be known yet. */
export const putCancellation = (
  tx: WriteTx,
  of: {
    readonly alias: string;
    readonly place: RemotePlace;
    readonly work: Pick<SentWork, 'turnId' | 'remote'>;
    readonly sender: ErrandSender;
  },
): Promise<void> =>
  putErrand(tx, {
    sender: of.sender,
    alias: of.alias,
    messageId: of.work.turnId,
    place: errandPlace(of.place),
    taskId: of.work.remote?.taskId ?? '',
    since: tx.steadyNow(),
    failingSince: 0,
    delayMs: 0,
  });
