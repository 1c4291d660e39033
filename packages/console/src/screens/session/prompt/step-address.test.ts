import { expect, it } from 'vitest';
import { stepAddressOf, stepAddressText, stepName } from './step-address.ts';

const session = { ns: 'acme', agent: 'helper', sessionId: 's1' };

it('names a call and a compaction before it, and is read back', () => {
  const call = { session, turnId: 't1', step: 12, compaction: 0 };
  expect(stepAddressText(call)).toBe('acme/helper/s1/t1/12');
  expect(stepAddressOf('acme/helper/s1/t1/12')).toEqual(call);
  const summary = { ...call, compaction: 3 };
  expect(stepAddressText(summary)).toBe('acme/helper/s1/t1/12c3');
  expect(stepAddressOf('acme/helper/s1/t1/12c3')).toEqual(summary);
  expect(stepName(summary)).toBe('12c3');
});
