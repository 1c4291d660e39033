import { describe, expect, it } from 'vitest';
import { API_VERSION, canonicalApiVersion, findKind, kindRow, kinds } from '../kinds.ts';
import { formatKey, namespaceKey, recordKey } from '../record.ts';
import { isName, isSecretKey, type NameRule } from './names.ts';
import { leafName, pathAncestors, pathParent, pathRoot } from './namespace-paths.ts';
import { formatSessionName, parseSessionName } from './session-name.ts';

const cases: readonly (readonly [NameRule, readonly string[], readonly string[]])[] = [
  [
    'namespace',
    ['a', 'a:b', 'A.b-c_d:0', 'x'.repeat(63)],
    ['', 'a:', ':a', 'a::b', '-a', 'x'.repeat(64), 'a b', 'é', `${'ab:'.repeat(84)}abc`],
  ],
  ['agent', ['a', 'helper-1', 'a.b_c'], ['', 'a:b', 'a-', '.a', 'x'.repeat(64)]],
  ['skill', ['a', 'write-well', 'a1'], ['', 'A', '1a', 'a-', 'a_b', 'x'.repeat(64)]],
  ['knowledge', ['a/b.md', 'docs/..x', 'a:b'], ['', '/a', 'a/', 'a//b', 'a/../b', './a', 'a b', 'x'.repeat(254)]],
  ['plain', ['a', 'a:b', '-x', '_', 'x'.repeat(253)], ['', '.', '..', 'a/b', 'a b', 'x'.repeat(254)]],
];

describe('names', () => {
  it.each(cases)('by rule %s are accepted or refused', (rule, good, bad) => {
    expect(good.filter((name) => !isName(rule, name))).toEqual([]);
    expect(bad.filter((name) => isName(rule, name))).toEqual([]);
  });

  it('of secret keys hold letters, digits and - _ .', () => {
    expect(['key', 'a.b_c-D1'].every(isSecretKey)).toBe(true);
    expect(['', 'a/b', 'a:b', 'x'.repeat(254)].some(isSecretKey)).toBe(false);
  });
});

describe('namespace paths', () => {
  it('end in a root', () => {
    expect(pathAncestors('a:b:c')).toEqual(['a:b', 'a']);
    expect(pathAncestors('a')).toEqual([]);
    expect([pathParent('a:b'), pathParent('a')]).toEqual(['a', '']);
    expect([pathRoot('a:b:c'), pathRoot('a')]).toEqual(['a', 'a']);
    expect([leafName('a:b:c'), leafName('a')]).toEqual(['c', 'a']);
  });
});

describe('session names', () => {
  const address = { namespace: 'acme:team', agent: 'helper', sessionId: 's' };

  it('lead back to the session, also with a raw colon', () => {
    expect(formatSessionName(address)).toBe('@Namespace/acme%3Ateam/Agent/helper/@/Session/s');
    expect(parseSessionName(formatSessionName(address))).toEqual(address);
    expect(parseSessionName('@Namespace/acme:team/Agent/helper/@/Session/s')).toEqual(address);
  });

  it.each([
    '',
    '@Namespace/a/Agent/b',
    '@Namespace/a/Agent/b/@/Session/',
    '@Namespace/%zz/Agent/b/@/Session/s',
    'x@Namespace/a/Agent/b/@/Session/s',
  ])('are malformed: %j', (text) => {
    expect(parseSessionName(text)).toBeUndefined();
  });
});

describe('kinds', () => {
  it('have messages whose fields are metadata, spec and status', () => {
    for (const row of kinds) {
      expect(row.full.fields.map((field) => field.name)).toEqual(['metadata', 'spec', 'status']);
      expect(row.full.fields[1]?.message).toBe(row.spec);
      expect(row.full.fields[2]?.message).toBe(row.status);
    }
  });

  it('are the 24 of the contract', () => {
    expect(kinds).toHaveLength(24);
    expect(findKind('Nothing')).toBeUndefined();
    expect(() => kindRow('Nothing')).toThrow('no such kind');
  });

  it('know who writes them', () => {
    expect(kindRow('Worker').writers).toEqual({ gateway: false, resourceService: 'none', fileService: false });
    expect(kindRow('Session').writers).toEqual({ gateway: true, resourceService: 'labels', fileService: false });
    expect(kindRow('File').writers).toEqual({ gateway: false, resourceService: 'all', fileService: true });
  });

  it.each([
    ['', API_VERSION],
    ['v1', API_VERSION],
    ['svc/v1', API_VERSION],
    ['svc/v2', undefined],
    ['example.org/v1', 'example.org/v1'],
    ['example.org', undefined],
    ['Example/v1', undefined],
  ])('of version %j are %s', (text, version) => {
    expect(canonicalApiVersion(text)).toBe(version);
  });
});

it('keys are written with the parts they have', () => {
  expect(formatKey(recordKey('Agent', 'a:b', 'c'))).toBe('Agent/a:b/c');
  expect(formatKey(namespaceKey('a:b'))).toBe('Namespace/a:b');
  expect(formatKey({ kind: 'Session', namespace: 'n', parent: 'a', name: 's' })).toBe('Session/n/a/s');
});
