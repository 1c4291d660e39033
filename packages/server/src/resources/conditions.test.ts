import { create } from '@bufbuild/protobuf';
import { AgentStatusSchema } from '@svc/api/resources';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CONDITIONS_MAX, type Finding, isSaid, type Judged, judgedConditions, withReady } from './conditions.ts';
import { messageText } from './resource-codec.ts';

const AT = { now: 1_700_000_000_000_000, generation: 3 };
const finding: fc.Arbitrary<Finding> = fc.record(
  {
    type: fc.constantFrom('Ready', 'Known', 'Found'),
    status: fc.constantFrom('True', 'False', 'Unknown'),
    reason: fc.constantFrom('Yes', 'No', 'NotExecuted'),
    message: fc.constantFrom('', 'why', 'x'.repeat(1_200), `${'x'.repeat(999)}\u{1f642}`, 'half \ud83d'),
  },
  { requiredKeys: ['type', 'status', 'reason'] },
);
const judged: fc.Arbitrary<Judged> = fc.record(
  {
    phase: fc.constantFrom(
      'Ready',
      'Pending',
      'Degraded',
      'Invalid',
      'Failed',
      'degraded',
      'invalid',
      'lost',
      'Disabled',
    ),
    findings: fc.uniqueArray(finding, { selector: ({ type }) => type, maxLength: 3 }),
    notExecuted: fc.constantFrom(undefined, 'nothing acts on it'),
  },
  { requiredKeys: ['phase', 'findings'] },
);

const textOf = (found: Judged, generation = AT.generation): string =>
  messageText(
    AgentStatusSchema,
    create(AgentStatusSchema, {
      observedGeneration: BigInt(generation),
      phase: found.phase,
      conditions: judgedConditions([], found, { ...AT, generation }),
    }),
  );
const told = { ...{ phase: 'Ready' }, findings: [{ type: 'Ready', status: 'True', reason: 'Yes' }] } satisfies Judged;

it('a status says findings already exactly when writing them would give the same text', () => {
  fc.assert(
    fc.property(judged, judged, (stored, found) => {
      const text = textOf(stored);
      expect(isSaid(text, found, AT.generation)).toBe(textOf(found) === text);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['another generation', textOf(told, 4)],
  ['a further member', textOf(told).replace('{', '{"more":1,')],
  ['a condition with a further member', textOf(told).replace('"reason"', '"more":1,"reason"')],
  ['a condition without its time', textOf(told).replace(/"lastTransitionTime":"\d+"/, '"message":""')],
  ['a condition that is none', '{"conditions":[1],"observedGeneration":"3","phase":"Ready"}'],
  ['conditions that are no list', '{"conditions":1,"observedGeneration":"3","phase":"Ready"}'],
  ['no JSON', 'x'],
])('does not take %s for the same', (_what, text) => {
  expect(isSaid(text, told, AT.generation)).toBe(false);
});

it('messages are cut to their limit and hold no half of a character', () => {
  const long = { ...told.findings[0], message: `${'x'.repeat(999)}\u{1f642}\u{1f642}` } as Finding;
  const [condition] = judgedConditions([], { phase: 'Ready', findings: [long] }, AT);
  expect(condition?.message).toBe(`${'x'.repeat(999)}\ufffd`);
  expect(
    isSaid(textOf({ phase: 'Ready', findings: [long] }), { phase: 'Ready', findings: [long] }, AT.generation),
  ).toBe(true);
});

it('findings beyond the limit are neither kept nor missed', () => {
  const findings = Array.from({ length: CONDITIONS_MAX + 4 }, (_, index) => ({
    ...{ type: `T${index}`, reason: 'Yes' },
    status: 'True' as const,
  }));
  const text = textOf({ phase: 'Ready', findings });
  expect(JSON.parse(text).conditions).toHaveLength(CONDITIONS_MAX);
  expect(isSaid(text, { phase: 'Ready', findings }, AT.generation)).toBe(true);
});

it('Ready comes first, once, and is never True beside a failing phase or of what nothing executes', () => {
  const failing = ['Degraded', 'Invalid', 'Failed', 'degraded', 'invalid', 'lost'];
  fc.assert(
    fc.property(judged, (found) => {
      const [ready, ...others] = withReady(found);
      expect([ready?.type, others.some(({ type }) => type === 'Ready')]).toEqual(['Ready', false]);
      if (failing.includes(found.phase) || found.notExecuted !== undefined) expect(ready?.status).not.toBe('True');
      const own = found.findings.find(({ type }) => type === 'Ready');
      const isWrong = others.some(({ status, reason }) => status === 'False' && reason !== 'NotExecuted');
      if (own === undefined && isWrong) expect(ready?.status).toBe('False');
      if (own === undefined && !isWrong && found.notExecuted !== undefined)
        expect(ready).toEqual({
          type: 'Ready',
          status: 'Unknown',
          reason: 'NotExecuted',
          message: 'nothing acts on it',
        });
    }),
    { numRuns: 500 },
  );
});

it('Ready names the finding that makes a phase fail, else the phase', () => {
  const wrong = { type: 'Found', status: 'False', reason: 'No', message: 'why' } as const;
  const own = { type: 'Ready', status: 'True', reason: 'Yes' } as const;
  expect(withReady({ phase: 'Degraded', findings: [own, wrong] })[0]).toEqual({
    ...{ type: 'Ready', status: 'False', reason: 'No', message: 'why' },
  });
  expect(withReady({ phase: 'Invalid', findings: [own] })[0]).toMatchObject({ status: 'False', reason: 'Invalid' });
  // What is False only because nothing acts on it is not wrong.
  const open = { type: 'Found', status: 'False', reason: 'NotExecuted', message: 'later' } as const;
  expect(withReady({ phase: 'Degraded', findings: [open] })[0]).toMatchObject({ status: 'Unknown', message: 'later' });
});
