import { create } from '@bufbuild/protobuf';
import { type Grant, GrantSchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { aboveOf, isAllowed, type Role, type Target, writtenIn } from './grant-rules.ts';

const grant = (role: string, narrow: Partial<Omit<Grant, '$typeName' | '$unknown'>> = {}): Grant =>
  create(GrantSchema, { role, ...narrow });

/** `shop` is below `acme` though its name does not say so. */
const ancestorsOf = (ns: string): readonly string[] => ({ 'acme:web': ['acme'], shop: ['acme'] })[ns] ?? [];

const may = (grants: readonly Grant[], role: Role, target?: Target): boolean =>
  isAllowed({ grants, ancestorsOf }, role, target);

describe('isAllowed', () => {
  it('lets each role do what those below it may', () => {
    const operator = [grant('operator')];
    expect([may(operator, 'viewer'), may(operator, 'operator'), may(operator, 'admin')]).toEqual([true, true, false]);
    expect(may([], 'viewer')).toBe(false);
  });

  it('covers a namespace and what is below it, by the tree and not by the name', () => {
    const grants = [grant('admin', { namespace: 'acme' })];
    const asked = ['acme', 'acme:web', 'shop', 'acme2', 'default'];
    expect(asked.map((ns) => may(grants, 'admin', { ns }))).toEqual([true, true, true, false, false]);
  });

  it('asks for some place where no namespace is named', () => {
    expect(may([grant('admin', { namespace: 'acme' })], 'admin')).toBe(true);
  });

  it('keeps a grant for one agent, session or channel to it', () => {
    const ofAgent = [grant('operator', { namespace: 'acme', agent: 'clerk' })];
    expect(may(ofAgent, 'operator', { ns: 'acme', agent: 'clerk', sessionId: 's' })).toBe(true);
    expect(may(ofAgent, 'operator', { ns: 'acme', agent: 'other' })).toBe(false);
    expect(may(ofAgent, 'operator', { ns: 'acme' })).toBe(false);
    const ofSession = [grant('operator', { namespace: 'acme', agent: 'clerk', session: 's' })];
    expect(may(ofSession, 'operator', { ns: 'acme', agent: 'clerk', sessionId: 't' })).toBe(false);
    const ofChannel = [grant('viewer', { namespace: 'acme', channel: 'room' })];
    expect(may(ofChannel, 'viewer', { ns: 'acme', channel: 'room' })).toBe(true);
    expect(may(ofChannel, 'viewer', { ns: 'acme', channel: 'hall' })).toBe(false);
  });

  it('keeps a grant for one agent or channel out of the namespaces below', () => {
    const ofAgent = [grant('operator', { namespace: 'acme', agent: 'clerk' })];
    expect(may(ofAgent, 'operator', { ns: 'acme:web', agent: 'clerk' })).toBe(false);
    const ofChannel = [grant('operator', { namespace: 'acme', channel: 'room' })];
    expect(may(ofChannel, 'operator', { ns: 'shop', channel: 'room' })).toBe(false);
    expect(may(ofChannel, 'operator', { ns: 'acme', channel: 'room' })).toBe(true);
  });

  it('takes an empty or incomplete scope for one that covers nothing', () => {
    const asked = { ns: 'acme', agent: 'clerk', sessionId: 's', channel: 'room' };
    const scopes = [
      { namespace: '' },
      { namespace: 'acme', agent: '' },
      { namespace: 'acme', agent: 'clerk', session: '' },
      { namespace: 'acme', channel: '' },
      { namespace: 'acme', session: 's' },
      { agent: 'clerk' },
    ];
    expect(scopes.map((scope) => may([grant('admin', scope)], 'viewer', asked))).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(may([grant('admin', { namespace: '' })], 'viewer')).toBe(false);
  });

  it('needs a grant without a scope for what concerns the whole instance', () => {
    const isEverywhere = true;
    expect(may([grant('admin')], 'admin', { isEverywhere })).toBe(true);
    expect(may([grant('operator')], 'admin', { isEverywhere })).toBe(false);
    expect(may([grant('admin', { namespace: 'acme' })], 'admin', { isEverywhere })).toBe(false);
    expect(may([grant('admin', { agent: 'clerk' })], 'admin', { isEverywhere })).toBe(false);
  });

  it('takes a role that it does not know for none', () => {
    expect(may([grant('owner')], 'viewer')).toBe(false);
  });
});

describe('aboveOf', () => {
  it('is the parent of a namespace, and the whole instance for one at the root', () => {
    expect(aboveOf('a:b')).toEqual({ ns: 'a' });
    expect(aboveOf('a:b:c')).toEqual({ ns: 'a:b' });
    expect(aboveOf('acme')).toEqual({ isEverywhere: true });
  });

  it('does not let the admin of a namespace delete it', () => {
    const grants = [grant('admin', { namespace: 'acme' })];
    expect(may(grants, 'admin', aboveOf('acme'))).toBe(false);
    expect(may(grants, 'admin', aboveOf('acme:web'))).toBe(true);
  });
});

describe('writtenIn', () => {
  it('is the namespace of a resource, and for a namespace what is above it', () => {
    expect(writtenIn({ kind: 'Agent', ns: 'acme', name: 'clerk' })).toEqual({ ns: 'acme' });
    expect(writtenIn({ kind: 'Namespace', ns: 'acme:web', name: 'acme:web' })).toEqual({ ns: 'acme' });
    expect(writtenIn({ kind: 'Namespace', ns: 'acme', name: 'acme' })).toEqual({ isEverywhere: true });
    expect(writtenIn({ kind: 'Namespace', ns: 'acme', name: '' })).toEqual({});
  });
});
