import { describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
const NOBODY = '0190a0a0-0000-7000-8000-000000000000';

/** A stream that stands; its whole text once it has ended. */
const opened = async (path: string): Promise<{ readonly text: Promise<string> }> => {
  const answer = await rest.fetch(path, { headers: { accept: 'text/event-stream' } });
  expect([path, answer.status]).toEqual([path, 200]);
  return { text: answer.text() };
};
/** Reason of the error that is the last event. */
const endOf = (text: string): string | undefined =>
  /\nevent: error\ndata: \{"error":.*"reason":"([A-Z_]+)".*\}\n\n$/.exec(`\n${text}`)?.[1];

/** A namespace with an agent, a session of it and a channel; the paths of their streams. */
const furnish = async (ns: string) => {
  await rest.ok(`POST /v1/namespaces/${ns}`, {});
  await rest.ok(`POST /v1/ns/${ns}/agents`, { name: 'helper' });
  await rest.ok(`POST /v1/ns/${ns}/channels`, { name: 'room' });
  const { sessionId } = await rest.ok<{ sessionId: string }>(`POST /v1/ns/${ns}/agents/helper/sessions`, {});
  return {
    session: `/v1/ns/${ns}/agents/helper/sessions/${sessionId}/stream`,
    channel: `/v1/ns/${ns}/channels/room/stream`,
    watch: `/v1/ns/${ns}/resources:watch?recursive=true`,
    console: `/v1/ui/events?ns=${ns}`,
  };
};

describe('a stream of something that is not there', () => {
  it.each([
    [`/v1/ns/default/agents/nobody/sessions/${NOBODY}/stream`, 'SESSION_NOT_FOUND'],
    [`/v1/ns/nowhere/agents/nobody/sessions/${NOBODY}/stream`, 'SESSION_NOT_FOUND'],
    ['/v1/ns/default/channels/nobody/stream', 'CHANNEL_NOT_FOUND'],
    ['/v1/ns/nowhere/channels/nobody/stream', 'NAMESPACE_NOT_FOUND'],
    ['/v1/ns/nowhere/resources:watch', 'NAMESPACE_NOT_FOUND'],
    ['/v1/ns/nowhere/resources:watch?resourceVersion=1', 'NAMESPACE_NOT_FOUND'],
    ['/v1/ui/events?ns=nowhere', 'NAMESPACE_NOT_FOUND'],
    ['/v1/ui/events?ns=nowhere&recursive=true', 'NAMESPACE_NOT_FOUND'],
    [`/v1/ui/ns/default/agents/nobody/sessions/${NOBODY}/stream`, 'SESSION_NOT_FOUND'],
  ])('is refused at once: %s', async (path, reason) => {
    expect(await rest.outcome(`GET ${path}`)).toBe(`404 ${reason}`);
  });
});

describe('an open stream', () => {
  it('ends when the namespace is purged, whatever of it is shown', async () => {
    const paths = await furnish('gone');
    const streams = await Promise.all(Object.values(paths).map(opened));
    await rest.ok('DELETE /v1/namespaces/gone?purge=true');
    const ends = (await Promise.all(streams.map(({ text }) => text))).map(endOf);
    expect(Object.fromEntries(Object.keys(paths).map((name, index) => [name, ends[index]]))).toEqual({
      ...{ session: 'SESSION_NOT_FOUND', channel: 'CHANNEL_NOT_FOUND' },
      ...{ watch: 'NAMESPACE_NOT_FOUND', console: 'NAMESPACE_NOT_FOUND' },
    });
    for (const path of Object.values(paths)) expect(await rest.outcome(`GET ${path}`)).toMatch(/^404 /);
  });

  it('of a session ends when its agent is deleted, of a channel when that is; others go on', async () => {
    const paths = await furnish('kept');
    const [session, channel, watch] = await Promise.all([paths.session, paths.channel, paths.watch].map(opened));
    await rest.ok('DELETE /v1/ns/kept/resources/Agent/helper');
    expect(endOf((await session?.text) ?? '')).toBe('SESSION_NOT_FOUND');
    await rest.ok('DELETE /v1/ns/kept/channels/room');
    expect(endOf((await channel?.text) ?? '')).toBe('CHANNEL_NOT_FOUND');
    await rest.ok('DELETE /v1/namespaces/kept?purge=true');
    expect(await watch?.text).toMatch(/"name":"room"[^\n]*\n\n(?:.|\n)*"name":"kept"/);
  });
});
