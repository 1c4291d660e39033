import { create } from '@bufbuild/protobuf';
import { DeliverySchema, PermissionRequestSchema, WorkflowRunSchema, WorkflowStepRunSchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import {
  byUrgency,
  equalTo,
  heldItem,
  type InboxItem,
  inboxSearch,
  matches,
  nextAfter,
  requestItem,
  stepItems,
} from './inbox-item.ts';

const request = (id: string, fields: object = {}): InboxItem =>
  requestItem(
    create(PermissionRequestSchema, { id, kind: 'permission', ns: 'a', agent: 'clerk', createdAt: 5n, ...fields }),
  );

const held = (id: string, createdAt: bigint): InboxItem =>
  heldItem(create(DeliverySchema, { id, ns: 'a', agent: 'clerk', createdAt }));

describe('inboxSearch', () => {
  it('keeps what it knows and leaves out the rest', () => {
    expect(inboxSearch({ kind: 'step', agent: 'x', identity: '', ns: 3, item: 'k' })).toEqual({
      kind: 'step',
      agent: 'x',
      identity: undefined,
      ns: undefined,
      item: 'k',
    });
    expect(inboxSearch({ kind: 'other' }).kind).toBeUndefined();
  });
});

describe('stepItems', () => {
  const run = create(WorkflowRunSchema, { id: 'r', ns: 'a', workflow: 'ship' });
  const step = (id: string, fields: object) => create(WorkflowStepRunSchema, { id, stepId: id, ...fields });

  it('takes suspended steps that ask a person, not those that wait for a time', () => {
    const items = stepItems(run, [
      step('done', { status: 'COMPLETED' }),
      step('asks', { status: 'SUSPENDED', suspendJson: '{"prompt":"Ship it?"}' }),
      step('sleeps', { status: 'SUSPENDED', waitUntilAt: 9n }),
      step('early', { status: 'SUSPENDED', waitUntilAt: 9n, suspendJson: '{"schema":{}}' }),
    ]);
    expect(items.map(({ key, title, expiresAt }) => [key, title, expiresAt])).toEqual([
      ['asks', 'Ship it?', 0n],
      ['early', 'early', 9n],
    ]);
  });
});

describe('lists', () => {
  it('puts what ends soonest first, then what waits longest', () => {
    const items = [
      held('h2', 2n),
      request('late', { expiresAt: 90n }),
      held('h1', 1n),
      request('soon', { expiresAt: 50n }),
    ];
    expect(items.sort(byUrgency).map(({ key }) => key)).toEqual(['soon', 'late', 'h1', 'h2']);
  });

  it('filters by kind, agent and identity', () => {
    const item = request('r', { identity: 'ann' });
    expect(matches(item, { kind: 'permission', agent: 'clerk', identity: 'ann' })).toBe(true);
    expect(matches(item, { kind: 'held' })).toBe(false);
    expect(matches(item, { agent: 'other' })).toBe(false);
    expect(matches(held('h', 1n), { identity: 'ann' })).toBe(false);
  });

  it('finds requests that one answer fits: the same agent, action and arguments', () => {
    const items = [
      request('1', { action: 'pay', inputJson: '{"n":1}' }),
      request('2', { action: 'pay', inputJson: '{"n":2}' }),
      request('3', { action: 'pay', inputJson: '{"n":1}' }),
      request('4', { action: 'pay', inputJson: '{"n":1}', ns: 'b' }),
    ];
    expect(equalTo(items[2] as InboxItem, items).map(({ key }) => key)).toEqual(['3', '1']);
    expect(equalTo(held('h', 1n), [held('h', 1n), held('g', 1n)]).map(({ key }) => key)).toEqual(['h']);
  });

  it('goes on with the next after an answer, at the end with the one before', () => {
    const items = [request('1'), request('2'), request('3')];
    expect(nextAfter(items, [items[0] as InboxItem])).toBe('2');
    expect(nextAfter(items, items.slice(1))).toBe('1');
    expect(nextAfter(items, items)).toBeUndefined();
  });
});
