import { expect, it } from 'vitest';
import { exitCodes } from './failure.ts';
import { text } from './testing/fake-events.ts';
import { fakeHost } from './testing/fake-host.ts';

/** A stream that shows one event and then nothing. */
const silent = (first: object) =>
  async function* (): AsyncGenerator<object> {
    yield first;
    await new Promise(() => undefined);
  };
const session = { sessionId: 's1', agent: 'demo', state: 'PROCESSING', streamCursor: 'c0', activeTurnId: 't1' };
const bookmark = { changeType: 4, resourceVersion: '4' };
const handlers = {
  unary: {
    GetSession: () => session,
    ListResources: () => ({ resourceVersion: '4' }),
    ListChannelMessages: () => ({}),
  },
  streams: {
    StreamSessionParts: silent(text('a')),
    WatchResources: silent(bookmark),
    StreamChannelEvents: silent({ cursor: 'c1' }),
  },
};

it.each([
  ['get channels --watch'],
  ['watch agents'],
  ['events --follow'],
  ['channel tail room'],
  ['session watch s1 --agent demo'],
  ['session stream s1 --agent demo --until-done'],
])('svc %s ends with exit code 5 when --timeout has passed', async (line) => {
  const fake = fakeHost({ handlers });
  expect(await fake.run(...line.split(' '), '--timeout', '2s')).toBe(exitCodes.timeout);
  expect(fake.err()).toContain('stopped after --timeout 2s');
});

it.each([
  ['watch agents', 'WatchResources', bookmark],
  ['events --follow', 'WatchResources', bookmark],
  ['channel tail room', 'StreamChannelEvents', { cursor: 'c1' }],
])(
  'svc %s goes on however often a quiet connection breaks, and tells each time that it is back',
  async (line, stream, first) => {
    let opened = 0;
    const quiet = () => {
      opened += 1;
      if (opened === 1) return [first, new Error('reset')];
      return opened < 70 ? [new Error('reset')] : [];
    };
    const fake = fakeHost({ handlers: { ...handlers, streams: { [stream]: quiet } } });
    expect(await fake.run(...line.split(' '))).toBe(exitCodes.ok);
    expect([opened, fake.err().match(/trying again\nconnected again\n/g)?.length]).toEqual([70, 69]);
  },
);

it('refuses a --timeout that is longer than a timer can be, which would end at once', async () => {
  const fake = fakeHost({ handlers });
  expect(await fake.run('watch', 'agents', '--timeout', '720h')).toBe(exitCodes.refused);
  expect(fake.err()).toContain('--timeout 720h is too long');
  expect(fake.err()).toContain('596h at most');
});
