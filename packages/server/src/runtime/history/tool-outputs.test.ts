import { describe, expect, it } from 'vitest';
import type { JournalRow, MessageRow, ReadTx } from '../../store/contracts/index.ts';
import { PART, type Part } from '../contract.ts';
import { toolOutputs } from './index.ts';

const result = (callId: string, content: string, rest: Partial<Part> = {}): Part => ({
  id: '000001',
  type: PART.TOOL_RESULT,
  content,
  payload: { tool_call_id: callId },
  createdAt: 1,
  ...rest,
});
const OBJECT = { sha256: 'a'.repeat(64), sizeBytes: 9, mediaType: 'text/plain' };

/** A session whose messages have the numbers of their ids, and the journal of turn `now`. */
class Conversation {
  readonly #messages: MessageRow[] = [];
  readonly #journal: JournalRow[] = [];
  readonly objects = new Map<string, Uint8Array>();
  /** Ids before which a page of messages was read. */
  readonly pages: (string | undefined)[] = [];

  message(number: number, parts: readonly Part[] = []): this {
    const id = String(number).padStart(4, '0');
    this.#messages.push({ id, sessionId: 's', parts: JSON.stringify(parts) } as MessageRow);
    return this;
  }

  journaled(body: unknown): this {
    this.#journal.push({ turnId: 'now', body: JSON.stringify(body) } as JournalRow);
    return this;
  }

  output(callId: string): Promise<string | undefined> {
    const log = {
      journal: async (turnId: string) => this.#journal.filter((row) => row.turnId === turnId),
      messagesBefore: async (sessionId: string, before: string | undefined, limit: number) => {
        this.pages.push(before);
        const rows = this.#messages.filter((row) => row.sessionId === sessionId && row.id < (before ?? '~'));
        return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
      },
    };
    const store = { read: <T>(work: (tx: ReadTx) => T | Promise<T>) => Promise.resolve(work({ log } as never)) };
    const read = async (namespace: string, { sha256 }: { readonly sha256: string }) =>
      this.objects.get(`${namespace}/${sha256}`);
    return toolOutputs(store, { read } as never)({ namespace: 'acme', sessionId: 's', turnId: 'now' }, callId);
  }
}

describe('the whole output of an earlier tool call', () => {
  it('is that of the turn under way, before messages are looked at', async () => {
    const world = new Conversation()
      .message(1, [result('c1', 'of a message')])
      .journaled({ response: 'no part' })
      .journaled({ part: result('other', 'of another call') })
      .journaled({ part: { ...result('c1', 'the call itself'), type: PART.TOOL_CALL } })
      .journaled({ part: result('c1', 'of the journal') });
    expect([await world.output('c1'), world.pages]).toEqual(['of the journal', []]);
  });

  it('is found in the messages, the newest first', async () => {
    const world = new Conversation()
      .message(1, [result('c1', 'old')])
      .message(2, [result('other', 'of another call'), result('c1', 'new')])
      .message(3, [{ id: '000000', type: PART.TEXT, content: 'c1 is mentioned only', createdAt: 1 }]);
    expect(await world.output('c1')).toBe('new');
  });

  it('is found behind many later messages, a page of a hundred at a time', async () => {
    const world = new Conversation().message(1, [result('c1', 'long ago')]);
    for (let number = 2; number <= 201; number += 1) world.message(number);
    expect(await world.output('c1')).toBe('long ago');
    expect(world.pages).toEqual([undefined, '0102', '0002']);
  });

  it('is unknown when no message has it', async () => {
    const world = new Conversation();
    for (let number = 1; number <= 100; number += 1) world.message(number);
    expect([await world.output('c1'), world.pages]).toEqual([undefined, [undefined, '0001']]);
    expect(await new Conversation().output('c1')).toBeUndefined();
  });

  it('is the text of its object where it was too long for the message', async () => {
    const world = new Conversation().message(1, [result('c1', 'the beg', { object: OBJECT as never })]);
    world.objects.set(`acme/${OBJECT.sha256}`, new TextEncoder().encode('the beginning and the end: ü'));
    expect(await world.output('c1')).toBe('the beginning and the end: ü');
  });

  it('is unknown once its object is gone, rather than its beginning', async () => {
    const world = new Conversation().message(1, [result('c1', 'the beg', { object: OBJECT as never })]);
    expect(await world.output('c1')).toBeUndefined();
  });
});
