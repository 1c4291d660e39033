import type { DelegationRow } from '../../../store/contracts/index.ts';
import type { RemotePlace, RemoteWork } from './remote-rules.ts';

/** What is kept of a conversation with another agent, and what follows from it alone. */

/** Conversations that one session may have at once. */
export const MAX_ALIASES = 16;

/** Depth below a connection that names none. */
const DEFAULT_DEPTH = 5;

const DEFAULT_WAIT_SECONDS = 300;
export const MAX_WAIT_SECONDS = 86_400;

/** One message to the other agent. */
export interface SentWork {
  /** Idempotency key of the call that sent it. */
  readonly key: string;
  /** The turn that works on it; outside of this server the id of the message. */
  readonly turnId: string;
  /** The turn that sent it. */
  readonly senderTurnId: string;
  /** Who has the reply: '' no one yet, `message` its session as a message, else the id of the call that waited. */
  readonly readBy: string;
  /** The turn of that call; '' where no call got the reply. */
  readonly readIn: string;
  /** Where an agent elsewhere works on it. */
  readonly remote?: RemoteWork;
}

/** Body of a row of `delegations`. */
export interface Delegation {
  readonly connection: string;
  /** '' for an agent elsewhere. */
  readonly namespace: string;
  /** Its name; for an agent elsewhere the address of its card. */
  readonly agent: string;
  /** Set for an agent elsewhere. */
  readonly peer?: RemotePlace;
  /** Idempotency key of the call that opened it. */
  readonly openedBy: string;
  /** The turn from outside that caused the newest message, and how many messages it has caused so far. */
  readonly causeTurnId: string;
  readonly rounds: number;
  /** Unread ones, and those of the turn that sent last. */
  readonly sent: readonly SentWork[];
}

/** No one has the reply yet. */
export const UNREAD = { readBy: '', readIn: '' } as const;

/** The reply was put into the session of the sender as a message. */
export const READ_AS_MESSAGE = { readBy: 'message', readIn: '' } as const;

export const parseDelegation = (row: Pick<DelegationRow, 'body'>): Delegation => JSON.parse(row.body) as Delegation;

/** The row with another body. */
export const withDelegation = (row: DelegationRow, delegation: Delegation): DelegationRow => ({
  ...row,
  body: JSON.stringify(delegation),
});

/** What a call waits for until the other agent has answered. */
export const replyKey = (alias: string): string => `delegation/${alias}`;

/** The first conversation over a connection. */
export const firstAlias = (connection: string): string => `${connection}-1`;

/** `<connection>-<n>` with the lowest number that is free. */
export const freeAlias = (connection: string, taken: readonly string[]): string => {
  const names = new Set(taken);
  let number = 1;
  while (names.has(`${connection}-${number}`)) number += 1;
  return `${connection}-${number}`;
};

/** How deep a chain may be whose last link is this connection; 0 = its default. */
export const depthLimit = (connectionDepth: number, serverDepth: number): number =>
  Math.min(connectionDepth === 0 ? DEFAULT_DEPTH : connectionDepth, serverDepth);

/** Seconds that a call waits: what it asks for, else what its connection says; 0 = the default. */
export const waitSeconds = (asked: number, ofConnection: number): number =>
  Math.min(asked || ofConnection || DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS);

/**
 * Counts one more message. The count starts again with each turn that comes from outside, so that two agents cannot keep each other
 * busy for ever: a turn that a reply began belongs to the same cause as the turn that asked.
 */
export const nextRound = (
  { causeTurnId, rounds }: Delegation,
  sender: { readonly turnId: string; readonly firstTurnId: string | undefined; readonly isReply: boolean },
): Pick<Delegation, 'causeTurnId' | 'rounds'> => {
  const cause = sender.firstTurnId ?? (sender.isReply && causeTurnId !== '' ? causeTurnId : sender.turnId);
  return { causeTurnId: cause, rounds: cause === causeTurnId ? rounds + 1 : 1 };
};

/** With one more message; forgets those that were read, but of the turn that sends: its calls may run again. */
export const withSent = ({ sent }: Delegation, work: SentWork): Delegation['sent'] => [
  ...sent.filter(({ readBy, senderTurnId }) => readBy === '' || senderTurnId === work.senderTurnId),
  work,
];

/** Messages whose replies the call may have: unread ones, and those it took when it ran before. */
export const waitingFor = ({ sent }: Delegation, callId: string): readonly SentWork[] =>
  sent.filter(({ readBy }) => readBy === '' || readBy === callId);

/** Notes who has the replies of these turns. */
export const asRead = (
  delegation: Delegation,
  turnIds: readonly string[],
  read: Pick<SentWork, 'readBy' | 'readIn'>,
): Delegation => ({
  ...delegation,
  sent: delegation.sent.map((work) => (turnIds.includes(work.turnId) ? { ...work, ...read } : work)),
});

/** What is known of the work of an agent elsewhere on these messages. */
export const withRemote = (
  delegation: Delegation,
  turnIds: readonly string[],
  remote: Partial<RemoteWork>,
): Delegation => ({
  ...delegation,
  sent: delegation.sent.map((work) =>
    work.remote !== undefined && turnIds.includes(work.turnId)
      ? { ...work, remote: { ...work.remote, ...remote } }
      : work,
  ),
});

/** Messages whose replies calls of the turn took and did not pass on: none of these calls is in `delivered`. */
export const undelivered = (
  { sent }: Delegation,
  turnId: string,
  delivered: ReadonlySet<string>,
): readonly SentWork[] => sent.filter(({ readIn, readBy }) => readIn === turnId && !delivered.has(readBy));
