import { create, type DescMessage } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import { describe, expect, it } from 'vitest';
import type { Caller, CallerGrant, OperationAccess, Role } from './contract.ts';
import { GrantAuthorizer } from './grant-authorizer.ts';
import { coversGrant } from './grants.ts';
import { accessFacts } from './testing/access-facts.ts';

/** `child` is a root name that was made a child of `acme`. */
const ancestorsOf = (name: string): readonly string[] => {
  const found: string[] = [];
  for (let at = name.lastIndexOf(':'); at > 0; at = name.lastIndexOf(':', at - 1)) found.push(name.slice(0, at));
  return name === 'child' || name.startsWith('child:') ? [...found, 'acme'] : found;
};

const authorizer = new GrantAuthorizer(ancestorsOf);

const caller = (...grants: readonly CallerGrant[]): Caller => ({
  identity: 'key:1',
  subject: 'key',
  mode: 'api-key',
  grants,
});

const grant = (role: Role, scope: Partial<CallerGrant> = {}): CallerGrant => ({ role, readSecrets: false, ...scope });

/** A request that names session s1 of agent a1 in namespace acme:team, or whatever of these the operation knows. */
const requestFor = (input: DescMessage): unknown => {
  const values: Record<string, unknown> = {
    ns: 'acme:team',
    agent: 'a1',
    sessionId: 's1',
    channel: 'c1',
    parent: '',
    name: input.typeName.endsWith('NamespaceRequest') ? 'acme:team' : 'a1',
    sessions: [{ ns: 'acme:team', agent: 'a1', sessionId: 's1' }],
  };
  const known = input.fields.filter((field) => values[field.localName] !== undefined && field.localName !== 'kind');
  const init = Object.fromEntries(known.map((field) => [field.localName, values[field.localName]]));
  if (input.typeName.endsWith('GetChannelRequest')) init['name'] = 'c1';
  return create(input, init as never);
};

const accessTo = (operation: string): OperationAccess => {
  const access = accessFacts.get(operation);
  if (access === undefined) throw new Error(`nothing is known of ${operation}`);
  return access;
};

const outcome = (operation: string, request: unknown, who: Caller): string => {
  try {
    authorizer.authorize(accessTo(operation), request, who);
    return 'allowed';
  } catch (error) {
    return (error as { readonly reason: string }).reason;
  }
};

const RANK = { viewer: 0, operator: 1, admin: 2 } as const;
const rows = methods.map((method) => {
  const operation = `${method.service}/${method.name}`;
  return { operation, access: accessFacts.get(operation), request: requestFor(method.input) };
});

describe.each(rows)('$operation', ({ operation, access, request }) => {
  it.each(['viewer', 'operator', 'admin'] as const)('is decided by its role for an unscoped %s', (role) => {
    const need = access?.need ?? 'admin';
    const result = outcome(operation, request, caller(grant(role)));
    if (need === 'callback') expect(result).toBe('REGISTRATION');
    else expect(result).toBe(need === 'any' || RANK[role] >= RANK[need] ? 'allowed' : 'ROLE');
  });

  it('is decided by its target for admins of a namespace, its parent, and another one', () => {
    const who = (namespace: string): string => outcome(operation, request, caller(grant('admin', { namespace })));
    const target = access?.target;
    if (access?.need === 'callback') return;
    const isFree = access?.need === 'any' || target === 'own' || target === 'namespace-list' || target === 'manifests';
    const isElsewhere = target === 'unscoped' || target === 'system';
    const isEmptyAudit = target === 'audit';
    expect(who('acme')).toBe(isElsewhere ? 'SCOPE' : 'allowed');
    expect(who('other')).toBe(isFree ? 'allowed' : 'SCOPE');
    expect(who('acme:team')).toBe(isElsewhere || target === 'namespace-parent' ? 'SCOPE' : 'allowed');
    expect(who('system')).toBe(isFree || target === 'system' ? 'allowed' : 'SCOPE');
    expect(isEmptyAudit ? who('acme') : 'allowed').toBe('allowed');
  });

  it('is open to grants on an agent, session or channel only where it names them', () => {
    if (access === undefined || access.need === 'any' || access.need === 'callback') return;
    if (['own', 'namespace-list', 'manifests'].includes(access.target)) return;
    const names = (field: string): boolean =>
      access.target === 'batch' ||
      Object.hasOwn(request as object, field) ||
      (request as Record<string, unknown>)[field] !== undefined;
    const scope = { namespace: 'acme:team' };
    const isByFields = access.target === 'fields' || access.target === 'readable-fields';
    const isAgent = access.target === 'agent-name' || access.target === 'batch' || (isByFields && names('agent'));
    const isSession = access.target === 'batch' || (isByFields && names('agent') && names('sessionId'));
    const isChannel = access.target === 'channel' || access.target === 'channel-name';
    const by = (more: Partial<CallerGrant>): boolean =>
      outcome(operation, request, caller(grant('admin', { ...scope, ...more }))) === 'allowed';
    expect(by({ agent: 'a1' })).toBe(isAgent);
    expect(by({ agent: 'a2' })).toBe(false);
    expect(by({ agent: 'a1', session: 's1' })).toBe(isSession);
    expect(by({ agent: 'a1', session: 's2' })).toBe(false);
    expect(by({ channel: 'c1' })).toBe(isChannel);
    expect(by({ channel: 'c2' })).toBe(false);
    for (const empty of [
      { namespace: '' },
      { agent: '' },
      { agent: 'a1', session: '' },
      { channel: '' },
      { session: 's1' },
    ])
      expect(by(empty)).toBe(false);
  });
});

describe('targets', () => {
  const one = (operation: string, input: object, ...grants: readonly CallerGrant[]): string => {
    const method = methods.find((candidate) => `${candidate.service}/${candidate.name}` === operation);
    if (method === undefined) throw new Error(operation);
    return outcome(operation, create(method.input, input as never), caller(...grants));
  };
  const gateway = 'svc.gateway.GatewayService';
  const resources = 'svc.gateway.ResourceService';
  const acme = grant('admin', { namespace: 'acme' });

  it('follow the parent given at creation', () => {
    expect(one(`${gateway}/GetAgent`, { ns: 'child:x', name: 'a' }, acme)).toBe('allowed');
    expect(one(`${gateway}/GetAgent`, { ns: 'childish', name: 'a' }, acme)).toBe('SCOPE');
  });

  it('of root namespaces need an unscoped grant', () => {
    for (const name of ['CreateNamespace', 'DeleteNamespace']) {
      expect(one(`${gateway}/${name}`, { name: 'acme' }, acme)).toBe('SCOPE');
      expect(one(`${gateway}/${name}`, { name: 'acme:x' }, acme)).toBe('allowed');
    }
    const deletion = { ns: 'acme', kind: 'Namespace', name: 'acme' };
    expect(one(`${resources}/DeleteResource`, deletion, acme)).toBe('SCOPE');
    expect(one(`${resources}/GetResource`, deletion, acme)).toBe('allowed');
  });

  it('of all namespaces need an unscoped grant', () => {
    expect(one(`${resources}/ListResources`, { ns: '-' }, acme)).toBe('SCOPE');
    expect(one(`${resources}/ListResources`, { ns: '-' }, grant('viewer'))).toBe('allowed');
  });

  it('of a batch are all sessions, by name or by key', () => {
    const operation = `${gateway}/StreamSessionPartsBatch`;
    const names = ['@Namespace/acme%3Ateam/Agent/a/@/Session/s', '@Namespace/other/Agent/a/@/Session/s'];
    expect(one(operation, { sessionNames: names.slice(0, 1) }, acme)).toBe('allowed');
    expect(one(operation, { sessionNames: names }, acme)).toBe('SCOPE');
    const other = grant('viewer', { namespace: 'other', agent: 'a', session: 's' });
    expect(one(operation, { sessionNames: names }, acme, other)).toBe('allowed');
  });

  it('of manifests are the namespaces of all documents', () => {
    const operation = `${resources}/ApplyManifests`;
    const document = (kind: string, metadata: object): object => ({ kind, metadata });
    expect(one(operation, { ns: 'acme', text: 'kind: Agent' }, acme)).toBe('allowed');
    expect(one(operation, { ns: '', text: 'kind: Agent' }, acme)).toBe('allowed');
    expect(one(operation, { ns: '', text: 'kind: Agent' }, grant('viewer', { namespace: 'acme' }))).toBe('ROLE');
    expect(one(operation, { ns: 'other', text: 'kind: Agent' }, acme)).toBe('allowed');
    expect(one(operation, { ns: '', manifests: [document('Agent', {})] }, acme)).toBe('SCOPE');
    const assumed = grant('admin', { namespace: 'default' });
    expect(one(operation, { ns: '', manifests: [document('Agent', {})] }, assumed)).toBe('allowed');
    expect(one(operation, { ns: 'acme', manifests: [document('Agent', {})] }, acme)).toBe('allowed');
    const foreign = { ns: 'acme', manifests: [document('Agent', { namespace: 'other' })] };
    expect(one(operation, foreign, acme)).toBe('SCOPE');
    expect(one(operation, { manifests: [document('Namespace', { name: 'acme' })] }, acme)).toBe('SCOPE');
    expect(one(operation, { manifests: [document('Namespace', { name: 'acme:x' })] }, acme)).toBe('allowed');
  });

  it.each<[string, { readonly input: object; readonly grants: readonly CallerGrant[] }, string]>([
    [
      'GetAgent',
      { input: { ns: 'default', name: 'x' }, grants: [acme] },
      'not allowed in agent default/x; your grant is admin@acme',
    ],
    [
      'ListAgents',
      { input: { ns: 'default' }, grants: [acme] },
      'not allowed in namespace default; your grant is admin@acme',
    ],
    [
      'CreateAgent',
      {
        input: { ns: 'acme' },
        grants: [grant('viewer', { namespace: 'acme' }), grant('operator', { namespace: 'b', agent: 'c' })],
      },
      'role admin is required in namespace acme; your grants are viewer@acme, operator@b/c',
    ],
    [
      'ListAgents',
      { input: { ns: '-' }, grants: [acme] },
      'a grant on everything is required; your grant is admin@acme',
    ],
    [
      'CreateNamespace',
      { input: { name: 'new' }, grants: [grant('viewer')] },
      'role admin is required; your grant is viewer',
    ],
    ['ListAgents', { input: { ns: 'a' }, grants: [] }, 'not allowed in namespace a; you have no grants'],
    [
      'ListAgents',
      { input: { ns: 'a' }, grants: [...'bcdefgh'].map((namespace) => grant('viewer', { namespace })) },
      'not allowed in namespace a; your grants are viewer@b, viewer@c, viewer@d, viewer@e, viewer@f and 2 more',
    ],
  ])('of %s with %o are refused in words that name them and what one has', (name, { input, grants }, message) => {
    const method = methods.find((candidate) => candidate.name === name);
    if (method === undefined) throw new Error(name);
    const request = create(method.input, input as never);
    expect(() => authorizer.authorize(accessTo(`${gateway}/${name}`), request, caller(...grants))).toThrow(
      expect.objectContaining({ message }),
    );
  });

  it('say ROLE where the scope is right and the role is not', () => {
    const viewer = grant('viewer', { namespace: 'acme' });
    expect(one(`${gateway}/CreateAgent`, { ns: 'acme' }, viewer)).toBe('ROLE');
    expect(one(`${gateway}/CreateAgent`, { ns: 'other' }, viewer)).toBe('SCOPE');
  });
});

describe('secrets', () => {
  it('are shown by a covering grant that reads them, whatever its role', () => {
    const reader = caller(grant('viewer', { namespace: 'acme', readSecrets: true }), grant('admin'));
    expect(authorizer.readsSecrets(reader, { namespace: 'acme:x' })).toBe(true);
    expect(authorizer.readsSecrets(reader, { namespace: 'other' })).toBe(false);
  });
});

describe('a grant lies within another', () => {
  it.each([
    [grant('admin'), grant('viewer', { namespace: 'a' }), true],
    [grant('viewer'), grant('admin'), false],
    [grant('admin', { namespace: 'a' }), grant('admin', { namespace: 'a:b', agent: 'x' }), true],
    [grant('admin', { namespace: 'a' }), grant('admin'), false],
    [grant('admin'), grant('viewer', { readSecrets: true }), false],
  ])('%o, %o: %s', (outer, inner, expected) => {
    expect(coversGrant(outer, inner, ancestorsOf)).toBe(expected);
  });
});

describe('authorisation by the names of a request, before it is decoded', () => {
  const SEND = 'svc.gateway.GatewayService/SendMessage';
  const early = (method: string, [names, isComplete]: readonly [object, boolean], ...grants: CallerGrant[]): string => {
    try {
      authorizer.authorizeEarly(accessTo(method), { names, isComplete }, caller(...grants));
      return 'may continue';
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };

  it('refuses a caller without grants, or with none of the role, whatever the request says', () => {
    for (const isComplete of [true, false]) {
      expect(early(SEND, [{}, isComplete])).toBe('PERMISSION_DENIED');
      expect(early(SEND, [{ ns: 'acme' }, isComplete], grant('viewer'))).toBe('PERMISSION_DENIED');
      expect(early(SEND, [{ ns: 'acme' }, isComplete], grant('operator'))).toBe('may continue');
    }
  });

  it('refuses what the path names outside of every grant', () => {
    const scoped = grant('operator', { namespace: 'acme', agent: 'a1' });
    expect(early(SEND, [{ ns: 'other' }, false], scoped)).toBe('PERMISSION_DENIED');
    expect(early(SEND, [{ ns: 'acme' }, false], scoped)).toBe('may continue');
    expect(early(SEND, [{ ns: 'acme:team' }, false], grant('operator', { namespace: 'acme' }))).toBe('may continue');
  });

  it('judges complete names as it judges the request', () => {
    const scoped = grant('operator', { namespace: 'acme', agent: 'a1' });
    expect(early(SEND, [{ ns: 'acme', agent: 'a2' }, true], scoped)).toBe('PERMISSION_DENIED');
    expect(early(SEND, [{ ns: 'acme', agent: 'a1' }, true], scoped)).toBe('may continue');
  });

  it('leaves what names its targets in lists to the decoded request, given any grant of the role', () => {
    const batch = 'svc.gateway.GatewayService/StreamSessionPartsBatch';
    expect(early(batch, [{}, true], grant('viewer', { namespace: 'acme' }))).toBe('may continue');
    expect(early(batch, [{}, true])).toBe('PERMISSION_DENIED');
    const apply = 'svc.gateway.ResourceService/ApplyManifests';
    expect(early(apply, [{}, true], grant('admin', { namespace: 'acme' }))).toBe('may continue');
    expect(early(apply, [{}, true], grant('operator'))).toBe('PERMISSION_DENIED');
  });

  it('never refuses what the whole request is allowed', () => {
    for (const { service, name, input } of methods) {
      const access = accessTo(`${service}/${name}`);
      const request = requestFor(input) as object;
      for (const role of ['viewer', 'operator', 'admin'] as const)
        for (const scope of [{}, { namespace: 'acme' }, { namespace: 'acme:team', agent: 'a1' }]) {
          const held = caller(grant(role, scope));
          const isAllowed = ((): boolean => {
            try {
              authorizer.authorize(access, request, held);
              return true;
            } catch {
              return false;
            }
          })();
          if (!isAllowed) continue;
          expect(() => authorizer.authorizeEarly(access, { names: request, isComplete: true }, held)).not.toThrow();
          expect(() => authorizer.authorizeEarly(access, { names: request, isComplete: false }, held)).not.toThrow();
          expect(() => authorizer.authorizeEarly(access, { names: {}, isComplete: false }, held)).not.toThrow();
        }
    }
  });
});
