import { create } from '@bufbuild/protobuf';
import { type SessionMessage, SessionMessageSchema } from '@svc/api/data';
import { deepFreeze, withoutPrivate } from '../../../../resources/index.ts';
import type { Part } from '../../../../runtime/contract.ts';
import type { MessageRow } from '../../../../store/contracts/index.ts';
import { partMessage } from './part-messages.ts';

interface CachedMessage {
  readonly message: SessionMessage;
  /** Stored text the message was made of: equal text, equal message, also after a clear that reuses an id. */
  readonly parts: string;
  readonly bytes: number;
  /** Read since the bound last checked it: stays for another round. */
  used: boolean;
}

/** Objects around the text of a message cost about this much. */
const OVERHEAD_BYTES = 600;

/** Wire messages of stored messages: frozen, shared, kept by id and revision within a bound of bytes. */
export class MessageMessages {
  readonly #limitBytes: number;
  readonly #known = new Map<string, CachedMessage>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  of(row: MessageRow): SessionMessage {
    return this.sized(row).message;
  }

  /** With the approximate size on the wire, for pages that are cut short. */
  sized(row: MessageRow): { readonly message: SessionMessage; readonly bytes: number } {
    const key = `${row.sessionId}${row.id}${row.revision}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.parts === row.parts) {
      known.used = true;
      return known;
    }
    const bytes = row.parts.length + OVERHEAD_BYTES;
    const entry = { message: deepFreeze(build(row)), parts: row.parts, bytes, used: false };
    this.#keep(key, entry, known);
    return entry;
  }

  #keep(key: string, entry: CachedMessage, former: CachedMessage | undefined): void {
    if (former !== undefined) this.#bytes -= former.bytes;
    this.#known.delete(key);
    if (entry.bytes * 4 > this.#limitBytes) return;
    this.#known.set(key, entry);
    // Text is there twice: as stored and in the message.
    this.#bytes += entry.bytes;
    for (const [oldest, value] of this.#known) {
      if (this.#bytes * 2 <= this.#limitBytes) break;
      this.#known.delete(oldest);
      if (value.used) {
        value.used = false;
        this.#known.set(oldest, value);
      } else this.#bytes -= value.bytes;
    }
  }
}

const build = (row: MessageRow): SessionMessage => {
  const message = create(SessionMessageSchema);
  message.id = row.id;
  message.role = row.role as number;
  message.createdAt = BigInt(row.createdAt);
  message.labels = withoutPrivate(row.labels);
  message.parts = (JSON.parse(row.parts) as readonly Part[]).map(partMessage);
  return message;
};
