import { create } from '@bufbuild/protobuf';
import { ChannelSubscriptionSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { checkSubscription, contextSize, judgeSubscription, replyModeOf } from './subscription-rules.ts';

const spec = (more: object = {}) =>
  create(ChannelSubscriptionSpecSchema, { channel: 'c', agent: 'a', trigger: 'all', replyMode: 'tool', ...more });

describe('rules of subscriptions', () => {
  it('ask for the channel where the address alone names it', () => {
    expect(checkSubscription(spec({ channel: '' }), 'c')).toMatchObject([
      { field: 'spec.channel', reason: 'FIELD_INVALID' },
    ]);
    expect(checkSubscription(spec(), 'c')).toEqual([]);
  });

  it('judge what is off as disabled, even without its agent', () => {
    const phase = (more: object, hasAgent: boolean) => judgeSubscription(spec(more), hasAgent).phase;
    expect([phase({}, true), phase({}, false), phase({ enabled: false }, false)]).toEqual([
      'Ready',
      'Degraded',
      'Disabled',
    ]);
    expect(phase({ trigger: 'disabled' }, true)).toBe('Disabled');
  });

  it('name both unknown modes in one condition', () => {
    const modes = { replyMode: 'shout', contextPolicy: { mode: 'all', maxMessages: 3 } };
    const accepted = judgeSubscription(spec(modes), true).findings.find(({ type }) => type === 'Accepted');
    expect(accepted).toMatchObject({ status: 'True', reason: 'UnknownReplyMode' });
    expect(accepted?.message).toContain('recent_public');
  });

  it('act as the default for unknown modes', () => {
    expect(['tool', 'auto', 'none', 'shout'].map((replyMode) => replyModeOf({ replyMode }))).toEqual([
      ...['tool', 'auto', 'none', 'tool'],
    ]);
    const size = (contextPolicy: object) => contextSize(spec({ contextPolicy }));
    expect([size({ mode: 'all', maxMessages: 3 }), size({ mode: 'none', maxMessages: 3 })]).toEqual([3, 0]);
  });
});
