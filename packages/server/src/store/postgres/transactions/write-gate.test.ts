import { describe, expect, it } from 'vitest';
import { WriteGate } from './write-gate.ts';

const gateFor = (limit: number, monotonicMs = () => 0): WriteGate => new WriteGate(limit, monotonicMs);

describe('the gate of writes', () => {
  it('lets so many in at once and the others in their order', async () => {
    const gate = gateFor(2);
    const order: number[] = [];
    const writes = [1, 2, 3, 4].map((number) => gate.enter().then(() => order.push(number)));
    await Promise.all(writes.slice(0, 2));
    expect(order).toEqual([1, 2]);
    gate.leave();
    await writes[2];
    gate.leave();
    await writes[3];
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('lets an urgent one in beside those that run, or else before those that wait', async () => {
    const gate = gateFor(1);
    const order: string[] = [];
    const enter = (name: string, isUrgent: boolean) => gate.enter(isUrgent).then(() => order.push(name));
    const first = [enter('ordinary', false), enter('urgent', true)];
    const [waits, second] = [enter('waits', false), enter('second urgent', true)];
    await Promise.all(first);
    expect(order).toEqual(['ordinary', 'urgent']);
    gate.leave();
    await second;
    gate.leave();
    await gate.enter(true).then(() => gate.leave());
    expect(order).toEqual(['ordinary', 'urgent', 'second urgent']);
    gate.leave();
    await waits;
    expect(order.at(-1)).toBe('waits');
  });

  it('is idle when everybody has left', async () => {
    const gate = gateFor(1);
    await gate.idle();
    await gate.enter();
    let isIdle = false;
    const idle = gate.idle().then(() => {
      isIdle = true;
    });
    expect(isIdle).toBe(false);
    gate.leave();
    await idle;
    expect(isIdle).toBe(true);
  });

  it('refuses what would wait behind too many, but no urgent one, which waits behind none of them', async () => {
    const gate = gateFor(0);
    for (let waiting = 0; waiting < 100_000; waiting++) void gate.enter();
    await expect(gate.enter()).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    await gate.enter(true);
    const second = gate.enter(true);
    gate.leave();
    await second;
  });

  it('refuses what waited for a minute, so that nobody waits for a database that is away', async () => {
    let nowMs = 0;
    const gate = gateFor(1, () => nowMs);
    await gate.enter();
    await gate.enter(true);
    const early = [gate.enter(), gate.enter(true)].map((write) => write.catch((error: unknown) => error));
    nowMs = 30_000;
    const late = gate.enter();
    nowMs = 60_001;
    gate.leave();
    const refusal = expect.objectContaining({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    expect(await Promise.all(early)).toEqual([refusal, refusal]);
    gate.leave();
    await late;
  });
});
