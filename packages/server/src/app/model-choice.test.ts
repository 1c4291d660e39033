import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, EventReader, shapeOf } from './testing/index.ts';

const app = AppUnderTest.ofSuite({
  'models.providers': JSON.stringify({
    demo: { type: 'demo', rate: 0 },
    other: { type: 'demo', rate: 0 },
  }),
  'models.default': 'demo/small',
  'models.tries': '1',
});
const { rest } = app;
beforeAll(async () => {
  const profile = (name: string, temperature: number) => ({
    name,
    model: { provider: 'demo', name: 'echo', temperature },
  });
  const profiles = [profile('first', 0.25), profile('default', 0.5), profile('third', 0.75)];
  await rest.ok('POST /v1/ns/default/agents', { name: 'profiled', spec: { modelPolicy: { profiles } } });
  await rest.ok('POST /v1/ns/default/agents', {
    name: 'ordered',
    spec: { modelPolicy: { profiles: [profile('first', 0.25), profile('second', 0.5)] } },
  });
  await rest.ok('POST /v1/ns/default/agents', { name: 'bare' });
  const pair = [
    { name: 'a', model: { provider: 'demo', name: 'echo' } },
    { name: 'b', model: { provider: 'other', name: 'echo' } },
  ];
  await rest.ok('POST /v1/ns/default/agents', { name: 'paired', spec: { modelPolicy: { profiles: pair } } });
});

interface Asked {
  readonly agent: string;
  readonly session?: object;
  readonly message?: object;
}

/** Options that the model was called with. */
const optionsOf = async ({ agent, session = {}, message = {} }: Asked): Promise<unknown> => {
  const path = `/v1/ns/default/agents/${agent}/sessions`;
  const { sessionId } = await rest.ok<{ sessionId: string }>(`POST ${path}`, { labels: session });
  const { reply } = await rest.send(`${path}/${sessionId}`, '!prompt', { labels: message, waitSeconds: 30 });
  return (JSON.parse(reply) as { options: unknown }).options;
};
const temperature = (value: number) => ({ model: 'echo', temperature: value });
const label = (name: string) => ({ 'model-profile': name });

describe('the profile of a turn (12.41, 4.1)', () => {
  it('is that of the message label, before that of the session label', async () => {
    const asked = { agent: 'profiled', session: label('first'), message: label('third') };
    expect(await optionsOf(asked)).toMatchObject(temperature(0.75));
  });

  it('is that of the session label, before the one named default', async () => {
    expect(await optionsOf({ agent: 'profiled', session: label('first') })).toMatchObject(temperature(0.25));
  });

  it('is the one named default, before the first', async () => {
    expect(await optionsOf({ agent: 'profiled' })).toMatchObject(temperature(0.5));
  });

  it('is the first, before the model of the configuration', async () => {
    expect(await optionsOf({ agent: 'ordered' })).toMatchObject(temperature(0.25));
  });

  it('is the model of the configuration for an agent without profiles', async () => {
    expect(await optionsOf({ agent: 'bare' })).toMatchObject({ model: 'small' });
  });

  it('that the agent does not have is refused, and nothing is stored', async () => {
    const session = await rest.session('profiled');
    const body = { message: 'x', labels: label('nonsense') };
    expect(await rest.outcome(`POST ${session}/message`, body)).toBe('400 FIELD_INVALID');
    expect(await rest.ok(`GET ${session}`)).toMatchObject({ state: 'IDLE', messages: [] });
  });
});

describe('a model call that fails (12.39, 12.44)', () => {
  const usageOf = (
    events: readonly { readonly part?: { readonly partType: string; readonly payloadJson: string } }[],
  ) =>
    events
      .filter((event) => event.part?.partType.endsWith('_USAGE'))
      .map((event) => JSON.parse(event.part?.payloadJson ?? '') as Record<string, unknown>);

  it.each(['provider_unavailable', 'provider_rate_limited', 'provider_auth'])(
    'with %s goes on with the next profile, which USAGE names',
    async (errorClass) => {
      const session = await rest.session('paired');
      const reader = await EventReader.open(rest, `${session}/stream`);
      await rest.send(session, `hello\n!error ${errorClass} 1`);
      const events = await reader.ends();
      expect(shapeOf(events)).toEqual(['TEXT', 'USAGE', 'DONE completed']);
      expect(usageOf(events)).toMatchObject([{ provider: 'other', model: 'echo' }]);
    },
  );

  it('on every profile ends the turn with the class', async () => {
    const session = await rest.session('paired');
    const reader = await EventReader.open(rest, `${session}/stream`);
    await rest.send(session, '!error provider_auth');
    expect(shapeOf(await reader.ends())).toEqual(['ERROR provider_auth']);
  });

  it('after its first token is never handed to another profile', async () => {
    const session = await rest.session('paired');
    const reader = await EventReader.open(rest, `${session}/stream`);
    await rest.send(session, '!say shown\n!error provider_unavailable');
    const events = await reader.ends();
    expect(events.at(-1)?.kind).toMatch(/_ERROR$/);
    expect(usageOf(events).filter((usage) => usage['provider'] === 'other')).toEqual([]);
  });

  it('because of an overflow is tried once more with less', async () => {
    const session = await rest.session('bare');
    await rest.send(session, 'word '.repeat(300), { waitSeconds: 30 });
    const once = await rest.send(session, '!error context_overflow 1\n!say fits now', { waitSeconds: 30 });
    expect(once).toMatchObject({ reply: 'fits now', turnState: 'TURN_STATE_COMPLETED' });
    const always = await rest.send(session, '!error context_overflow', { waitSeconds: 30 });
    expect(always).toMatchObject({ turnState: 'TURN_STATE_FAILED' });
  });
});
