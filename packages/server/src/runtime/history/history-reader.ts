import type { MessageRow } from '../../store/contracts/index.ts';
import {
  type History,
  type HistoryExtent,
  type HistoryReader,
  PART,
  type Part,
  type TranscriptMessage,
} from '../contract.ts';
import { compactionOf, coveredThrough, cutAtCompaction } from './compaction-cut.ts';
import { asTranscript, type ReadPlace, readExtent } from './history-extent.ts';
import { orderHistory } from './history-order.ts';
import { createTurnPlaces, messageIdsOf, type TurnPlace } from './turn-places.ts';

/** Reads backwards in pages that double: most sessions need one read of the first size. */
const FIRST_PAGE = 32;
const LARGEST_PAGE = 256;
/** Turns read to find messages that are later in the history than their ids say (queued turns passed by others). */
const OVERTAKEN_TURNS = 200;

/** Reads earlier messages in the order of `orderHistory`; keeps only the places of ended turns between calls. */
export const createHistoryReader = (): HistoryReader => {
  const findPlaces = createTurnPlaces();
  return {
    before: (...[tx, session, turn, tokenLimit, countTokens]) =>
      new BackwardRead({ tx, session, turn, findPlaces }, { tokenLimit, countTokens }).run(),
    within: (place, extent) => readExtent({ ...place, findPlaces }, extent),
  };
};

interface Need {
  readonly tokenLimit: number;
  readonly countTokens: (text: string) => number;
}

/** One reading of one session: collects messages by descending id until enough, then orders them. */
class BackwardRead {
  readonly #place: ReadPlace;
  readonly #need: Need;
  readonly #messages: TranscriptMessage[] = [];
  /** Known turns; undefined = no such turn in this session, its messages count as appended (forks). */
  readonly #turns = new Map<string, TurnPlace | undefined>();
  #bytes = 0;
  #isWhole = false;
  /** At or below this id reading may stop: the newest COMPACTION covers the rest. */
  #coveredId: string | undefined;

  constructor(place: ReadPlace, need: Need) {
    this.#place = place;
    this.#need = need;
  }

  async run(): Promise<History> {
    for (let page = FIRST_PAGE; !this.#isEnough(); page = Math.min(page * 2, LARGEST_PAGE)) await this.#readPage(page);
    const floor = await this.#closeGaps();
    const visible = this.#messages.filter((message) => this.#isVisible(message, floor));
    const ordered = orderHistory(visible, (turnId) => this.#fence(turnId));
    const messages = cutAtCompaction(ordered)?.rest ?? ordered;
    return { messages, extent: this.#extent(visible, messages.length, floor) };
  }

  /** `visible` is newest first. */
  #extent(visible: readonly TranscriptMessage[], count: number, floor: number): HistoryExtent {
    const oldest = visible.at(-1)?.id ?? '';
    return { fence: this.#place.turn.fence, floor, oldest, newest: visible[0]?.id ?? '', count };
  }

  #isEnough(): boolean {
    if (this.#isWhole) return true;
    const oldest = this.#messages.at(-1)?.id;
    if (this.#coveredId !== undefined && oldest !== undefined && oldest <= this.#coveredId) return true;
    return this.#bytes >= this.#need.tokenLimit && this.#countTokens() >= this.#need.tokenLimit;
  }

  /** Exact, and so asked for only when the bytes could suffice: no text has more tokens than bytes. */
  #countTokens(): number {
    const visible = this.#messages.filter((message) => this.#isVisible(message, 0));
    return visible.flatMap(({ parts }) => textsOf(parts)).reduce((sum, text) => sum + this.#need.countTokens(text), 0);
  }

  async #readPage(limit: number): Promise<void> {
    const { tx, session } = this.#place;
    const rows = await tx.log.messagesBefore(session.id, this.#messages.at(-1)?.id, limit);
    this.#isWhole = rows.length < limit;
    await this.#readTurns(rows);
    for (const row of rows) this.#take(row);
  }

  async #readTurns(rows: readonly MessageRow[]): Promise<void> {
    const { tx, session, turn, findPlaces } = this.#place;
    const ids = new Set(rows.map((row) => row.turnId));
    const missing = [...ids].filter((id) => id !== '' && id !== turn.id && !this.#turns.has(id));
    const found = await findPlaces(tx, session.id, missing);
    for (const [id, place] of found) this.#turns.set(id, place);
  }

  #take(row: MessageRow): void {
    const message = asTranscript(row, this.#place.turn.id, this.#turns);
    const { parts } = message;
    this.#messages.push(message);
    if (!this.#isVisible(message, 0)) return;
    for (const text of textsOf(parts)) this.#bytes += Buffer.byteLength(text);
    const compaction = compactionOf(parts);
    if (compaction !== undefined && this.#coveredId === undefined)
      this.#coveredId = this.#oldestUncovered(message, compaction);
  }

  /** Ids below this one cannot be after the covered position: the compacting turn's own user message may. */
  #oldestUncovered(holder: TranscriptMessage, compaction: Part): string {
    const through = coveredThrough(compaction);
    const own = this.#turns.get(holder.turnId)?.messageIds ?? [];
    return leastId(through === '' ? own : [through, ...own]);
  }

  /** The current turn's own messages and those of turns not started are invisible. */
  #isVisible(message: TranscriptMessage, floor: number): boolean {
    if (message.turnId === '') return true;
    if (message.turnId === this.#place.turn.id) return false;
    const fence = this.#fence(message.turnId);
    return fence !== undefined && fence >= floor;
  }

  #fence(turnId: string): number | undefined {
    return this.#turns.get(turnId)?.fence;
  }

  /**
   * Ids and first fences differ in order when turns were queued or interrupted. Reads on until every turn from the
   * oldest loaded one on is complete, and answers that turn's fence: messages of turns before it are left out again.
   */
  async #closeGaps(): Promise<number> {
    if (this.#isWhole) return 0;
    const fences = [...this.#turns.keys()].map((id) => this.#fence(id)).filter((fence) => fence !== undefined);
    if (fences.length === 0) return 0;
    const floor = Math.min(...fences);
    const { tx, session, turn } = this.#place;
    const later = await tx.log.turnsFromFence(session.id, floor, OVERTAKEN_TURNS);
    const ids = later.filter((row) => row.id !== turn.id).flatMap(messageIdsOf);
    const first = leastId(ids);
    while (first !== '' && !this.#isWhole && (this.#messages.at(-1)?.id ?? '') > first)
      await this.#readPage(FIRST_PAGE);
    return floor;
  }
}

const leastId = (ids: readonly string[]): string => [...ids].sort()[0] ?? '';

/** Texts of a message without looking at objects: the budget later counts exactly what is sent. */
const textsOf = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => {
    if (part.type === PART.TEXT || part.type === PART.TOOL_RESULT) return [part.content ?? ''];
    return part.type === PART.TOOL_CALL ? [JSON.stringify(part.payload?.['input'] ?? {})] : [];
  });
