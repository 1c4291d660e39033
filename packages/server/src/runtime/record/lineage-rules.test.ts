import { expect, test } from 'vitest';
import { lineageBelow, lineageProblem } from './lineage-rules.ts';

const turn = (agent: string, namespace = 'team') => ({ namespace, agent, turnId: `turn of ${agent}` });

test('the lineage of a caused turn ends with the turn that caused it', () => {
  expect(lineageBelow([turn('first')], turn('second'))).toEqual([turn('first'), turn('second')]);
});

test('a chain may be as deep as allowed and no deeper', () => {
  const lineage = [turn('first'), turn('second')];
  expect(lineageProblem(lineage, turn('third'), 2)).toBeUndefined();
  expect(lineageProblem(lineage, turn('third'), 1)).toEqual({
    code: 'depth_exceeded',
    text: expect.stringContaining('2 agents deep, at most 1'),
  });
});

test('no agent of the chain is given work again, but one of the same name in another namespace is', () => {
  const lineage = [turn('first'), turn('second')];
  expect(lineageProblem(lineage, turn('first'), 8)?.code).toBe('loop_detected');
  expect(lineageProblem(lineage, turn('second'), 8)?.code).toBe('loop_detected');
  expect(lineageProblem(lineage, turn('first', 'other'), 8)).toBeUndefined();
});
