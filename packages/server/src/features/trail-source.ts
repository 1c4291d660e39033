import type { ReadTx } from '../store/contracts/index.ts';

/**
 * Records that a trail leads over. Each is read by the feature that owns it; other features may add what they know of it: a schedule says
 * of a turn that one of its instants began it.
 */
export type TrailPlaceKind =
  | 'session_message'
  | 'turn'
  | 'channel_message'
  | 'schedule_firing'
  | 'task'
  | 'connector_event'
  | 'delivery'
  | 'workflow_run';

/** One record on the way, by its names. */
export interface TrailPlace {
  readonly kind: TrailPlaceKind;
  readonly id: string;
  readonly namespace: string;
  /** What the id is unique in: the session of a message, the uid of a channel; absent where it is unique alone. */
  readonly within?: string;
}

/** One line of a trail. Times are Unix microseconds. */
export interface TrailEntry {
  /** That of a place, or of a part of one: `model_call`, `tool_call`, `request`, `compaction`, `run_step`. */
  readonly kind: string;
  readonly id: string;
  readonly namespace: string;
  readonly agent?: string;
  readonly sessionId?: string;
  /** The resource it belongs to, or the name of a tool. */
  readonly name?: string;
  readonly at: number;
  readonly endedAt?: number;
  readonly state: string;
  /** A word for programs that says why it is in this state. */
  readonly reason?: string;
  /** For people. */
  readonly text?: string;
  /** Id of the entry that caused it. */
  readonly causedBy?: string;
}

/** What a feature knows of a record: lines of the trail, and the records that caused it or that it caused. */
export interface TrailReading {
  readonly entries: readonly TrailEntry[];
  readonly links: readonly TrailPlace[];
  /** What caused entries that another feature shows: the id of the cause by the id of the entry. */
  readonly causes?: Readonly<Record<string, string>>;
}

/** Reads what became of something, as far as one feature knows it. */
export interface TrailSource {
  /** Records of the namespace with that id. */
  find?(reads: ReadTx, wanted: { readonly namespace: string; readonly id: string }): Promise<readonly TrailPlace[]>;
  /** Undefined where the feature knows nothing of the record. */
  read(reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined>;
}

/** The beginning of a text, on one line. */
export const trailText = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  return line.length <= TEXT_MAX ? line : `${line.slice(0, TEXT_MAX - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
};

const TEXT_MAX = 200;
