import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonMap } from '../canonical-json.ts';
import {
  closedSeal,
  isSealed,
  openMap,
  openRecord,
  resealRecord,
  SEALED_PREFIX,
  type SealedPart,
  sealedValues,
  sealMap,
  secretReferences,
  unopenedValues,
  type ValueSeal,
} from './sealed-fields.ts';
import { keepSensitive, maskSpec } from './sensitive-fields.ts';

/** Writes place and key into the text, so that a test sees what would be encrypted. */
const sealOf = (newest: string, known: readonly string[] = [newest]): ValueSeal => ({
  seal: (place, plain) => `${SEALED_PREFIX}${newest}:${Buffer.from(`${place} ${plain}`).toString('base64')}`,
  open: (place, sealed) => {
    const [id = '', body = ''] = sealed.slice(SEALED_PREFIX.length).split(':');
    const text = Buffer.from(body, 'base64').toString();
    return known.includes(id) && text.startsWith(`${place} `) ? text.slice(place.length + 1) : undefined;
  },
  isNewest: (sealed) => sealed.startsWith(`${SEALED_PREFIX}${newest}:`),
});

const seal = sealOf('one');
const part = (kind: string, section: SealedPart['section'] = 'spec'): SealedPart => ({ kind, section, uid: 'uid' });
const roundTrip = (kind: string, map: JsonMap, section: SealedPart['section'] = 'spec'): JsonMap =>
  openMap(part(kind, section), sealMap(part(kind, section), map, { seal }), { seal, unopened: 'blank' });

/** A template that renders the template of that spec. */
const nested = (inner: JsonMap): JsonMap => ({ kind: 'Template', specJson: canonicalJson(inner) });

describe('sealed values of a record', () => {
  it('are none for a kind without secret fields', () => {
    const key = { kind: 'Skill', namespace: 'a', parent: '', name: 's' };
    expect(sealedValues({ key, uid: 'uid', spec: '{}', status: '{}' })).toEqual([]);
  });
});

describe('sealing', () => {
  it.each<readonly [string, JsonMap, readonly string[]]>([
    ['Secret', { data: { a: 'dmFsdWU=', b: '' }, type: 'Opaque' }, ['dmFsdWU=']],
    ['McpServer', { headers: { 'x/~y': 'value', ref: 'secret://a/b' } }, ['value']],
    ['Agent', { runtime: { acp: { env: { A: 'value' } } } }, ['value']],
    ['ConnectorClass', { auth: { apiKey: { plain: 'value' } } }, ['value']],
    ['SandboxClass', { credentialsJson: '{"a":[{"b":"value"},5,null],"c":"secret://a/b"}' }, ['value']],
    ['Template', { kind: 'McpServer', specJson: '{"headers":{"a":"value"}}' }, ['value']],
    ['Template', { kind: 'Secret', specJson: '{"stringData":{"a":"value"}}' }, ['value']],
    ['Template', nested(nested({ kind: 'Secret', specJson: '{"stringData":{"a":"value"}}' })), ['value']],
  ])('hides the values of a %s in what is stored and gives them back', (kind, map, values) => {
    const text = JSON.stringify(sealMap(part(kind), map, { seal }));
    for (const value of values) expect(text).not.toContain(`"${value}`);
    expect(text).toContain(SEALED_PREFIX);
    expect(roundTrip(kind, map)).toEqual(map);
  });

  it('hides values of a template inside a template from readers, and keeps them when that is written back', () => {
    const spec = nested({ kind: 'Secret', specJson: '{"stringData":{"a":"value"}}' });
    const masked = maskSpec('Template', spec);
    expect(masked).toEqual(nested({ kind: 'Secret', specJson: '{"stringData":{"a":""}}' }));
    expect(keepSensitive('Template', spec, masked)).toEqual(spec);
  });

  it('leaves references, empty values and other fields readable', () => {
    const map = { headers: { ref: 'secret://a/b', none: '' }, target: 'http://x' };
    expect(sealMap(part('McpServer'), map, { seal })).toEqual(map);
    const file = { pendingUpload: { requiredHeaders: { a: 'value' } } };
    expect(JSON.stringify(sealMap(part('File', 'status'), file, { seal }))).toContain(SEALED_PREFIX);
    expect(roundTrip('File', file, 'status')).toEqual(file);
  });

  it.each<readonly [string, JsonMap]>([
    ['Template', { kind: 'Skill', specJson: '{"headers":{"a":"value"}}' }],
    ['Template', { kind: 7, specJson: '{}' }],
    ['Template', { kind: 'McpServer', specJson: 'no json' }],
    ['SandboxClass', { credentialsJson: 'no json' }],
    ['SandboxClass', { credentialsJson: 7 }],
    ['Skill', { data: { a: 'b' } }],
    ['Worker', {}],
  ])('leaves a %s without sensitive values as it is: %o', (kind, map) => {
    expect(sealMap(part(kind), map, { seal })).toEqual(map);
    expect(sealMap(part(kind, 'status'), map, { seal })).toEqual(map);
  });

  it('drops nothing of a lease token, which nobody may see anyway', () => {
    const status = { lease: { token: 'x' } };
    expect(sealMap(part('Sandbox', 'status'), status, { seal })).toEqual(status);
  });

  it('keeps the stored text of a value that did not change, and of one it cannot open', () => {
    const stored = sealMap(part('Secret'), { data: { a: 'same', b: 'old' } }, { seal });
    const other = sealOf('two', ['one', 'two']);
    const next = sealMap(part('Secret'), { data: { a: 'same', b: 'new' } }, { seal: other, stored });
    expect((next['data'] as JsonMap)['a']).toBe((stored['data'] as JsonMap)['a']);
    expect((next['data'] as JsonMap)['b']).toContain('two:');
    const lost = sealOf('three', ['three']);
    expect(sealMap(part('Secret'), stored, { seal: lost, stored })).toEqual(stored);
    const plain = sealMap(part('Secret'), { data: { a: 'same' } }, { seal, stored: { data: { a: 'same' } } });
    expect(isSealed(String((plain['data'] as JsonMap)['a']))).toBe(true);
  });

  it('opens a value at its own place only', () => {
    const stored = sealMap(part('Secret'), { data: { a: 'x' } }, { seal })['data'] as JsonMap;
    const moved: JsonMap = { data: { b: stored['a'] ?? '' } };
    expect(openMap(part('Secret'), moved, { seal, unopened: 'blank' })).toEqual({ data: { b: '' } });
    expect(openMap(part('Secret'), moved, { seal, unopened: 'keep' })).toEqual(moved);
    expect(unopenedValues(part('Secret'), moved, seal)).toEqual(['/data/b']);
    expect(openMap(part('Secret'), { data: stored }, { seal: closedSeal, unopened: 'blank' })).toEqual({
      data: { a: '' },
    });
  });
});

describe('a written value', () => {
  it('that is no JSON object stays for the rules to refuse', () => {
    for (const credentialsJson of ['{', '[]', 7])
      expect(keepSensitive('SandboxClass', { credentialsJson: '{"a":"b"}' }, { credentialsJson })).toEqual({
        credentialsJson,
      });
  });
});

describe('records', () => {
  const record = (kind: string, spec: JsonMap) => ({
    key: { kind, namespace: 'default', parent: '', name: 'one' },
    uid: 'uid',
    spec: JSON.stringify(spec),
    status: 'no json',
  });

  it('are opened for code that acts on them', () => {
    const spec = sealMap(part('Secret'), { data: { a: 'x' } }, { seal });
    expect(openRecord(record('Secret', spec), seal)).toMatchObject({ spec: '{"data":{"a":"x"}}', status: '{}' });
    const skill = record('Skill', {});
    expect(openRecord(skill, seal)).toBe(skill);
  });

  it('are sealed again by the newest key, once', () => {
    const old = { ...record('Secret', sealMap(part('Secret'), { data: { a: 'x', b: '' } }, { seal })), status: '{}' };
    const both = sealOf('two', ['one', 'two']);
    const renewed = resealRecord(old, both);
    expect(renewed.spec).toContain('two:');
    expect(openRecord(renewed, both).spec).toBe('{"data":{"a":"x","b":""}}');
    expect(resealRecord(renewed, both)).toBe(renewed);
    expect(resealRecord(old, sealOf('two'))).toBe(old);
    const skill = record('Skill', {});
    expect(resealRecord(skill, both)).toBe(skill);
  });

  it('name the secrets they refer to', () => {
    const spec = { credentialsJson: '{"a":"secret://a/b","b":["secret://a/b","secret://c/d","plain"]}' };
    expect(secretReferences('SandboxClass', spec)).toEqual(['secret://a/b', 'secret://c/d']);
    expect(secretReferences('Skill', spec)).toEqual([]);
  });
});
