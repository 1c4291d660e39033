import type { ExplainMessageEventRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

const asked: ExplainMessageEventRequest[] = [];
const route = { routeId: 'team?team=T1', ns: 'default', connector: 'support', outcome: 'matched' };
const other = {
  ...route,
  routeId: 'team?team=T2',
  connector: 'sales',
  outcome: 'field_differs',
  field: 'team',
  wanted: 'T2',
  given: 'T1',
};
const answers: Readonly<Record<string, object>> = {
  support: {
    status: 1,
    reason: 'accepted',
    explanation: 'The event is taken.',
    ns: 'default',
    connector: 'support',
    consumer: { session: { agent: { namespace: 'default', name: 'helper' } } },
    session: 'new',
    routes: [route, other],
    routesTruncated: true,
  },
  asking: {
    status: 1,
    reason: 'accepted',
    session: 'existing',
    answersRequest: true,
    consumer: { session: { agent: { namespace: 'default', name: 'helper' }, sessionId: 's1' } },
  },
  posts: {
    status: 1,
    reason: 'accepted',
    consumer: { channel: { channel: { namespace: 'default', name: 'room' } } },
    subscriptions: [{ subscription: '', agent: 'clerk', outcome: 'called' }],
  },
  runs: { status: 1, reason: 'accepted', consumer: { workflow: { namespace: 'default', name: 'flow' } } },
  broken: { reason: 'AGENT_NOT_FOUND', explanation: 'agent not found' },
};
const handlers: FakeHandlers = {
  unary: {
    ExplainMessageEvent: (request: ExplainMessageEventRequest) => {
      asked.push(request);
      return answers[request.connector] ?? {};
    },
  },
};
const run = async (...words: readonly string[]) => {
  const shell = fakeHost({ handlers });
  return { exit: await shell.run('connector', 'explain', ...words), out: shell.out(), err: shell.err() };
};

describe('svc connector explain', () => {
  it('tells where a message would go, and which routes it does not fit', async () => {
    const words = ['support', 'what', 'is new', '--match', 'team=T1', '--conversation', 'c', '--thread', 't'];
    const { out } = await run(...words, '--sender', 'u', '--sender-kind', 'bot');
    expect(out.split('\n')).toEqual([
      'accepted: accepted, The event is taken.',
      'connector: default/support',
      'agent: default/helper, a new session',
      'routes:',
      '  team?team=T1 of default/support: matched',
      '  team?team=T2 of default/sales: field differs (team: wants T2, has T1)',
      '  more routes of the class are not shown',
      '',
    ]);
    expect(asked.at(-1)).toMatchObject({
      connector: 'support',
      event: {
        text: 'what is new',
        matchFields: { team: 'T1' },
        externalConversationId: 'c',
        externalThreadId: 't',
        sender: { externalId: 'u', kind: 'bot' },
      },
    });
  });

  it.each([
    ['asking', 'accepted: accepted\nagent: default/helper, answers what session s1 asks\n'],
    ['posts', 'accepted: accepted\nchannel: default/room\n  the connector: agent clerk, called\n'],
    ['runs', 'accepted: accepted\nworkflow: default/flow\n'],
    ['broken', 'failed: AGENT_NOT_FOUND, agent not found\n'],
  ])('tells what takes the message of %s', async (connector, out) => {
    expect((await run(connector, 'hello')).out).toBe(out);
  });

  it('answers as JSON, and says what is wrong with a match field', async () => {
    expect(JSON.parse((await run('broken', 'hello', '-o', 'json')).out)).toMatchObject({ reason: 'AGENT_NOT_FOUND' });
    expect((await run('support', 'hello', '--match', 'team')).err).toContain('team is not a match field');
  });
});
