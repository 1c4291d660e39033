import { expect, it } from 'vitest';
import { kindRow, notExecuted, parentInSpec } from './index.ts';

it.each([
  ['ChannelSubscription', { channel: 'room' }, 'room'],
  ['ChannelSubscription', {}, ''],
  ['ChannelSubscription', { channel: 7 }, ''],
  ['Agent', { channel: 'room' }, ''],
  ['Session', { agent: 'a' }, ''],
])('the spec of a %s %j names the parent "%s"', (kind, spec, parent) => {
  expect(parentInSpec(kindRow(kind), spec)).toBe(parent);
});

it('a kind that nothing acts on says why, others and custom kinds say nothing', () => {
  expect(notExecuted('Workflow')).toMatch(/^this version of svc does not run workflows/);
  expect([notExecuted('Agent'), notExecuted('Widget')]).toEqual([undefined, undefined]);
});
