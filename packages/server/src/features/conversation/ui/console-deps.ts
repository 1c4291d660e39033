import type { Authorizer } from '../../../auth/contract.ts';
import type { Clock, Ids, Log } from '../../../base/index.ts';
import type { ChangeFeed } from '../../../controllers/contract.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type { SessionEvent } from '../../../runtime/contract.ts';
import type { SessionActivity, SessionStreams } from '../../../runtime/stream/stream-contract.ts';
import type { Bus } from '../../../store/contracts/index.ts';

export const TOPICS = ['resource', 'session', 'turn', 'message', 'channel', 'run', 'delivery', 'part'] as const;
type ConsoleTopic = (typeof TOPICS)[number];

/** One event as every console may get it; whether one does depends on its question and its grants. */
export interface ConsoleEvent {
  readonly topic: ConsoleTopic;
  readonly namespace: string;
  readonly agent?: string;
  readonly sessionId?: string;
  readonly channel?: string;
  /** JSON text. */
  readonly data: string;
  /** Of a change of a resource. */
  readonly version?: number;
  /** The namespace whose record this change removed. */
  readonly removed?: string;
}

/** Sessions, turns, messages and parts as JSON; features/conversation/sessions satisfies it. */
interface ConsoleSessions {
  read(activity: SessionActivity): Promise<readonly ConsoleEvent[]>;
  part(event: SessionEvent, cursor: string): string;
}

/** Everything that happens of one topic as JSON, as it is written; features of coordination satisfy it. */
interface ConsoleSource {
  /** Answers how to stop. */
  subscribe(receive: (event: Pick<ConsoleEvent, 'namespace' | 'channel' | 'data'>) => void): () => void;
}

export interface ConsoleDeps {
  readonly sessions: ConsoleSessions;
  /** Events of channels. */
  readonly channels: ConsoleSource;
  /** Events of workflow runs. */
  readonly runs: ConsoleSource;
  readonly deliveries: ConsoleSource;
  readonly streams: SessionStreams;
  readonly changes: ChangeFeed;
  readonly views: ResourceViews;
  readonly bus: Bus;
  readonly authorizer: Authorizer;
  /** Ancestors of a namespace, nearest first, without a read: when the change of that version was written, or now. */
  readonly ancestorsAt: (namespace: string, version?: number) => readonly string[];
  /** Throws NAMESPACE_NOT_FOUND for a namespace that has no record. */
  readonly requireNamespace: (namespace: string) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
