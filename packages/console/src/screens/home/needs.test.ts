import { create } from '@bufbuild/protobuf';
import { DeliverySchema, PermissionRequestSchema, WorkflowRunSchema } from '@svc/api/data';
import { ResourceSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { requestItem } from '../inbox/inbox-item.ts';
import { needsOf } from './needs.ts';

const NOW_MS = 1_800_000_000_000;
const hoursAgo = (hours: number): bigint => BigInt(NOW_MS - hours * 3_600_000) * 1_000n;

const nothing = {
  items: [],
  turns: [],
  deliveries: [],
  runs: [],
  schedules: [],
  classes: [],
  policies: [],
  nowMs: NOW_MS,
};

it('needs nobody where nothing is wrong', () => {
  expect(needsOf(nothing)).toEqual([]);
});

it('counts requests by kind, each with the way to its list', () => {
  const ask = (id: string, kind: string) =>
    requestItem(create(PermissionRequestSchema, { id, kind, prompt: `${kind}?`, ns: 'a', agent: 'clerk' }));
  const found = needsOf({ ...nothing, items: [ask('1', 'input'), ask('2', 'permission'), ask('3', 'input')] });
  expect(found.map(({ label, count, to, search, example }) => [label, count, to, search, example])).toEqual([
    ['Permission', 1, '/inbox', { kind: 'permission' }, 'permission?'],
    ['Question', 2, '/inbox', { kind: 'input' }, 'input?'],
  ]);
});

it('counts failures of the last day, and leaves older ones out', () => {
  const delivery = (state: string, updatedAt: bigint) => create(DeliverySchema, { state, updatedAt, lastError: state });
  const run = (status: string, updatedAt: bigint) => create(WorkflowRunSchema, { ns: 'a', status, updatedAt });
  const found = needsOf({
    ...nothing,
    deliveries: [
      delivery('rejected', hoursAgo(1)),
      delivery('dead', hoursAgo(23)),
      delivery('dead', hoursAgo(25)),
      delivery('delivered', hoursAgo(1)),
    ],
    runs: [run('FAILED', hoursAgo(2)), run('FAILED', hoursAgo(30)), run('COMPLETED', hoursAgo(1))],
    schedules: [{ ns: 'a', name: 'daily', nextRunAt: undefined, lastError: 'no agent' }],
    classes: [create(ResourceSchema, { status: { kind: { case: 'connectorClass', value: { phase: 'ready' } } } })],
  });
  expect(found.map(({ label, count, to, example }) => [label, count, to, example])).toEqual([
    ['Failed deliveries in 24 hours', 2, '/ns/-/deliveries', 'rejected'],
    ['Failed runs in 24 hours', 1, '/ns/a/workflows', ''],
    ['Schedules whose last run failed', 1, '/ns/-/schedules', 'daily: no agent'],
  ]);
  expect(found[0]?.search).toEqual({ state: 'dead' });
});
