import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { MessageConsumerSchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { PART, type Part } from '../../../../runtime/contract.ts';
import type { ConnectorContext } from '../context/index.ts';
import { consumerMode, filesOf, isSilent, laneOf, replyInOutput, replyModeOf, replyPlace } from './reply-rules.ts';

const object = { key: 'k', mediaType: 'text/plain', sizeBytes: 1, sha256: 'h', filename: 'f' };
const part = (type: Part['type'], more: object = {}): Part => ({ id: '', type, createdAt: 1, ...more });

describe('the mode of replies', () => {
  it('is the one of the consumer, and auto where a text is not known', () => {
    expect(['auto', 'thread', 'hold_for_review', 'review', 'none', '', 'loud'].map(replyModeOf)).toEqual([
      'auto',
      'thread',
      'hold_for_review',
      'hold_for_review',
      'none',
      'auto',
      'auto',
    ]);
    const of = (init: MessageInitShape<typeof MessageConsumerSchema>) =>
      consumerMode(create(MessageConsumerSchema, init));
    expect(of({ session: { replyMode: 'a' } })).toBe('a');
    expect(of({ channel: { replyPolicy: 'b' } })).toBe('b');
    expect(of({ workflow: { replyMode: 'c' } })).toBe('c');
    expect(consumerMode(undefined)).toBeUndefined();
  });
});

describe('the place of a reply', () => {
  it('is the thread of the message, or one that it begins', () => {
    const of = (threadId: string, mode: 'auto' | 'thread') =>
      replyPlace({ conversationId: 'c', threadId, messageId: 'm' } as ConnectorContext, mode).threadId;
    expect([of('t', 'auto'), of('t', 'thread'), of('', 'thread'), of('', 'auto')]).toEqual(['t', 't', 'm', '']);
  });

  it('is a lane of its own for each class, conversation and thread', () => {
    const lane = (uid: string, conversationId: string, threadId: string) => laneOf(uid, { conversationId, threadId });
    const lanes = [lane('u', 'c', 't'), lane('u', 'ct', ''), lane('uc', '', 't'), lane('u', 'c', '')];
    expect(new Set(lanes).size).toBe(4);
    expect(lane('u', 'c', 't')).toBe(lanes[0]);
  });
});

describe('a reply', () => {
  it('is silent when it is blank or a token of silence as a whole', () => {
    const silent = (text: string, attachments: readonly unknown[] = []) =>
      isSilent({ text, attachments }, ['[SILENT]', 'NO REPLY']);
    expect([silent(' '), silent('[silent]\n'), silent('No Reply', [object])]).toEqual([true, true, true]);
    expect([silent(' ', [object]), silent('[SILENT] not'), silent('hi')]).toEqual([false, false, false]);
  });

  it('has the files after the last call', () => {
    const parts = [
      part(PART.IMAGE, { object: { ...object, key: 'before' } }),
      part(PART.TOOL_RESULT),
      part(PART.TEXT, { content: 'see' }),
      part(PART.FILE, { object }),
      part(PART.IMAGE),
    ];
    expect(filesOf(parts)).toEqual([object]);
  });

  it('is what the output of a run says', () => {
    expect(replyInOutput({ reply: ' hi ' })).toEqual({ text: 'hi', attachments: [], problems: [] });
    expect(replyInOutput({ reply: { text: 'hi', attachments: [object, { ...object, sizeBytes: 'y' }] } })).toEqual({
      text: 'hi',
      attachments: [object, { ...object, sizeBytes: 0 }],
      problems: [],
    });
    for (const output of [undefined, [], {}, { reply: null }, { reply: { text: 'x', silent: true } }])
      expect(replyInOutput(output)).toBeUndefined();
  });

  it.each<readonly [unknown, object]>([
    [
      1,
      {
        text: '',
        attachments: [],
        problems: ['reply: is neither a text nor an object with text, silent and attachments'],
      },
    ],
    [
      { text: 1, attachments: [object] },
      { text: '', attachments: [object], problems: ['reply.text: is not a text'] },
    ],
    [
      { text: 'hi', attachments: [object, 'x', { key: 'k' }] },
      {
        text: 'hi',
        attachments: [object],
        problems: ['reply.attachments[1]: has no key and sha256', 'reply.attachments[2]: has no key and sha256'],
      },
    ],
    [
      { text: 'hi', attachments: {} },
      { text: 'hi', attachments: [], problems: ['reply.attachments: is not a list'] },
    ],
  ])('of a run says what of it cannot be sent: %j', (reply, expected) => {
    expect(replyInOutput({ reply })).toEqual(expected);
  });
});

describe('the reply in an output, at its edges', () => {
  it('takes files without a size, and says which of them are none', () => {
    const file = { key: 'k', sha256: 's' };
    expect(replyInOutput({ reply: { attachments: ['x', file] } })).toEqual({
      text: '',
      attachments: [{ key: 'k', sha256: 's', mediaType: '', sizeBytes: 0, filename: '' }],
      problems: ['reply.attachments[0]: has no key and sha256'],
    });
    const sized = { ...file, sizeBytes: '7' };
    expect(replyInOutput({ reply: { text: ' a ', attachments: [sized] } })?.attachments[0]?.sizeBytes).toBe(7);
  });

  it('is none for an output without one, and for silence', () => {
    for (const output of ['x', {}, { reply: null }, { reply: { silent: true } }])
      expect(replyInOutput(output)).toBeUndefined();
  });

  it('says what is not understood', () => {
    expect(replyInOutput({ reply: 5 })?.problems).toHaveLength(1);
    expect(replyInOutput({ reply: { text: 5, attachments: {} } })?.problems).toEqual([
      'reply.text: is not a text',
      'reply.attachments: is not a list',
    ]);
    expect(replyInOutput({ reply: ' a ' })?.text).toBe('a');
  });
});
