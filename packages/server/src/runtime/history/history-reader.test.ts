import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageRow, ReadTx, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import { PART, type Part } from '../contract.ts';
import { createHistoryReader, orderHistory } from './index.ts';

const id = (order: number): string => `0197${order.toString().padStart(4, '0')}-0000-7000-8000-000000000000`;
const order = (messageId: string): number => Number(messageId.slice(4, 8));

const text = (content: string): Part => ({ id: '000000', type: PART.TEXT, content, createdAt: 1 });

/** A session in memory that counts what is read. */
class Conversation {
  readonly messages = new Map<string, MessageRow>();
  readonly turns = new Map<string, TurnRow>();
  readonly reads: string[] = [];
  readonly session = { id: 's', namespace: 'demo', agent: 'helper' } as SessionRow;

  /** A turn with its messages by number, the first from the user; fence 0 = not started. */
  turn(turnId: string, [firstFence, lastFence]: readonly [number, number?], messages: readonly number[]): this {
    const spans = firstFence === 0 ? [] : [{ fence: firstFence }];
    const [user = 0, ...replies] = messages;
    const body = JSON.stringify({ spans, userMessageIds: [id(user)], replyMessageIds: replies.map(id) });
    const fence = lastFence ?? firstFence;
    const state = fence === 0 ? 'QUEUED' : 'COMPLETED';
    this.turns.set(turnId, { id: turnId, sessionId: 's', state, fence, userMessageId: id(user), body } as TurnRow);
    for (const number of messages) this.message(number, turnId);
    return this;
  }

  message(number: number, turnId = '', parts: readonly Part[] = [text(`m${number}`)]): this {
    const row = { id: id(number), sessionId: 's', role: 1, turnId, labels: {}, parts: JSON.stringify(parts) };
    this.messages.set(row.id, row as unknown as MessageRow);
    return this;
  }

  readonly #reader = createHistoryReader();

  async read(turnId: string, tokenLimit = 1_000_000): Promise<readonly number[]> {
    const turn = this.turns.get(turnId) ?? ({ id: turnId, sessionId: 's' } as TurnRow);
    const found = await this.#reader.before(this.tx(), this.session, turn, tokenLimit, (words) => words.length);
    return found.messages.map((message) => order(message.id));
  }

  tx(): ReadTx {
    const log = {
      messagesBefore: async (_session: string, before: string | undefined, limit: number) => {
        this.reads.push('messages');
        const rows = [...this.messages.values()].filter((row) => before === undefined || row.id < before);
        return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
      },
      turn: async (turnId: string) => {
        this.reads.push(`turn ${turnId}`);
        return this.turns.get(turnId);
      },
      turnsFromFence: async (_session: string, fence: number, limit: number) => {
        this.reads.push('fences');
        const rows = [...this.turns.values()].filter((row) => row.fence >= fence);
        return rows.sort((a, b) => a.fence - b.fence).slice(0, limit);
      },
    };
    return { log } as unknown as ReadTx;
  }
}

describe('the history before a turn', () => {
  it('is empty for the first turn after one read', async () => {
    const world = new Conversation().turn('a', [1], [1, 2]);
    expect(await world.read('a')).toEqual([]);
    expect(world.reads).toEqual(['messages']);
  });

  it('holds one block per turn in the order of first fences, ids ascending inside (R7)', async () => {
    // b was queued first, c interrupted a and ran ahead of b; d steered into a.
    const world = new Conversation()
      .turn('a', [1], [1, 2, 9, 10])
      .turn('b', [5], [3, 4])
      .turn('c', [3], [5, 6])
      .turn('now', [7], [11, 12]);
    expect(await world.read('now')).toEqual([1, 2, 9, 10, 5, 6, 3, 4]);
  });

  it('takes the first fence of a turn that was claimed again later', async () => {
    const world = new Conversation().turn('a', [1, 9], [1, 2]).turn('b', [3], [3, 4]).turn('now', [10], [5, 6]);
    expect(await world.read('now')).toEqual([1, 2, 3, 4]);
  });

  it('leaves out turns that are not started and shows what was stopped in the queue at its fence', async () => {
    const world = new Conversation()
      .turn('a', [1], [1, 2])
      .turn('queued', [0], [3])
      .turn('now', [4], [5, 6])
      .turn('pending', [0], [7]);
    expect(await world.read('now')).toEqual([1, 2]);
    const stopped = new Conversation().turn('a', [1], [1, 2]).turn('gone', [2], [3]).turn('now', [4], [5, 6]);
    expect(await stopped.read('now')).toEqual([1, 2, 3]);
  });

  it('puts appended messages before the first block with a greater id, at the latest before the turn (R7)', async () => {
    const world = new Conversation().turn('a', [1], [10, 11]).turn('b', [2], [20, 21]).turn('now', [3], [30, 31]);
    world.message(5).message(15).message(25).message(99);
    expect(await world.read('now')).toEqual([5, 10, 11, 15, 20, 21, 25, 99]);
  });

  it('takes messages of turns of another session, as a fork copies them, as appended', async () => {
    const world = new Conversation().message(1, 'elsewhere').message(2, 'elsewhere').turn('now', [1], [3, 4]);
    expect(await world.read('now')).toEqual([1, 2]);
  });

  it('reads only as far back as the limit needs', async () => {
    const world = new Conversation();
    for (let turn = 0; turn < 300; turn++) world.turn(`t${turn}`, [turn + 1], [turn * 2 + 1, turn * 2 + 2]);
    const found = await world.read('t299', 20);
    expect(world.reads.filter((read) => read === 'messages').length).toBeLessThanOrEqual(2);
    expect(found.length).toBeLessThan(64);
    expect(found.at(-1)).toBe(598);
    expect(await world.read('t299')).toHaveLength(598);
  });

  it('leaves no gap where a queued turn was overtaken, wherever it stops', async () => {
    const world = new Conversation().turn('late', [50], [1, 2]);
    for (let turn = 1; turn < 49; turn++) world.turn(`t${turn}`, [turn], [turn * 2 + 1, turn * 2 + 2]);
    world.turn('now', [51], [200, 201]);
    const found = await world.read('now', 10);
    expect(found.slice(-4)).toEqual([97, 98, 1, 2]);
    expect(found.length).toBeLessThan(98);
  });

  it('reads the row of an ended turn once', async () => {
    const world = new Conversation().turn('a', [1], [1, 2]).turn('open', [0], [3]).turn('now', [4], [5, 6]);
    await world.read('now');
    world.reads.length = 0;
    expect(await world.read('now')).toEqual([1, 2]);
    expect(world.reads).toEqual(['messages', 'turn open']);
  });

  it('starts behind what the newest compaction covers (R29)', async () => {
    const summary: Part = {
      id: '000000',
      type: PART.COMPACTION,
      content: 'sum',
      payload: { through_message_id: id(60) },
      createdAt: 1,
    };
    const world = new Conversation();
    for (let turn = 0; turn < 30; turn++) world.turn(`t${turn}`, [turn + 1], [turn * 2 + 1, turn * 2 + 2]);
    world.turn('c', [40], [61, 62]).turn('d', [41], [63, 64]).turn('now', [42], [65, 66]);
    world.message(62, 'c', [summary, text('reply')]);
    expect(await world.read('now')).toEqual([61, 62, 63, 64]);
    expect(world.reads.filter((read) => read === 'messages')).toHaveLength(1);
  });

  it('keeps a queued message that is older than what a compaction covers', async () => {
    const summary: Part = {
      id: '000000',
      type: PART.COMPACTION,
      content: 'sum',
      payload: { through_message_id: id(6) },
      createdAt: 1,
    };
    const world = new Conversation().turn('a', [1], [1, 2, 5, 6]);
    world.turn('b', [2], [3, 4]).turn('now', [3], [7, 8]);
    world.message(4, 'b', [summary, text('reply')]);
    expect(await world.read('now')).toEqual([3, 4]);
  });
});

describe('orderHistory', () => {
  it('keeps every started message exactly once and blocks whole, for any mix', () => {
    const message = fc.record({ id: fc.integer({ min: 0, max: 60 }), turn: fc.integer({ min: 0, max: 5 }) });
    const messages = fc.uniqueArray(message, { selector: (entry) => entry.id, maxLength: 30 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat({ max: 9 }), { minLength: 6, maxLength: 6 }), (entries, fences) => {
        const given = entries.map(({ id: number, turn }) => ({ id: id(number), turnId: turn === 0 ? '' : `t${turn}` }));
        const fenceOf = (turnId: string) => fences[Number(turnId.slice(1))] || undefined;
        const ordered = orderHistory(given, fenceOf);
        const visible = given.filter(({ turnId }) => turnId === '' || fenceOf(turnId) !== undefined);
        expect(ordered.map((entry) => entry.id).toSorted()).toEqual(visible.map((entry) => entry.id).toSorted());
        const blocks = ordered
          .map(({ turnId }) => turnId)
          .filter((turnId, index, all) => turnId !== '' && turnId !== all[index - 1]);
        expect(new Set(blocks).size).toBe(blocks.length);
      }),
    );
  });
});
