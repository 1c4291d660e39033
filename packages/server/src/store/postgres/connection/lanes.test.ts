import { describe, expect, it } from 'vitest';
import { Lanes } from './lanes.ts';
import type { Session } from './session.ts';
import { ConnectionLost } from './storage-fault.ts';

/** A connection that is only counted. */
class FakeSession {
  lost: ConnectionLost | undefined;
  isReleased = false;

  release(): void {
    this.isReleased = true;
  }
}

const givenLanes = (limit: number) => {
  const made: FakeSession[] = [];
  const lanes = new Lanes(limit, async () => {
    made.push(new FakeSession());
    return made.at(-1) as unknown as Session;
  });
  return { lanes, made };
};

describe('connections that many statements share', () => {
  it('are opened one by one, only while all others are in use, and then shared', async () => {
    const { lanes, made } = givenLanes(2);
    await lanes.use(async () => undefined);
    await lanes.use(async () => undefined);
    expect(made).toHaveLength(1);
    const ends = Promise.withResolvers<void>();
    const used: unknown[] = [];
    const held = [1, 2, 3, 4].map(() =>
      lanes.use(async (session) => {
        used.push(session);
        await ends.promise;
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect([made.length, used.filter((each) => each === made[0]).length]).toEqual([2, 2]);
    ends.resolve();
    await Promise.all(held);
  });

  it('are replaced when lost', async () => {
    const { lanes, made } = givenLanes(1);
    await expect(
      lanes.use(async () => {
        made[0]!.lost = new ConnectionLost('gone');
        throw made[0]!.lost;
      }),
    ).rejects.toBeInstanceOf(ConnectionLost);
    await lanes.use(async () => undefined);
    made[1]!.lost = new ConnectionLost('gone');
    await lanes.use(async () => undefined);
    expect(made.map((each) => each.isReleased)).toEqual([true, true, false]);
  });

  it('are given back at the end, once nothing is under way', async () => {
    const { lanes, made } = givenLanes(1);
    const ends = Promise.withResolvers<void>();
    const held = lanes.use(() => ends.promise);
    await Promise.resolve();
    lanes.close();
    expect(made[0]?.isReleased).toBe(false);
    ends.resolve();
    await held;
    expect(made[0]?.isReleased).toBe(true);
  });

  it('pass on why none could be opened, and try again', async () => {
    let tries = 0;
    const lanes = new Lanes(1, async () => {
      tries++;
      if (tries === 1) throw new Error('no server');
      return new FakeSession() as unknown as Session;
    });
    await expect(lanes.use(async () => 1)).rejects.toThrow('no server');
    expect(await lanes.use(async () => 2)).toBe(2);
  });
});
