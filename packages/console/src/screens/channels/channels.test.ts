import { create } from '@bufbuild/protobuf';
import { type ChannelEvent, ChannelEventKind, ChannelEventSchema } from '@svc/api/events';
import { describe, expect, it } from 'vitest';
import { routesByMessage } from './channel-routes.ts';
import { completed, fitting, openMention } from './mention.ts';

const event = (kind: ChannelEventKind, fields: object): ChannelEvent => create(ChannelEventSchema, { kind, ...fields });

describe('routesByMessage', () => {
  it('gives routes to the message before them, and later news to the message of their session', () => {
    const found = routesByMessage([
      event(ChannelEventKind.MESSAGE_CREATED, { message: { id: 'm1' } }),
      event(ChannelEventKind.SESSION_ROUTED, { subscription: 'desk', agent: 'clerk', sessionId: 's1' }),
      event(ChannelEventKind.ERROR, { subscription: 'lab', agent: 'gone', error: 'agent not found' }),
      event(ChannelEventKind.MESSAGE_CREATED, { message: { id: 'm2' } }),
      event(ChannelEventKind.PUBLISH_SKIPPED, { agent: 'clerk', sessionId: 's1', error: 'nothing to say' }),
    ]);
    expect(found.get('m1')).toEqual([
      { subscription: 'desk', agent: 'clerk', sessionId: 's1', outcome: 'skipped', reason: 'nothing to say' },
      { subscription: 'lab', agent: 'gone', sessionId: '', outcome: 'failed', reason: 'agent not found' },
    ]);
    expect(found.has('m2')).toBe(false);
  });
});

describe('mentions', () => {
  it('finds the one that ends at the cursor', () => {
    expect(openMention('hello @cl', 9)).toEqual({ from: 6, start: 'cl' });
    expect(openMention('@', 1)).toEqual({ from: 0, start: '' });
    expect(openMention('@clerk and', 10)).toBeUndefined();
    expect(openMention('mail a@b', 8)).toBeUndefined();
  });

  it('offers names that begin with it before those that contain it', () => {
    expect(fitting(['desk-clerk', 'clerk', 'clerk', 'lab'], { from: 0, start: 'Cle' })).toEqual([
      'clerk',
      'desk-clerk',
    ]);
  });

  it('completes it in place', () => {
    expect(completed('hi @cl what', { from: 3, start: 'cl' }, 'clerk')).toEqual({ text: 'hi @clerk what', cursor: 10 });
  });
});
