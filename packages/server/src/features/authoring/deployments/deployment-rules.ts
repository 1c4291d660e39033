import { createHash } from 'node:crypto';
import type { DeploymentSpec } from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';
import type { OriginGrant } from '../../../controllers/contract.ts';
import {
  canonicalJson,
  checkLabels,
  isName,
  type LabelLimits,
  leafName,
  nameForm,
  SYSTEM_NAMESPACE,
  withoutPrivate,
} from '../../../resources/index.ts';

const TEMPLATES_MAX = 100;
/** How much a deployment may select and render, and how much of it at once. */
export interface DeploymentLimits {
  /** `limits.deploymentReplicasMax`. */
  readonly replicas: number;
  /** `limits.renderedObjectMax`: bytes of one rendered object as canonical JSON. */
  readonly objectBytes: number;
  /** `limits.renderConcurrency`: replicas that are reconciled at a time. */
  readonly concurrency: number;
}

/**
 * The limits of a server that configures none.
 * @internal For tests; the server gets its limits from the configuration.
 */
export const defaultDeploymentLimits: DeploymentLimits = { replicas: 5_000, objectBytes: 1024 * 1024, concurrency: 8 };
const NAME_MAX = 253;
const LEAF_MAX = 63;
const HASH_CHARS = 8;
/** Names of replicas are names too: the deployment's, `--`, a segment, `-` and the hash. */
const DEPLOYMENT_NAME_MAX = NAME_MAX - '--'.length - LEAF_MAX - '-'.length - HASH_CHARS;

/** Labels of a replica; the first is on rendered objects too. */
export const DEPLOYMENT_LABEL = 'svc/deployment';
/** Label of a replica: the namespace that it renders into. */
export const TARGET_LABEL = 'svc/target-namespace';
/** Annotation of a rendered object: `ns/name` of the replica that looks after it. */
export const REPLICA_ANNOTATION = 'svc/replica';
/** Annotation of an object that a deployment made: the manager that deletes it at its withdrawal; private. */
export const CREATED_BY = 'svc/~created-by';
/** Annotation by which rendered objects stay when their deployment withdraws. */
export const KEEP = 'option.svc/keep';

/** What a deployment needs to know of a namespace. */
export interface TargetNamespace {
  readonly name: string;
  /** '' for a root. */
  readonly parent: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isDeleted: boolean;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** The apply manager in whose name a deployment owns fields. */
export const managerOf = ({ namespace, name }: Named): string => `deployment:${namespace}/${name}`;

/** Name of the replica for a namespace; other namespaces have others. */
export const replicaName = (deployment: string, namespace: string): string => {
  const hash = createHash('sha256').update(namespace).digest('hex').slice(0, HASH_CHARS);
  return `${deployment}--${leafName(namespace)}-${hash}`;
};

/** The namespace whose children are selected; '' = the roots. */
export const selectorParent = (namespace: string, spec: DeploymentSpec): string => {
  const parent = spec.placement?.namespaceSelector?.parent ?? '';
  if (parent !== '') return parent;
  return namespace === SYSTEM_NAMESPACE ? '' : namespace;
};

/** True for a live child of the selected parent whose labels contain all that are asked for. */
export const isSelected = (deployment: Named & { readonly spec: DeploymentSpec }, target: TargetNamespace): boolean => {
  const parent = selectorParent(deployment.namespace, deployment.spec);
  if (target.isDeleted || target.parent !== parent) return false;
  if (parent === '' && target.name === SYSTEM_NAMESPACE) return false;
  const wanted = Object.entries(deployment.spec.placement?.namespaceSelector?.matchLabels ?? {});
  return wanted.every(([key, value]) => Object.hasOwn(target.labels, key) && target.labels[key] === value);
};

/**
 * Those of the selection that have a replica already, and others up to `limit` in all: none is pushed out and loses what was
 * rendered for it, also not by a limit that was lowered.
 */
export const servedNames = (
  selected: readonly string[],
  present: ReadonlySet<string>,
  limit: number,
): readonly string[] => {
  const kept = selected.filter((name) => present.has(name));
  const others = selected.filter((name) => !present.has(name));
  return [...kept, ...others.slice(0, Math.max(0, limit - kept.length))];
};

/** All faults of a deployment's name and fields. */
export const checkDeployment = (
  deployment: { readonly name: string; readonly spec: DeploymentSpec },
  limits: LabelLimits,
): readonly FieldViolation[] => {
  const { name, spec } = deployment;
  const { parent = '', matchLabels = {} } = spec.placement?.namespaceSelector ?? {};
  const at = 'spec.placement.namespaceSelector';
  return [
    ...(name.length <= DEPLOYMENT_NAME_MAX
      ? []
      : [violation('metadata.name', `of a Deployment has at most ${DEPLOYMENT_NAME_MAX} characters`)]),
    ...(parent === '' || isName('namespace', parent)
      ? []
      : [violation(`${at}.parent`, `must be ${nameForm.namespace}`)]),
    ...checkLabels(matchLabels, `${at}.matchLabels`, limits),
    ...checkTemplates(spec.templates),
  ];
};

const checkTemplates = (names: readonly string[]): readonly FieldViolation[] => {
  if (names.length === 0 || names.length > TEMPLATES_MAX)
    return [violation('spec.templates', `must name 1 to ${TEMPLATES_MAX} templates`, 'TEMPLATES')];
  return names.flatMap((name, index) => {
    const at = `spec.templates[${index}]`;
    if (!isName('plain', name)) return [violation(at, `must be ${nameForm.plain}`, 'TEMPLATES')];
    return names.indexOf(name) === index ? [] : [violation(at, 'is named twice', 'TEMPLATES')];
  });
};

/**
 * True when the writer may have the children of that parent changed: it lies in the deployment's own subtree, or an admin grant
 * covers it. The roots are below no namespace, so that only an unscoped grant covers them.
 */
export const mayPlace = (
  place: { readonly namespace: string; readonly parent: string },
  by: { readonly grants: readonly OriginGrant[]; readonly ancestorsOf: (namespace: string) => readonly string[] },
): boolean => {
  const { namespace, parent } = place;
  const line = parent === '' ? [] : [parent, ...by.ancestorsOf(parent)];
  return line.includes(namespace) || coversLine(by.grants, line);
};

/** True when an admin grant covers one of these namespaces, of which each is above the one before it; none = the roots. */
export const coversLine = (grants: readonly OriginGrant[], line: readonly string[]): boolean =>
  grants.some(
    (grant) =>
      grant.role === 'admin' &&
      grant.agent === undefined &&
      grant.channel === undefined &&
      (grant.namespace === undefined || line.includes(grant.namespace)),
  );

/** What of a record enters a rendering. */
interface Rendered {
  readonly key: Named;
  readonly uid: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Names a generation of a deployment together with the templates it means; a replica of another one is out of date. */
export const renderingVersion = (deployment: Rendered, templates: readonly (Rendered | undefined)[]): string => {
  const facts = [deployment, ...templates].map((record) =>
    record === undefined
      ? null
      : [
          record.key.namespace,
          record.uid,
          record.generation,
          withoutPrivate(record.labels),
          withoutPrivate(record.annotations),
        ],
  );
  return createHash('sha256').update(canonicalJson(facts)).digest('hex');
};
