import { create } from '@bufbuild/protobuf';
import { McpServerBindingSpecSchema, McpServerSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { effectiveServer } from './effective-server.ts';
import {
  checkBrokerUse,
  checkMcpBinding,
  checkMcpServer,
  isHttpTransport,
  isStdio,
  mayWriteStdio,
} from './mcp-rules.ts';

const GOOD = { transport: 'http', target: 'https://tools.example.org/mcp' };

const serverFaults = (init: object) =>
  checkMcpServer(create(McpServerSpecSchema, { ...GOOD, ...init })).map(({ field }) => field);
const bindingFaults = (init: object) =>
  checkMcpBinding(create(McpServerBindingSpecSchema, init)).map(({ field }) => field);

describe('the rules of MCP servers', () => {
  it.each(['http', 'streamable-http', 'streamable_http', 'sse'])(
    'take transport %s with an http(s) target',
    (transport) => {
      expect(isHttpTransport(transport) && !isStdio(transport)).toBe(true);
      expect(serverFaults({ transport })).toEqual([]);
      expect(serverFaults({ transport, target: 'HTTP://localhost:1/x?y' })).toEqual([]);
    },
  );

  it('take any command for stdio', () => {
    expect(serverFaults({ transport: 'stdio', target: 'npx' })).toEqual([]);
  });

  it.each(['', 'HTTP', 'tcp', 'Stdio'])('refuse transport %j', (transport) => {
    expect(serverFaults({ transport })).toEqual(['spec.transport']);
  });

  it.each([
    '',
    '  ',
    '/mcp',
    'tools.example.org',
    'ftp://x/y',
    'https:',
    'https://',
    'http:///x',
    'javascript:alert(1)',
    'https://[x',
  ])('refuse target %j', (target) => {
    expect(serverFaults({ target })).toEqual(['spec.target']);
  });

  it('name all faults at once', () => {
    const authBroker = { kind: 'magic', url: 'x', cacheTtlSeconds: -1 };
    expect(serverFaults({ transport: 'x', target: '', authBroker, headers: { authorization: '' } })).toEqual([
      'spec.transport',
      'spec.target',
      'spec.authBroker.kind',
      'spec.authBroker.url',
      'spec.authBroker.cacheTtlSeconds',
      'spec.authBroker',
      'spec.authBroker',
    ]);
  });

  it('keep a broker to http and away from a static Authorization header', () => {
    const authBroker = { url: 'https://broker.example.org/token' };
    expect(serverFaults({ authBroker })).toEqual([]);
    expect(serverFaults({ authBroker: { ...authBroker, kind: 'http_bearer', cacheTtlSeconds: 60 } })).toEqual([]);
    expect(serverFaults({ authBroker: { url: 'secret://broker/url' } })).toEqual([]);
    for (const url of ['secret://broker', 'secret://broker/', 'secret:///url', 'secret://a/b/c', 'ftp://a/b'])
      expect(serverFaults({ authBroker: { url } })).toEqual(['spec.authBroker.url']);
    expect(serverFaults({ authBroker, transport: 'stdio', target: 'x' })).toEqual(['spec.authBroker']);
    expect(serverFaults({ authBroker, headers: { AUTHORIZATION: 'x' } })).toEqual(['spec.authBroker']);
    expect(checkBrokerUse({ transport: 'sse', headers: { 'X-Authorization': 'x' } })).toEqual([]);
  });

  it('judge what a binding says by itself', () => {
    expect(bindingFaults({})).toEqual([]);
    expect(bindingFaults({ serverRef: 'a.b' })).toEqual([]);
    expect(bindingFaults({ serverRef: 'a/b', authBroker: {} })).toEqual(['spec.serverRef', 'spec.authBroker.url']);
  });

  it('let unscoped admins and listed namespaces have processes', () => {
    const may = (grants: Parameters<typeof mayWriteStdio>[1]['grants']) =>
      mayWriteStdio('acme', { grants, stdioNamespaces: ['tools'] });
    expect(may([{ role: 'admin' }])).toBe(true);
    expect(may([{ role: 'admin', namespace: 'acme' }])).toBe(false);
    expect(may([{ role: 'admin', namespace: '' }])).toBe(false);
    expect(may([{ role: 'operator' }])).toBe(false);
    expect(may([])).toBe(false);
    expect(mayWriteStdio('tools', { grants: [], stdioNamespaces: ['tools'] })).toBe(true);
  });
});

describe('an effective server', () => {
  const server = (init: object) => ({
    namespace: 'system',
    annotations: {},
    spec: create(McpServerSpecSchema, { ...GOOD, args: ['a'], headers: { Key: '1', Other: '2' }, ...init }),
  });
  const binding = (init: object) => ({
    namespace: 'acme',
    annotations: {},
    spec: create(McpServerBindingSpecSchema, init),
  });
  const own = (text: string) => ({ text, namespace: 'system' });
  const bound = (text: string) => ({ text, namespace: 'acme' });

  it('is the server itself without a binding', () => {
    expect(effectiveServer(server({}))).toEqual({
      ...GOOD,
      args: [own('a')],
      headers: { Key: own('1'), Other: own('2') },
      isDisabled: false,
      authBroker: undefined,
      authBrokerNamespace: 'system',
      auth: 'none',
      isShared: false,
      allowlist: undefined,
    });
  });

  it('appends arguments and overlays headers, each with the namespace it came from', () => {
    const result = effectiveServer(server({}), binding({ args: ['b'], headers: { key: '3', More: '4' } }));
    expect(result.args).toEqual([own('a'), bound('b')]);
    expect(result.headers).toEqual({ Other: own('2'), key: bound('3'), More: bound('4') });
  });

  it('tells variables of processes apart by case', () => {
    const stdio = server({ transport: 'stdio', target: 'x' });
    const { headers } = effectiveServer(stdio, binding({ headers: { key: '3', Key: '5' } }));
    expect(headers).toEqual({ Other: own('2'), key: bound('3'), Key: bound('5') });
  });

  it.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])('with server disabled %s and binding disabled %s is disabled: %s', (first, second, expected) => {
    expect(effectiveServer(server({ disabled: first }), binding({ disabled: second })).isDisabled).toBe(expected);
  });

  it('takes the broker of the binding where it has one', () => {
    const withBroker = server({ authBroker: { url: 'https://a' } });
    expect(effectiveServer(withBroker, binding({})).authBroker?.url).toBe('https://a');
    expect(effectiveServer(withBroker, binding({ authBroker: { url: 'https://b' } })).authBroker?.url).toBe(
      'https://b',
    );
  });

  it.each([
    [[], [], undefined],
    [['x', 'y'], [], ['x', 'y']],
    [[], ['y'], ['y']],
    [['x', 'y'], ['y', 'z'], ['y']],
    [['x'], ['z'], []],
  ])('with allowlists %j and %j allows %j', (first, second, expected) => {
    const policy = (allowlist: string[]) => ({ policy: { tools: { allowlist } } });
    expect(effectiveServer(server(policy(first)), binding(policy(second))).allowlist).toEqual(expected);
  });
});

it.each([
  [{}, []],
  [{ 'option.svc/mcp-protocol': '2025' }, []],
  [{ 'option.svc/mcp-protocol': '2024' }, ['metadata.annotations[option.svc/mcp-protocol]']],
])('servers and bindings with annotations %j have faults in %j', (annotations, fields) => {
  const spec = create(McpServerSpecSchema, { transport: 'http', target: 'https://a.example' });
  const found = [checkMcpServer(spec, annotations), checkMcpBinding(create(McpServerBindingSpecSchema), annotations)];
  expect(found.map((faults) => faults.map(({ field }) => field))).toEqual([fields, fields]);
});
