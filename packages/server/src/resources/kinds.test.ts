import { expect, it } from 'vitest';
import { kindRow, parentInSpec } from './index.ts';

it.each([
  ['ChannelSubscription', { channel: 'room' }, 'room'],
  ['ChannelSubscription', {}, ''],
  ['ChannelSubscription', { channel: 7 }, ''],
  ['Agent', { channel: 'room' }, ''],
  ['Session', { agent: 'a' }, ''],
])('the spec of a %s %j names the parent "%s"', (kind, spec, parent) => {
  expect(parentInSpec(kindRow(kind), spec)).toBe(parent);
});
