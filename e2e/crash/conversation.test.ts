import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformConversation } from './platform-conversation.ts';

let conversation: PlatformConversation;
beforeAll(async () => {
  conversation = await PlatformConversation.start();
});
afterAll(() => conversation[Symbol.asyncDispose]());

describe('a message of a platform, sent 20 times at once, is answered with a tool, reviewed, edited and delivered once', () => {
  it.each([
    ['before the event is stored', { untilReview: 'store.commit:1' }],
    ['before the event is acknowledged', { untilReview: 'store.synced:1' }],
    ['when the turn is claimed', { untilReview: 'after-claim:1' }],
    ['after the model has answered', { untilReview: 'after-model-response:1' }],
    ['after the tool has run', { untilReview: 'after-tool:1' }],
    ['after its result is stored', { untilReview: 'after-tool-result:1' }],
    ['before the reply is stored', { untilReview: 'before-final:1' }],
    ['after the reply is stored', { untilReview: 'after-final:1' }],
    ['before the release is stored', { fromRelease: 'store.commit:1' }],
    ['before the release is acknowledged', { fromRelease: 'store.synced:1' }],
    ['while the reply is being sent', { attempts: ['die'] }],
    ['after the service has taken it', { afterAnswer: true }],
  ] as const)('with the server killed %s', async (name, disturbance) => {
    expect(await conversation.play(name, disturbance)).toBe(1);
  });

  it.each([
    ['answers 500', ['refuse', 'take']],
    ['takes it and answers 500', ['fail']],
    ['takes it and does not answer', ['hang']],
  ] as const)('by a service that %s', async (name, attempts) => {
    expect(await conversation.play(name, { attempts })).toBe(0);
  });

  it('with all of it in one conversation', async () => {
    const attempts = ['die', 'fail'] as const;
    const disturbance = { untilReview: 'after-tool:1', fromRelease: 'store.synced:1', afterAnswer: true, attempts };
    expect(await conversation.play('everything', disturbance)).toBe(4);
  });
});
