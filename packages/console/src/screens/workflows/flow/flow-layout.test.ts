import { expect, it } from 'vitest';
import { layoutOf } from './flow-layout.ts';
import type { FlowStep } from './read-spec.ts';

const step = (id: string, ...after: readonly string[]): FlowStep => ({ id, type: 'transform', after, does: '' });

it('puts steps below those that they wait for, and beside each other where they wait for the same', () => {
  const { places, edges } = layoutOf([step('a'), step('b', 'a'), step('c', 'a'), step('d', 'b', 'c')]);
  const y = (id: string): number => places.get(id)?.y ?? Number.NaN;
  expect([y('b') > y('a'), y('b') === y('c'), y('d') > y('c')]).toEqual([true, true, true]);
  expect(places.get('b')?.x).not.toBe(places.get('c')?.x);
  expect(edges).toEqual([
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
    { from: 'b', to: 'd' },
    { from: 'c', to: 'd' },
  ]);
});

it('lays out what is half written: cycles, names of nothing, steps without an id', () => {
  const { places, edges } = layoutOf([step('a', 'b'), step('b', 'a', 'gone', 'a'), step('')]);
  expect([...places.keys()]).toEqual(['a', 'b']);
  expect(edges).toEqual([
    { from: 'b', to: 'a' },
    { from: 'a', to: 'b' },
  ]);
});

it('lays out 500 steps', () => {
  const steps = Array.from({ length: 500 }, (_, index) =>
    index === 0 ? step('s0') : step(`s${index}`, `s${Math.floor((index - 1) / 3)}`),
  );
  expect(layoutOf(steps).places.size).toBe(500);
});
