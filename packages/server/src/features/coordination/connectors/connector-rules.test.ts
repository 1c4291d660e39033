import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConnectorClassSpecSchema, ConnectorSpecSchema } from '@svc/api/resources';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConnectorClass, fillClassDefaults } from './class-rules.ts';
import {
  checkConnector,
  compileRoutes,
  consumerNamespaceFault,
  consumerNamespaces,
  eventRoutes,
  fillConnectorDefaults,
  hasUnknownReplyMode,
} from './connector-rules.ts';

type ClassInit = MessageInitShape<typeof ConnectorClassSpecSchema>;
type ConnectorInit = MessageInitShape<typeof ConnectorSpecSchema>;
const deps = { isEnvAllowed: (name: string) => name.startsWith('CONNECTOR_') };
const http = { runtime: { endpoint: 'https://example.org/hook' } };
const ofClass = (init: ClassInit): string[] =>
  checkConnectorClass(fillClassDefaults(create(ConnectorClassSpecSchema, init)), deps).map(
    (fault) => `${fault.field} ${fault.reason}`,
  );
const ofConnector = (init: ConnectorInit): string[] =>
  checkConnector({ namespace: 'a:b', ancestors: ['a'], spec: create(ConnectorSpecSchema, init) }).map(
    (fault) => `${fault.field} ${fault.reason}`,
  );

describe('a connector class', () => {
  it('gets its defaults', () => {
    const filled = fillClassDefaults(
      create(ConnectorClassSpecSchema, { runtime: { endpoint: 'http://x/y//' }, auth: { kind: 'Api-Key' } }),
    );
    expect(filled).toMatchObject({ runtime: { kind: 'http', endpoint: 'http://x/y' }, auth: { kind: 'apiKey' } });
    const kept = fillClassDefaults(create(ConnectorClassSpecSchema, { runtime: { kind: 'x' } }));
    expect([kept.runtime?.kind, kept.auth]).toEqual(['x', undefined]);
    expect(fillClassDefaults(create(ConnectorClassSpecSchema)).runtime).toBeUndefined();
    const endpoint = `http://x/${'/'.repeat(1_000_000)}y`;
    const long = fillClassDefaults(create(ConnectorClassSpecSchema, { runtime: { endpoint: `${endpoint}/` } }));
    expect(long.runtime?.endpoint).toBe(endpoint);
  });

  it.each<readonly [string, ClassInit, readonly string[]]>([
    ['nothing but an endpoint', http, []],
    ['a literal key', { ...http, auth: { apiKey: { plain: 'x' } } }, []],
    ['a reference', { ...http, auth: { apiKey: { plain: 'secret://a/b' } } }, []],
    ['a variable', { ...http, auth: { apiKey: { env: 'CONNECTOR_KEY' } } }, []],
    ['no endpoint', {}, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['a path', { runtime: { endpoint: '/x' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['another scheme', { runtime: { endpoint: 'ftp://x' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['a user', { runtime: { endpoint: 'http://u@x' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['a password', { runtime: { endpoint: 'http://:p@x' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['an empty user', { runtime: { endpoint: 'http://@x' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['a backslash', { runtime: { endpoint: 'http://x\\y' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['an @ in its path', { runtime: { endpoint: 'http://x/@y' } }, []],
    ['a query', { runtime: { endpoint: 'http://x?a' } }, ['spec.runtime.endpoint ENDPOINT_INVALID']],
    ['a long platform', { ...http, platform: 'x'.repeat(64) }, ['spec.platform FIELD_INVALID']],
    ['another kind', { ...http, auth: { kind: 'oauth', apiKey: { plain: 'x' } } }, ['spec.auth.kind AUTH_KIND']],
    ['no key', { ...http, auth: {} }, ['spec.auth.apiKey SECRET_REF']],
    ['both keys', { ...http, auth: { apiKey: { plain: 'x', env: 'y' } } }, ['spec.auth.apiKey SECRET_REF']],
    ['a blank key', { ...http, auth: { apiKey: { plain: ' ' } } }, ['spec.auth.apiKey.plain SECRET_REF']],
    [
      'a malformed reference',
      { ...http, auth: { apiKey: { plain: 'secret://a' } } },
      ['spec.auth.apiKey.plain SECRET_REF'],
    ],
    ['a blank variable', { ...http, auth: { apiKey: { env: '' } } }, ['spec.auth.apiKey.env SECRET_REF']],
    ['another variable', { ...http, auth: { apiKey: { env: 'HOME' } } }, ['spec.auth.apiKey.env ENV_NOT_ALLOWED']],
  ])('may have %s: %j', (_what, init, expected) => {
    expect(ofClass(init)).toEqual(expected);
  });

  it('has unique indexes with unique fields', () => {
    const matchIndexes = [
      { name: 'team', fields: ['team'] },
      { name: 'team', fields: [] },
      { name: 'a b', fields: ['x', 'x', ' ', 'y'.repeat(64)] },
    ];
    expect(ofClass({ ...http, matchIndexes })).toEqual([
      'spec.matchIndexes[1].name MATCH_INDEX',
      'spec.matchIndexes[1].fields MATCH_INDEX',
      'spec.matchIndexes[2].name MATCH_INDEX',
      'spec.matchIndexes[2].fields[1] MATCH_INDEX',
      'spec.matchIndexes[2].fields[2] MATCH_INDEX',
      'spec.matchIndexes[2].fields[3] MATCH_INDEX',
    ]);
    const many = Array.from({ length: 17 }, (_, index) => ({ name: `i${index}`, fields: ['f'] }));
    expect(ofClass({ ...http, matchIndexes: many })).toEqual(['spec.matchIndexes MATCH_INDEX']);
  });
});

describe('a connector', () => {
  const classRef = { name: 'chat' };

  it('is enabled unless it says otherwise', () => {
    expect(fillConnectorDefaults(create(ConnectorSpecSchema)).enabled).toBe(true);
    expect(fillConnectorDefaults(create(ConnectorSpecSchema, { enabled: false })).enabled).toBe(false);
  });

  it.each<readonly [string, ConnectorInit, readonly string[]]>([
    ['no class', {}, ['spec.classRef.name CLASS_REF']],
    ['a class above', { classRef: { ...classRef, namespace: 'a' } }, []],
    ['a foreign class', { classRef: { ...classRef, namespace: 'c' } }, ['spec.classRef.namespace CLASS_NAMESPACE']],
    [
      'a long key',
      { classRef, matchFields: { ['k'.repeat(64)]: '' } },
      [`spec.matchFields[${'k'.repeat(63)}] FIELD_INVALID`],
    ],
    ['a long value', { classRef, matchFields: { k: 'v'.repeat(513) } }, ['spec.matchFields[k] FIELD_INVALID']],
    [
      'many fields',
      { classRef, matchFields: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, 'v'])) },
      ['spec.matchFields FIELD_INVALID'],
    ],
    [
      'two consumers without names',
      { classRef, consumer: { session: {}, workflow: {} } },
      [
        'spec.consumer CONSUMER_MULTIPLE',
        'spec.consumer.session.agent.name FIELD_INVALID',
        'spec.consumer.workflow.name FIELD_INVALID',
      ],
    ],
    [
      'a pinned session without id',
      { classRef, consumer: { session: { agent: { name: 'x' }, continuity: 'pinned' } } },
      ['spec.consumer.session.sessionId SESSION_ID_REQUIRED'],
    ],
    [
      'a channel without name and a foreign agent',
      { classRef, consumer: { channel: { agent: { namespace: 'c' } } } },
      ['spec.consumer.channel.channel.name FIELD_INVALID', 'spec.consumer.channel.agent.namespace CONSUMER_NAMESPACE'],
    ],
    [
      'a channel and its agent',
      { classRef, consumer: { channel: { channel: { name: 'r' }, agent: { namespace: 'a:b' } } } },
      [],
    ],
    [
      'an agent without a namespace beside a channel of another',
      { classRef, consumer: { channel: { channel: { name: 'r', namespace: 'x' }, agent: {} } } },
      ['spec.consumer.channel.agent.namespace CONSUMER_NAMESPACE'],
    ],
    ['a workflow', { classRef, consumer: { workflow: { name: 'w' } } }, []],
    [
      'a foreign channel with its agent',
      { classRef, consumer: { channel: { channel: { name: 'r', namespace: 'x' }, agent: { namespace: 'x' } } } },
      [],
    ],
  ])('may have %s', (_what, init, expected) => {
    expect(ofConnector(init)).toEqual(expected);
  });

  it('names the namespaces it sends to', () => {
    const { consumer } = create(ConnectorSpecSchema, {
      consumer: { channel: { channel: { namespace: 'x' }, agent: {} } },
    });
    expect(consumerNamespaces(consumer)).toEqual([
      { field: 'spec.consumer.channel.channel.namespace', namespace: 'x' },
    ]);
    const all = create(ConnectorSpecSchema, {
      consumer: { session: { agent: { namespace: 's' } }, workflow: { namespace: 'w' } },
    });
    expect(consumerNamespaces(all.consumer).map((entry) => entry.namespace)).toEqual(['s', 'w']);
    expect(consumerNamespaces(undefined)).toEqual([]);
    expect(consumerNamespaceFault('x')).toMatchObject({ field: 'x', reason: 'CONSUMER_NAMESPACE' });
  });

  it('knows reply modes', () => {
    const of = (init: ConnectorInit) => hasUnknownReplyMode(create(ConnectorSpecSchema, init).consumer);
    expect(of({ consumer: { session: { replyMode: 'review' } } })).toBe(false);
    expect(of({ consumer: { channel: { replyPolicy: 'loud' } } })).toBe(true);
    expect(of({})).toBe(false);
  });

  it('wants the routes of the most telling satisfied indexes', () => {
    const { matchIndexes } = create(ConnectorClassSpecSchema, {
      matchIndexes: [
        { name: 'team', fields: ['team'] },
        { name: 'both', fields: ['team', 'channel'] },
        { name: 'user', fields: ['user'] },
      ],
    });
    expect(compileRoutes(matchIndexes, { team: 'T 1', channel: "C'&", user: ' ' })).toEqual([
      'both?team=T%201&channel=C%27%26',
    ]);
    expect(compileRoutes(matchIndexes, { team: 't', user: 'u' })).toEqual(['team?team=t', 'user?user=u']);
    expect(compileRoutes(matchIndexes, {})).toEqual([]);
  });

  // CO-6, 28
  it('has one route for one input, and other ones for every other', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', '=', '&', '?', '%', '3', 'D', ' ', '\u{1f642}'),
      maxLength: 4,
    });
    const pair = fc.tuple(text, text).filter(([field, value]) => field.trim() !== '' && value.trim() !== '');
    const input = fc.record({
      name: fc.constantFrom('a', 'b', 'a.b'),
      pairs: fc.uniqueArray(pair, { minLength: 1, maxLength: 3, selector: ([field]) => field }),
    });
    const routeOf = ({ name, pairs }: { name: string; pairs: readonly (readonly [string, string])[] }) => {
      const { matchIndexes } = create(ConnectorClassSpecSchema, {
        matchIndexes: [{ name, fields: pairs.map(([field]) => field) }],
      });
      return compileRoutes(matchIndexes, Object.fromEntries(pairs));
    };
    fc.assert(
      fc.property(input, input, (left, right) => {
        const isSame = JSON.stringify(left) === JSON.stringify(right);
        expect(routeOf(left)).toHaveLength(1);
        expect(routeOf(left)[0] === routeOf(right)[0]).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the routes of an event', () => {
  const index = (name: string, ...fields: string[]) => ({
    $typeName: 'svc.resources.ConnectorMatchIndex' as const,
    name,
    fields,
  });
  const fields = { team: 't', channel: 'c', user: 'u' };

  it('are tried in declared order, narrower ones before the wider ones they contain', () => {
    const wide = index('wide', 'team');
    const narrow = index('narrow', 'team', 'channel');
    const other = index('other', 'user');
    const narrowRoute = 'narrow?team=t&channel=c';
    expect(eventRoutes([wide, other, narrow], fields)).toEqual(['other?user=u', narrowRoute, 'wide?team=t']);
    expect(eventRoutes([narrow, wide, other], fields)).toEqual([narrowRoute, 'wide?team=t', 'other?user=u']);
  });

  it('need all fields of an index, not blank and of the event itself', () => {
    expect(eventRoutes([index('a', 'team', 'none'), index('b', 'constructor')], fields)).toEqual([]);
    expect(eventRoutes([index('a', 'team')], { team: ' ' })).toEqual([]);
  });
});
