import { describe, expect, test } from 'vitest';
import { PART, type PlacedPart } from './contract.ts';
import { newTurnBody } from './turn-rows.ts';
import { nextSpan, resetSpan } from './turn-spans.ts';

const placed = (messageId: string): PlacedPart => ({
  messageId,
  part: { id: '000000', type: PART.TEXT, content: 'text', createdAt: 1 },
});

const recorded = [placed('first'), placed('first'), placed('second')];

const body = {
  ...newTurnBody({
    cause: { kind: 'api', identity: 'test', labels: {}, lineage: [] },
    profile: '',
    userMessageIds: ['asked'],
    replyMessageId: 'second',
    createdAt: 1,
  }),
  sentParts: 1,
};

describe('the span of a fence', () => {
  test('begins where the fence before it stopped', () => {
    expect(nextSpan(body, { fence: 2, attempt: 1, recorded })).toEqual({
      fence: 2,
      attempt: 1,
      firstPart: 1,
      reset: false,
      messageId: 'second',
    });
  });

  test('begins with a RESET of the message under way when its worker was lost', () => {
    expect(nextSpan({ ...body, resume: 'recovered' }, { fence: 2, attempt: 2, recorded })).toEqual({
      fence: 2,
      attempt: 2,
      firstPart: 2,
      reset: true,
      reason: 'recovered',
      messageId: 'second',
    });
  });

  test('begins behind everything recorded when its message has no part yet', () => {
    const begin = { fence: 2, attempt: 2, reason: 'retry', messageId: 'third' } as const;
    expect(resetSpan(recorded, begin).firstPart).toBe(3);
  });
});
