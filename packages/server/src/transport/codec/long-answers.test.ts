import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { ApplyManifestsResponseSchema, ListSessionMessagesResponseSchema } from '@svc/api/gateway';
import { describe, expect, test } from 'vitest';
import { atOnce, type Steps } from '../../base/index.ts';
import { Codec } from './codec.ts';

const results = (count: number): MessageInitShape<typeof ApplyManifestsResponseSchema> => ({
  results: Array.from({ length: count }, (_, index) => ({
    kind: 'Agent',
    name: `a${index}`,
    changedPaths: [`/spec/${'ü'.repeat(200)}`],
  })),
});

const stepsOf = (steps: Steps<unknown>): number => {
  let count = 1;
  while (steps.next().done !== true) count += 1;
  return count;
};

describe('an answer with a list of messages', () => {
  const codec = new Codec({ depth: 100, elements: 200_000 });
  const { json, binary } = codec;

  test.each([0, 1, 5_000])('is written in steps as it would be at once: %i of them', (count) => {
    const desc = ApplyManifestsResponseSchema;
    const message = create(desc, results(count));
    const text = json.encoderOf(desc)(message);
    expect(atOnce(json.steppedEncoderOf(desc)(message)).toString()).toBe(text);
    const bytes = atOnce(binary.encoding(desc, message, 5)).subarray(5);
    expect(fromBinary(desc, bytes)).toEqual(fromBinary(desc, toBinary(desc, message)));
    for (const steps of [json.steppedEncoderOf(desc)(message), binary.encoding(desc, message)])
      expect(stepsOf(steps)).toSatisfy((taken: number) => (count < 5_000 ? taken === 1 : taken > 20));
  });

  test('keeps the fields before and behind the list', () => {
    const desc = ListSessionMessagesResponseSchema;
    const item = { message: { id: 'm', parts: [{ content: 'x'.repeat(1_000) }] } };
    const message = create(desc, {
      sessionId: 's',
      hasMore: true,
      streamCursor: 'c',
      items: Array.from({ length: 500 }, () => item),
    });
    expect(atOnce(json.steppedEncoderOf(desc)(message)).toString()).toBe(json.encoderOf(desc)(message));
    expect(fromBinary(desc, atOnce(binary.encoding(desc, message)))).toEqual(fromBinary(desc, toBinary(desc, message)));
  });
});
