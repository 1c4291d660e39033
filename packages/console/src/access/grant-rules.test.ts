import { create } from '@bufbuild/protobuf';
import { type Grant, GrantSchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { isAllowed, type Role, type Target } from './grant-rules.ts';

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

  it('takes a role that it does not know for none', () => {
    expect(may([grant('owner')], 'viewer')).toBe(false);
  });
});
