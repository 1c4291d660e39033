import { DEFAULT_NAMESPACE, parseSessionName, pathParent, SYSTEM_NAMESPACE } from '../resources/index.ts';
import type { AccessTarget, TargetRule } from './contract.ts';

/** Names in requests, by the fields that all messages share; absent fields are undefined. */
interface NamedRequest {
  readonly ns?: string;
  readonly name?: string;
  readonly agent?: string;
  readonly sessionId?: string;
  readonly channel?: string;
  readonly kind?: string;
  readonly parent?: string;
  readonly sessionNames?: readonly string[];
  readonly sessions?: readonly { readonly ns: string; readonly agent: string; readonly sessionId: string }[];
  readonly manifests?: readonly ManifestNames[];
}

/** Fields that may name the target of an operation by one text, as requests have them when they are decoded. */
export const TARGET_NAMES: ReadonlySet<string> = new Set<keyof NamedRequest>([
  'ns',
  'name',
  'agent',
  'sessionId',
  'channel',
  'kind',
  'parent',
]);

interface ManifestNames {
  readonly kind: string;
  readonly metadata?: { readonly namespace: string; readonly name: string };
}

/** `all` needs an unscoped grant; `own` any grant; otherwise every target must be covered. */
export type Targets = 'all' | 'own' | readonly AccessTarget[];

const ANY_NAMESPACE = '-';

/** What an operation reads or changes, by the names in its request, whether they exist or not. */
export const targetsOf = (rule: TargetRule, message: unknown): Targets => {
  const request = message as NamedRequest;
  switch (rule) {
    case 'fields':
      return request.kind === 'Namespace' ? ownNamespace(request) : fieldTarget(request);
    case 'readable-fields':
      return readableTarget(request);
    case 'written-resource':
      return request.kind === 'Namespace' ? parentNamespace(request) : fieldTarget(request);
    case 'agent-name':
      return [{ namespace: request.ns ?? '', agent: request.name ?? '' }];
    case 'channel-name':
      return [{ namespace: request.ns ?? '', channel: request.name ?? '' }];
    case 'channel':
      return [{ namespace: request.ns ?? '', channel: request.channel ?? '' }];
    case 'namespace-name':
      return [{ namespace: request.name ?? '' }];
    case 'namespace-parent':
      return inParent(request.name ?? '');
    case 'namespace-list':
      return request.parent === undefined || request.parent === '' ? 'own' : [{ namespace: request.parent }];
    case 'system':
      return [{ namespace: SYSTEM_NAMESPACE }];
    case 'batch':
      return batchTargets(request);
    case 'manifests':
      return manifestTargets(request);
    case 'audit':
      return request.ns === undefined || request.ns === '' ? 'all' : [{ namespace: request.ns }];
    case 'unscoped':
      return 'all';
    case 'own':
      return 'own';
  }
};

/** A namespace belongs to its parent; a root name to no one. */
const inParent = (name: string): Targets => {
  const parent = pathParent(name);
  return parent === '' ? 'all' : [{ namespace: parent }];
};

const fieldTarget = ({ ns = '', agent = '', sessionId = '' }: NamedRequest): Targets => {
  if (ns === ANY_NAMESPACE) return 'all';
  return [
    {
      namespace: ns,
      ...(agent === '' ? {} : { agent }),
      ...(sessionId === '' ? {} : { session: sessionId }),
    },
  ];
};

const readableTarget = (request: NamedRequest): Targets =>
  request.ns === ANY_NAMESPACE ? 'own' : fieldTarget(request);

const ownNamespace = ({ ns = '', name = '' }: NamedRequest): Targets =>
  ns === ANY_NAMESPACE ? 'all' : [{ namespace: name === '' ? ns : name }];

const parentNamespace = ({ ns = '', name = '' }: NamedRequest): Targets =>
  ns === ANY_NAMESPACE ? 'all' : inParent(name);

/** Malformed names are left to validation, which refuses the whole request. */
const batchTargets = (request: NamedRequest): Targets => {
  const named = (request.sessionNames ?? []).map(parseSessionName).filter((address) => address !== undefined);
  return [
    ...named.map((address) => ({ namespace: address.namespace, agent: address.agent, session: address.sessionId })),
    ...(request.sessions ?? []).map((key) => ({ namespace: key.ns, agent: key.agent, session: key.sessionId })),
  ];
};

/**
 * The namespaces of messages. Documents of a text name their own; `ns` applies only to documents without one. The operation checks
 * each document, and what it prunes, so here any grant with the role is enough.
 */
const manifestTargets = (request: NamedRequest): Targets => {
  const manifests = request.manifests ?? [];
  if (manifests.length === 0) return 'own';
  const targets: AccessTarget[] = [];
  for (const manifest of manifests) {
    const { namespace = '', name = '' } = manifest.metadata ?? {};
    if (manifest.kind !== 'Namespace') targets.push({ namespace: namespace || request.ns || DEFAULT_NAMESPACE });
    else if (pathParent(name) === '') return 'all';
    else targets.push({ namespace: pathParent(name) });
  }
  return targets;
};
