import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

const NS = '/v1/ns/default';
const OWNER = { kind: 'Agent', namespace: 'default', name: 'owner', uid: '' };

interface Answer {
  readonly metadata: {
    readonly name: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
  };
}

beforeAll(async () => {
  const { agent } = await rest.ok<{ agent: { metadata: { uid: string } } }>(`POST ${NS}/agents`, { name: 'owner' });
  OWNER.uid = agent.metadata.uid;
  await rest.ok(`POST ${NS}/channels`, { channel: { metadata: { name: 'room' }, spec: {} } });
  const server = { metadata: { name: 'search' }, spec: { transport: 'http', target: 'https://mcp.test/' } };
  await rest.ok('POST /v1/mcp-servers', { server });
});

/** What makes a resource and what changes it; both take the whole resource under `key`. */
const operations = {
  ModifySchedule: {
    ...{
      key: 'schedule',
      name: 'tick',
      made: `${NS}/schedules`,
      spec: { intervalSeconds: 60, target: { agent: 'owner' } },
    },
    modify: `PUT ${NS}/schedules/tick`,
  },
  ModifyChannel: {
    ...{ key: 'channel', name: 'hall', made: `${NS}/channels`, spec: {} },
    modify: `PUT ${NS}/channels/hall`,
  },
  ModifyChannelSubscription: {
    ...{ key: 'subscription', name: 'sub', made: `${NS}/channels/room/subscriptions`, spec: { agent: 'owner' } },
    modify: `PUT ${NS}/channels/room/subscriptions/sub`,
  },
  UpdateFile: {
    ...{ key: 'file', name: '', made: `${NS}/files`, spec: { path: '/notes.md' }, content: 'eA==' },
    modify: `PUT ${NS}/files/NAME`,
  },
  CreateNamespaceKnowledge: {
    ...{ key: 'knowledge', name: 'doc', made: '/v1/namespaces/default/knowledge', spec: { path: 'doc', content: 'x' } },
    modify: 'POST /v1/namespaces/default/knowledge',
  },
  CreateMcpServerBinding: {
    ...{ key: 'binding', name: 'bound', made: '/v1/namespaces/default/mcp-bindings', spec: { server: 'search' } },
    modify: 'POST /v1/namespaces/default/mcp-bindings',
  },
};

it.each(Object.entries(operations))(
  '%s keeps lists that are left out and clears those that are sent empty',
  async (...[, of]) => {
    const { key, name, made, modify, spec, ...content } = of;
    let stored = '';
    const call = async (what: string, lists: object) => {
      const metadata = { ...(name === '' ? {} : { name }), ...lists };
      const body = { [key]: { metadata, spec }, ...content };
      const answer = await rest.ok<Record<string, Answer>>(what.replace('NAME', stored), body);
      const { finalizers, ownerReferences = [], name: answered = '' } = answer[key]?.metadata ?? {};
      stored = encodeURIComponent(answered);
      return [finalizers, ownerReferences.length];
    };
    const held = ['example.org/hold'];
    expect(await call(`POST ${made}`, { finalizers: held, ownerReferences: [OWNER] })).toEqual([held, 1]);
    expect(await call(modify, {})).toEqual([held, 1]);
    expect(await call(modify, { finalizers: null, ownerReferences: null })).toEqual([held, 1]);
    expect(await call(modify, { finalizers: [] })).toEqual([[], 1]);
    expect(await call(modify, { finalizers: held, ownerReferences: [] })).toEqual([held, 0]);
    expect(await call(modify, { finalizers: [], owner_references: [OWNER] })).toEqual([[], 1]);
  },
);

it('a body that is large says as much as a small one', async () => {
  const annotations = { note: 'x'.repeat(20_000) };
  const channel = (lists: object) => ({ channel: { metadata: { name: 'large', annotations, ...lists }, spec: {} } });
  await rest.ok(`POST ${NS}/channels`, channel({ finalizers: ['example.org/hold'] }));
  const modified = await rest.ok<{ channel: Answer }>(`PUT ${NS}/channels/large`, channel({ finalizers: [] }));
  expect(modified.channel.metadata.finalizers).toEqual([]);
  await rest.ok(`POST ${NS}/agents`, { name: 'big' });
  const body = { metadata: { finalizers: ['example.org/y'] }, spec: { systemPrompt: 'y'.repeat(20_000) } };
  expect(await rest.outcome(`PUT ${NS}/agents/big`, body)).toBe('400 FIELD_INVALID');
});
