import {
  type ChannelEventDraft,
  type ChannelHistory,
  type ChannelLogReads,
  type ChannelLogWrites,
  type ChannelMessageRow,
  channelMessageHolder,
} from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';

/** `ChannelLogReads` over one connection. */
export class ChannelReadHandle implements ChannelLogReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async message(channelUid: string, id: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.channelMessages.get(channelUid, id));
  }

  async messagesBefore(channelUid: string, before: string | undefined, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.channelMessages.before(channelUid, before, limit));
  }

  async events(channelUid: string, after: number, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.channelEvents.after(channelUid, after, limit));
  }

  async eventRange(channelUid: string, history: ChannelHistory) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.channelEvents.range(channelUid, history));
  }
}

/** `ChannelLogWrites` inside one write transaction. */
export class ChannelWriteHandle extends ChannelReadHandle implements ChannelLogWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  /** The one writer is the lock. */
  async lock() {
    this.#access.enter();
  }

  async insertMessage(row: ChannelMessageRow) {
    this.#access.change();
    this.#access.tables.channelMessages.insert(row);
  }

  async appendEvents(channelUid: string, drafts: readonly ChannelEventDraft[]) {
    this.#access.change();
    return this.#access.tables.channelEvents.append(channelUid, drafts);
  }

  async trimEvents(channelUid: string, history: ChannelHistory, limit: number) {
    this.#access.change();
    return this.#access.tables.channelEvents.trim(channelUid, history, limit);
  }

  async trimMessages(channelUid: string, beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#dropWith(channelUid, this.#access.tables.channelMessages.trim(channelUid, beforeMicros, limit));
  }

  async removeSome(channelUid: string, limit: number) {
    this.#access.change();
    const messages = this.#dropWith(channelUid, this.#access.tables.channelMessages.remove(channelUid, limit));
    if (messages === limit) return messages;
    return messages + this.#access.tables.channelEvents.remove(channelUid, limit - messages);
  }

  /** Drops what removed messages referred to; answers how many they were. */
  #dropWith(channelUid: string, gone: readonly string[]): number {
    const { tables, steadyNow } = this.#access;
    for (const id of gone) tables.objects.drop(channelMessageHolder(channelUid, id), steadyNow);
    return gone.length;
  }
}
