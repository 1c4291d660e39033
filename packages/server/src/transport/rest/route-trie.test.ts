import { methods } from '@svc/api/methods';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTemplate } from './path-template.ts';
import { RouteTrie } from './route-trie.ts';

const trie = (): RouteTrie<string> => {
  const routes = new RouteTrie<string>();
  for (const { name, http } of methods) routes.add(http.verb, http.path, name);
  return routes;
};

const S = '/v1/ns/n/agents/a/sessions/s';

describe('path templates', () => {
  test('are taken apart into segments, variables and verb', () => {
    expect(parseTemplate('/v1/ns/{ns}/sessions/{session_id}:clear')).toEqual({
      segments: ['v1', 'ns', undefined, 'sessions', undefined],
      variables: ['ns', 'session_id'],
      verb: 'clear',
      rest: undefined,
    });
    expect(parseTemplate('/a2a/{ns}/{rest=**}')).toMatchObject({ variables: ['ns', 'rest'], rest: 'rest' });
    expect(() => parseTemplate('v1')).toThrow();
    expect(() => parseTemplate('/a//b')).toThrow();
    expect(() => parseTemplate('/a/{b')).toThrow();
  });
});

describe('the route trie', () => {
  test('finds every operation of the contract at its own path', () => {
    const routes = trie();
    for (const { name, http } of methods) {
      const path = http.path.replace(/\{(\w+)\}/g, 'x');
      expect(routes.find(http.verb, path)).toMatchObject({ target: name });
    }
  });

  test.each([
    ['POST', `${S}:clear`, 'ClearSession', ['n', 'a', 's']],
    ['GET', S, 'GetSession', ['n', 'a', 's']],
    ['HEAD', S, 'GetSession', ['n', 'a', 's']],
    ['POST', `${S}/messages:append`, 'AppendSessionMessage', ['n', 'a', 's']],
    ['GET', '/v1/ns/n/resources:watch', 'WatchResources', ['n']],
    ['POST', '/v1/session-streams:batch', 'StreamSessionPartsBatch', []],
    ['POST', '/v1/manifests:apply', 'ApplyManifests', []],
    ['GET', '/v1/namespaces/a:b', 'GetNamespace', ['a:b']],
    ['GET', '/v1/namespaces/a:b:c', 'GetNamespace', ['a:b:c']],
    ['GET', '/v1/ns/n/schedules/x%3Arun', 'GetSchedule', ['n', 'x:run']],
    ['GET', '/v1/namespaces/a%2Fb', 'GetNamespace', ['a/b']],
    ['GET', '/v1/namespaces/%C3%BC', 'GetNamespace', ['ü']],
    ['GET', '/v1/namespaces/a%252F', 'GetNamespace', ['a%2F']],
  ])('%s %s is %s', (...row) => {
    const [method, path, name, params] = row;
    expect(trie().find(method, path)).toEqual({ target: name, params });
  });

  test('takes a verb only where the path binds it, whatever the method', () => {
    expect(trie().find('GET', '/v1/ns/n/schedules/x:run')).toEqual({ allowed: ['POST', 'OPTIONS'] });
    expect(trie().find('GET', '/v1/ns/n/schedules/x:walk')).toMatchObject({
      target: 'GetSchedule',
      params: ['n', 'x:walk'],
    });
  });

  test('names the methods of a path that lacks the one asked for', () => {
    expect(trie().find('PATCH', '/v1/ns/n/agents/a')).toEqual({ allowed: ['GET', 'PUT', 'HEAD', 'OPTIONS'] });
    expect(trie().find('GET', `${S}/message`)).toEqual({ allowed: ['POST', 'OPTIONS'] });
  });

  test.each([
    '/',
    '',
    'v1',
    '/v1',
    '/v1/',
    '/v1/ns//agents/a',
    '/v1/ns/n/agents/',
    '/v2/ns',
    '//v1/templates',
    '/v1/templates/a/b',
  ])('finds nothing at %j', (path) => {
    expect(trie().find('GET', path)).toBeUndefined();
  });

  test.each(['/v1/namespaces/%', '/v1/namespaces/%zz', '/v1/namespaces/%ff', '/v1/namespaces/a%4'])(
    'refuses %s',
    (path) => {
      expect(() => trie().find('GET', path)).toThrow(/percent-encoding/);
    },
  );

  test('prefers a literal segment and falls back to the variable', () => {
    const routes = new RouteTrie<string>();
    routes.add('GET', '/a/{x}/c', 'variable');
    routes.add('GET', '/a/b/d', 'literal');
    expect(routes.find('GET', '/a/b/d')).toEqual({ target: 'literal', params: [] });
    expect(routes.find('GET', '/a/b/c')).toEqual({ target: 'variable', params: ['b'] });
  });

  test('gives what nothing else fits to a catch-all, but never /v1 to the one of the root', () => {
    const routes = trie();
    routes.add('GET', '/{path=**}', 'console');
    routes.add('POST', '/a2a/{ns}/{rest=**}', 'a2a');
    expect(routes.find('GET', '/')).toEqual({ target: 'console', params: [''] });
    expect(routes.find('GET', '/assets/x.js')).toEqual({ target: 'console', params: ['assets/x.js'] });
    expect(routes.find('GET', '/v1/unknown')).toBeUndefined();
    expect(routes.find('GET', '/a%2fb%zz/')).toEqual({ target: 'console', params: ['a%2fb%zz/'] });
    expect(routes.find('POST', '/assets')).toBeUndefined();
    expect(routes.find('POST', '/a2a/n/v1/x')).toEqual({ target: 'a2a', params: ['n', 'v1/x'] });
  });

  test('refuses to bind a path twice', () => {
    const routes = trie();
    expect(() => routes.add('GET', '/v1/templates/{other}', 'again')).toThrow(/twice/);
  });

  test('reads back any segment that was percent-encoded', () => {
    const routes = trie();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        expect(routes.find('GET', `/v1/namespaces/${encodeURIComponent(name)}`)).toEqual({
          target: 'GetNamespace',
          params: [name],
        });
      }),
    );
  });
});
