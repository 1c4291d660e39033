import { together } from '../../base/index.ts';
import type { JournalRow, MessageRow, SessionRow, Store, TurnRow } from '../../store/contracts/index.ts';
import type { History, HistoryReader, Part, PlacedPart, TranscriptMessage, TurnBody } from '../contract.ts';
import { recordedParts, type SteerInputEntry } from '../record/index.ts';

/** What loading a transcript uses. */
export interface TranscriptPorts {
  readonly store: Pick<Store, 'read'>;
  readonly history: HistoryReader;
}

/** What is loaded: the turn as claimed, with its body and journal. */
interface LoadedTurn {
  readonly session: SessionRow;
  readonly turn: TurnRow;
  readonly body: TurnBody;
  readonly journal: readonly JournalRow[];
}

const ASSISTANT = 2;

/** Until it is loaded. */
const NO_HISTORY: History = { messages: [], extent: { fence: 0, floor: 0, oldest: '', newest: '', count: 0 } };

const asTranscript = (row: MessageRow): TranscriptMessage => ({
  id: row.id,
  role: row.role,
  turnId: row.turnId,
  labels: row.labels,
  parts: JSON.parse(row.parts) as readonly Part[],
});

/**
 * The current turn as the model shall see it: its user messages, its assistant messages as recorded, the steering
 * messages between them, in order. History before the turn comes from the HistoryReader.
 */
export class TurnTranscript {
  readonly #turnId: string;
  #history: History = NO_HISTORY;
  /** Replaced by `concat`: an array that grows any other way keeps room for 17, and turns have two or three. */
  #messages: readonly (TranscriptMessage & { readonly live: boolean })[] = [];
  readonly #recorded: PlacedPart[];

  constructor(turnId: string, journal: readonly JournalRow[]) {
    this.#turnId = turnId;
    this.#recorded = recordedParts(journal);
  }

  /** Parts of the whole turn that are recorded, in stored order. */
  get recorded(): readonly PlacedPart[] {
    return this.#recorded;
  }

  /** How far the history before the turn reaches. */
  get extent(): History['extent'] {
    return this.#history.extent;
  }

  /** A part became recorded. */
  record(placed: PlacedPart): void {
    this.#recorded.push(placed);
  }

  /** Reads history, user messages and absorbed steering messages in one snapshot; may be repeated when that failed. */
  async load(
    { session, turn, body, journal }: LoadedTurn,
    budget: { readonly tokenLimit: number; readonly countTokens: (text: string) => number },
    { store, history }: TranscriptPorts,
  ): Promise<void> {
    await store.read(async (tx) => {
      this.#messages = [];
      [this.#history] = await together(
        history.before(tx, session, turn, budget.tokenLimit, budget.countTokens),
        this.#addUsers(tx.log, session, body.userMessageIds),
      );
      this.#addAssistant(firstReply(journal, body.replyMessageIds));
      for (const row of journal)
        if (row.kind === 'STEER_INPUT')
          await this.#replaySteer(tx.log, session, JSON.parse(row.body) as SteerInputEntry);
    });
  }

  /** Steering messages joined: the assistant message so far is closed, or dropped when it is empty. */
  absorb(entry: SteerInputEntry, messages: readonly MessageRow[]): void {
    const last = this.#messages.at(-1);
    if (last?.live === true && entry.closedMessageId === '') this.#messages = this.#messages.slice(0, -1);
    this.#messages = this.#messages.concat(messages.map((row) => ({ ...asTranscript(row), live: false })));
    this.#addAssistant(entry.nextMessageId);
  }

  /** Whole model history with the parts recorded so far. */
  messages(): TranscriptMessage[] {
    const own = this.#messages.map((message) =>
      message.live
        ? {
            ...message,
            parts: this.#recorded.filter((entry) => entry.messageId === message.id).map((entry) => entry.part),
          }
        : message,
    );
    return [...this.#history.messages, ...own.filter((message) => !message.live || message.parts.length > 0)];
  }

  /** Parts recorded for one assistant message; the next part's index. */
  countIn(messageId: string): number {
    return this.#recorded.reduce((count, entry) => (entry.messageId === messageId ? count + 1 : count), 0);
  }

  #addAssistant(id: string): void {
    if (id !== '')
      this.#messages = this.#messages.concat({
        id,
        role: ASSISTANT,
        turnId: this.#turnId,
        labels: {},
        parts: [],
        live: true,
      });
  }

  async #addUsers(
    log: { message(sessionId: string, id: string): Promise<MessageRow | undefined> },
    session: SessionRow,
    ids: readonly string[],
  ): Promise<void> {
    for (const id of ids) {
      const row = await log.message(session.id, id);
      if (row !== undefined) this.#messages = this.#messages.concat({ ...asTranscript(row), live: false });
    }
  }

  async #replaySteer(
    log: { message(sessionId: string, id: string): Promise<MessageRow | undefined> },
    session: SessionRow,
    entry: SteerInputEntry,
  ): Promise<void> {
    const rows: MessageRow[] = [];
    for (const id of entry.messageIds) {
      const row = await log.message(session.id, id);
      if (row !== undefined) rows.push(row);
    }
    this.absorb(entry, rows);
  }
}

/**
 * Id under which the turn began to write; a message that was dropped empty is recorded as '-' until its steer entry
 * removes it.
 */
const firstReply = (journal: readonly JournalRow[], replyIds: readonly string[]): string => {
  const [first] = journal;
  if (first === undefined) return replyIds.at(-1) ?? '';
  const entry = JSON.parse(first.body) as { readonly messageId?: string; readonly closedMessageId?: string };
  if (first.kind !== 'STEER_INPUT') return entry.messageId ?? '';
  return entry.closedMessageId === undefined || entry.closedMessageId === '' ? '-' : entry.closedMessageId;
};
