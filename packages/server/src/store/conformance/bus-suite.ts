import { describe, expect, it, onTestFinished } from 'vitest';
import type { Bus } from '../contracts/index.ts';

export interface BusUnderTest {
  readonly bus: Bus;
  /** Resolves when what was published so far has been delivered. */
  delivered(): Promise<void>;
  dispose(): Promise<void>;
}

/** Every method of the bus contract; `make` opens a bus no one else uses. */
export const busConformance = (engine: string, make: () => Promise<BusUnderTest>): void => {
  const open = async (): Promise<BusUnderTest> => {
    const made = await make();
    onTestFinished(() => made.dispose());
    return made;
  };

  describe(`bus contract on ${engine}`, () => {
    it('delivers to every subscriber of the subject, in order, and to no other', async () => {
      const { bus, delivered } = await open();
      const got: unknown[][] = [[], [], []];
      bus.subscribe('a', (message) => got[0]?.push(message));
      bus.subscribe('a', (message) => got[1]?.push(message));
      bus.subscribe('b', (message) => got[2]?.push(message));
      for (let number = 0; number < 20; number++) bus.publish('a', { number });
      bus.publish('unheard', 1);
      await delivered();
      const expected = Array.from({ length: 20 }, (_, number) => ({ number }));
      expect(got).toEqual([expected, expected, []]);
    });

    it('stops at the unsubscribe, which may be repeated', async () => {
      const { bus, delivered } = await open();
      const got: unknown[] = [];
      const stop = bus.subscribe('a', (message) => got.push(message));
      bus.publish('a', 1);
      await delivered();
      stop();
      stop();
      bus.publish('a', 2);
      await delivered();
      expect(got).toEqual([1]);
    });

    it('delivers a message to every subscriber although one of them throws', async () => {
      const { bus, delivered } = await open();
      const got: unknown[] = [];
      bus.subscribe('a', () => {
        throw new Error('subscriber');
      });
      bus.subscribe('a', (message) => got.push(message));
      bus.publish('a', 1);
      bus.publish('a', 2);
      await delivered();
      expect(got).toEqual([1, 2]);
    });

    it('gives all subscribers one order when a subscriber publishes', async () => {
      const { bus, delivered } = await open();
      const first: unknown[] = [];
      const second: unknown[] = [];
      bus.subscribe('a', (message) => {
        first.push(message);
        if (message === 1) bus.publish('a', 2);
      });
      bus.subscribe('a', (message) => second.push(message));
      bus.publish('a', 1);
      await delivered();
      expect([first, second]).toEqual([
        [1, 2],
        [1, 2],
      ]);
    });

    it('bears subscribing and unsubscribing during a delivery', async () => {
      const { bus, delivered } = await open();
      const got: string[] = [];
      const stops: (() => void)[] = [];
      bus.subscribe('a', () => {
        got.push('first');
        for (const stop of stops.splice(0)) stop();
        if (got.length === 1) bus.subscribe('a', () => got.push('new'));
      });
      stops.push(bus.subscribe('a', () => got.push('removed')));
      bus.publish('a', 1);
      await delivered();
      expect(got).toEqual(['first']);
      bus.publish('a', 2);
      await delivered();
      expect(got).toEqual(['first', 'first', 'new']);
    });

    it('delivers nothing after it was closed', async () => {
      const { bus, delivered } = await open();
      const got: unknown[] = [];
      bus.subscribe('a', (message) => got.push(message));
      bus.onGap('a', () => got.push('gap'))();
      await bus.close();
      bus.publish('a', 1);
      await delivered();
      expect(got).toEqual([]);
    });
  });
};
