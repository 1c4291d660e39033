import { create } from '@bufbuild/protobuf';
import { McpServerBindingSpecSchema, McpServerSpecSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { checkBrokerIsSet, effectiveAuth } from './auth-rules.ts';
import { checkMcpBinding, checkMcpServer } from './mcp-rules.ts';

const AUTH = 'option.svc/mcp-auth';
const SCOPE = 'option.svc/mcp-auth-scope';
const CLIENT = 'option.svc/mcp-oauth-client';
const GOOD = { transport: 'http', target: 'https://a.example' };
const BROKER = { authBroker: { url: 'https://broker.example' } };
const OWN = `metadata.annotations[${AUTH}]`;

it.each([
  [{ [AUTH]: 'oauth' }, {}, []],
  [{ [AUTH]: 'none' }, BROKER, []],
  [{ [AUTH]: 'broker' }, BROKER, []],
  [{ [AUTH]: 'oauth', [SCOPE]: 'namespace' }, { transport: 'sse' }, []],
  [{ [AUTH]: 'basic' }, {}, [OWN]],
  [{ [SCOPE]: 'session' }, {}, [`metadata.annotations[${SCOPE}]`]],
  [{ [AUTH]: 'oauth', [CLIENT]: 'app' }, {}, []],
  [{ [AUTH]: 'oauth', [CLIENT]: 'a/b' }, {}, [`metadata.annotations[${CLIENT}]`]],
  [{ [AUTH]: 'broker' }, {}, [OWN]],
  [{ [AUTH]: 'oauth' }, { transport: 'stdio', target: 'node' }, [OWN]],
  [{ [AUTH]: 'oauth' }, { headers: { AUTHORIZATION: 'Bearer x' } }, [OWN]],
])('a server with annotations %j and %j has faults in %j', (annotations, spec, fields) => {
  const found = checkMcpServer(create(McpServerSpecSchema, { ...GOOD, ...spec }), annotations);
  expect(found.map(({ field }) => field)).toEqual(fields);
});

it('judges a binding by its annotations alone', () => {
  const spec = create(McpServerBindingSpecSchema);
  expect(checkMcpBinding(spec, { [AUTH]: 'broker' })).toEqual([]);
  expect(checkMcpBinding(spec, { [AUTH]: 'x', [SCOPE]: 'x' })).toHaveLength(2);
  expect(checkBrokerIsSet({ annotations: { [AUTH]: 'broker' }, hasBroker: false })).toHaveLength(1);
});

const facts = (auth?: string, hasBroker = false, scope?: string) => ({
  annotations: { ...(auth === undefined ? {} : { [AUTH]: auth }), ...(scope === undefined ? {} : { [SCOPE]: scope }) },
  hasBroker,
});

it.each([
  [facts(), undefined, { auth: 'none', isShared: false }],
  [facts(undefined, true), undefined, { auth: 'broker', isShared: false }],
  [facts('none', true), undefined, { auth: 'none', isShared: false }],
  [facts('oauth', false, 'namespace'), undefined, { auth: 'oauth', isShared: true }],
  [facts('oauth', false, 'namespace'), facts(undefined, false, 'identity'), { auth: 'oauth', isShared: false }],
  [facts('oauth'), facts('none'), { auth: 'none', isShared: false }],
  [facts('oauth'), facts(undefined, true), { auth: 'broker', isShared: false }],
  [facts(undefined, true), facts('oauth'), { auth: 'oauth', isShared: false }],
  [facts('broker'), undefined, { auth: 'none', isShared: false }],
  [facts('a word of another release', true), undefined, { auth: 'broker', isShared: false }],
])('%j with the binding %j means %j', (server, binding, expected) => {
  expect(effectiveAuth(server, binding)).toEqual(expected);
});
