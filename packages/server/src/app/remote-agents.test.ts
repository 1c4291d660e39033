import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'a-token-for-the-far-server-that-is-long';
const far = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN, 'a2a.trustedPeers': '["token"]' });
const near = AppUnderTest.ofSuite({ 'a2a.trustedPeers': '["anonymous"]' });
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

const connection = (name: string, agent: string, more: object = {}) => ({
  name,
  target: { external: { agentCardUrl: `${far.url}/a2a/default/${agent}/.well-known/agent-card.json` } },
  auth: { kind: 'bearer', secretRef: 'far/token' },
  ...more,
});

beforeAll(async () => {
  const defaultInputModes = ['text/plain', 'application/json', 'image/png'];
  const agentCard = { description: 'Counts.', capabilities: { streaming: true }, defaultInputModes };
  const capabilities = { people: ['ask'] };
  await far.rest.ok(
    'POST /v1/ns/default/agents',
    { name: 'clerk', spec: { a2a: { agentCard }, capabilities } },
    AUTHORIZED,
  );
  const plain = { agentCard: { description: 'Counts without streaming.' } };
  await far.rest.ok('POST /v1/ns/default/agents', { name: 'plain', spec: { a2a: plain } }, AUTHORIZED);
  await near.rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: JSON.stringify({
      kind: 'Secret',
      metadata: { name: 'far' },
      spec: { data: { token: Buffer.from(TOKEN).toString('base64') } },
    }),
  });
  const boss = {
    name: 'boss',
    target: { external: { agentCardUrl: `${near.url}/a2a/default/boss/.well-known/agent-card.json` } },
  };
  const mirror = { a2a: { agentCard, connections: [boss] } };
  await far.rest.ok('POST /v1/ns/default/agents', { name: 'mirror', spec: mirror }, AUTHORIZED);
  const connections = [
    connection('mirror', 'mirror'),
    connection('clerk', 'clerk'),
    connection('plain', 'plain'),
    connection('stranger', 'clerk', { auth: undefined }),
    connection('picture', 'clerk', { inputModes: ['image/png'] }),
  ];
  await near.rest.ok('POST /v1/ns/default/agents', { name: 'boss', spec: { a2a: { connections, agentCard } } });
});

const tool = (name: string, input: object): string => `!tool ${name} ${JSON.stringify(input)}`;
const ask = (target: string, message: string): string =>
  `${tool('agent_send', { target, message })}\n${tool('agent_wait', { target })}`;

/** What the agent said at the end of the turn. */
const reply = async (session: string, text: string): Promise<string> => {
  const { reply: said } = await near.rest.send(session, text, { waitSeconds: 30 });
  return said;
};

describe('an agent of another server', () => {
  it('works on messages in one context, and its replies come back', async () => {
    const session = await near.rest.session('boss');
    expect(await reply(session, ask('clerk', 'count the boxes'))).toContain('agent_wait -> You said: count the boxes');
    expect(await reply(session, ask('clerk', 'and again'))).toContain('agent_wait -> You said: and again');
    const { sessions } = await far.rest.ok<{ sessions: readonly object[] }>(
      'GET /v1/ns/default/agents/clerk/sessions',
      undefined,
      AUTHORIZED,
    );
    expect(sessions).toHaveLength(1);
  });

  it('gets artifacts as files of the message', async () => {
    const session = await near.rest.session('boss');
    const png = Buffer.from('not really a picture');
    const content = { title: 'box.png', media_type: 'image/png', content_base64: png.toString('base64') };
    const made = await reply(session, tool('create_artifact', content));
    const [uri = ''] = /artifact:\/\/[\w/.-]+/.exec(made) ?? [];
    const send = tool('agent_send', { target: 'clerk', message: 'look', artifact_uris: [uri] });
    expect(await reply(session, `${send}\n${tool('agent_wait', { target: 'clerk' })}`)).toContain('You said: look');
    const list = 'GET /v1/ns/default/agents/clerk/sessions';
    const { sessionIds } = await far.rest.ok<{ sessionIds: readonly string[] }>(list, undefined, AUTHORIZED);
    const all = await Promise.all(sessionIds.map((id) => far.rest.ok(`${list}/${id}/messages`, undefined, AUTHORIZED)));
    const sha256 = createHash('sha256').update(png).digest('hex');
    expect(JSON.stringify(all)).toContain(sha256);
    expect(JSON.stringify(all)).toContain('box.png');
  });

  it('is asked for its task where it does not stream', async () => {
    const session = await near.rest.session('boss');
    expect(await reply(session, ask('plain', 'count'))).toContain('agent_wait -> You said: count');
  });

  it('asks, and gets the answer', async () => {
    const session = await near.rest.session('boss');
    const question = tool('ask_user', { question: 'Which colour?' });
    expect(await reply(session, ask('clerk', question))).toContain('clerk-1 waits for an answer by agent_send');
    expect(await reply(session, ask('clerk', 'blue'))).toContain('blue');
  });

  it('cannot send back to the agent that asked it', async () => {
    const session = await near.rest.session('boss');
    expect(await reply(session, ask('mirror', ask('boss', 'and you?')))).toContain('boss-1 did not');
    const list = 'GET /v1/ns/default/agents/mirror/sessions';
    const { sessionIds } = await far.rest.ok<{ sessionIds: readonly string[] }>(list, undefined, AUTHORIZED);
    const messages = await far.rest.ok(`${list}/${sessionIds[0]}/messages`, undefined, AUTHORIZED);
    expect(JSON.stringify(messages)).toContain('loop_detected');
  });

  it('is not reached without its credential, nor with what it does not take', async () => {
    const session = await near.rest.session('boss');
    const refused = await reply(session, ask('stranger', 'count'));
    expect(refused).toContain('did not answer: it refused the credential (401)');
    expect(await reply(session, ask('picture', 'count'))).toContain('the message cannot be sent');
  });

  it('is stopped with the turn that asked it', async () => {
    const session = await near.rest.session('boss');
    await near.rest.send(session, ask('clerk', '!hold never'));
    const open = () =>
      far.rest.ok<{ sessions: readonly { readonly state: string }[] }>(
        'GET /v1/ns/default/agents/clerk/sessions',
        undefined,
        AUTHORIZED,
      );
    const until = async (isThere: boolean): Promise<void> => {
      for (;;) {
        const { sessions } = await open();
        if (sessions.some(({ state }) => state.endsWith('PROCESSING')) === isThere) return;
      }
    };
    await until(true);
    await near.rest.ok(`POST ${session}:stop`, {});
    await until(false);
  });
});
