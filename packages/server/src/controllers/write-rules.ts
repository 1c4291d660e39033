import type { FieldViolation } from '../base/index.ts';
import {
  checkAnnotations,
  checkLabels,
  checkSystemKeys,
  findKind,
  isName,
  keepSystemKeys,
  type LabelLimits,
  type NameRule,
  nameForm,
  sameMap,
  sortKeys,
} from '../resources/index.ts';
import type {
  ResourceDraft,
  ResourceKey,
  ResourceSection,
  StoredOwner,
  StoredResource,
  WriteTx,
} from '../store/contracts/index.ts';
import type { DesiredResource, SystemKeys, WriteInput } from './contract.ts';

type TextMap = Readonly<Record<string, string>>;

const OWNERS_MAX = 16;
const FINALIZERS_MAX = 32;
const FINALIZER = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const SYSTEM_FINALIZER = 'svc/';

/** Faults of the name by the rule of the kind. */
export const checkName = (rule: NameRule, key: ResourceKey, path: string): readonly FieldViolation[] =>
  isName(rule, key.name)
    ? []
    : [
        {
          field: `${path}name`,
          description: `must be ${nameForm[rule]}`,
          reason: findKind(key.kind)?.nameReason ?? 'FIELD_INVALID',
        },
      ];

export interface MetadataCheck {
  readonly wanted: DesiredResource;
  readonly current: StoredResource | undefined;
  /** Prefix of the field paths. */
  readonly path: string;
  readonly limits: LabelLimits;
}

/** Faults of labels, annotations, owners and finalizers as the caller sent them. */
export const checkMetadata = (check: MetadataCheck): readonly FieldViolation[] => {
  const { wanted, current, path, limits } = check;
  const { labels = {}, annotations = {} } = wanted;
  return [
    ...checkLabels(labels, `${path}labels`, limits),
    ...checkSystemKeys(current?.labels ?? {}, labels, `${path}labels`),
    ...checkAnnotations(annotations, `${path}annotations`, limits),
    ...checkSystemKeys(current?.annotations ?? {}, annotations, `${path}annotations`),
    ...checkOwners(wanted.owners ?? [], path),
    ...checkFinalizers(wanted.finalizers, current?.finalizers ?? [], path),
  ];
};

const checkOwners = (owners: readonly StoredOwner[], path: string): readonly FieldViolation[] => {
  const field = `${path}ownerReferences`;
  const fault = (description: string): FieldViolation => ({ field, description, reason: 'OWNER_REFERENCE' });
  return [
    ...(owners.length > OWNERS_MAX ? [fault(`more than ${OWNERS_MAX} owners`)] : []),
    ...(owners.filter((owner) => owner.controller).length > 1 ? [fault('more than one controller')] : []),
    ...(owners.some((owner) => owner.uid === '' || owner.kind === '' || owner.name === '')
      ? [fault('kind, name and uid of an owner are required')]
      : []),
  ];
};

const checkFinalizers = (
  wanted: readonly string[] | undefined,
  current: readonly string[],
  path: string,
): readonly FieldViolation[] => {
  if (wanted === undefined) return [];
  const field = `${path}finalizers`;
  const fault = (description: string): FieldViolation => ({ field, description, reason: 'FIELD_INVALID' });
  const changed = [
    ...wanted.filter((name) => !current.includes(name)),
    ...current.filter((name) => !wanted.includes(name)),
  ];
  return [
    ...(wanted.length > FINALIZERS_MAX ? [fault(`more than ${FINALIZERS_MAX} finalizers`)] : []),
    ...wanted
      .filter((name) => !FINALIZER.test(name))
      .map((name) => fault(`"${name.slice(0, 80)}" is not of the form domain/name`)),
    ...changed
      .filter((name) => name.startsWith(SYSTEM_FINALIZER))
      .map((name) => fault(`${name} belongs to its controller`)),
  ];
};

/** Owners that live neither in the resource's namespace nor in one of its ancestors. */
export const checkOwnerNamespaces = (
  owners: readonly StoredOwner[],
  visible: ReadonlySet<string>,
  path: string,
): readonly FieldViolation[] =>
  owners
    .filter((owner) => !visible.has(owner.namespace))
    .map((owner) => ({
      field: `${path}ownerReferences`,
      description: `owner ${owner.kind} ${owner.name} lives neither in this namespace nor in an ancestor`,
      reason: 'OWNER_REFERENCE',
    }));

/** Namespaces go with their parent, their contents first; the collector of owned resources knows nothing of that. */
export const ownedNamespace = (path: string): FieldViolation => ({
  field: `${path}ownerReferences`,
  description: 'a Namespace has no owner, it goes with its parent',
  reason: 'OWNER_REFERENCE',
});

/** The map to store: what the caller wants (or has), the system's keys, and the program's own changes. */
export const settleMap = (
  current: TextMap,
  wanted: TextMap | undefined,
  system: Readonly<Record<string, string | undefined>> = {},
): TextMap => {
  const base = wanted === undefined ? { ...current } : keepSystemKeys(current, wanted);
  for (const [key, value] of Object.entries(system)) {
    if (value === undefined) delete base[key];
    else base[key] = value;
  }
  return sortKeys(base);
};

/** Two sets of system keys as one; the second wins. */
export const joinSystemKeys = (first: SystemKeys | undefined, second: SystemKeys | undefined): SystemKeys => ({
  labels: { ...first?.labels, ...second?.labels },
  annotations: { ...first?.annotations, ...second?.annotations },
});

/** True when both lists name the same owners, in the same order. */
export const sameOwners = (left: readonly StoredOwner[], right: readonly StoredOwner[]): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** The uid that a new resource asks for, when it is free. */
export const keptUid = async (tx: WriteTx, { uid = '' }: WriteInput): Promise<string | undefined> =>
  uid !== '' && (await tx.resources.claimUid(uid)) ? uid : undefined;

/** The sections in which a draft differs from what is stored. */
export const changedSections = (before: StoredResource, after: ResourceDraft): readonly ResourceSection[] => {
  const isMetadata =
    !sameMap(before.labels, after.labels) ||
    !sameMap(before.annotations, after.annotations) ||
    !sameOwners(before.owners, after.owners) ||
    JSON.stringify(before.finalizers) !== JSON.stringify(after.finalizers);
  return [
    ...(isMetadata ? (['metadata'] as const) : []),
    ...(before.spec === after.spec ? [] : (['spec'] as const)),
    ...(before.status === after.status ? [] : (['status'] as const)),
  ];
};
