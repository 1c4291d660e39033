import { create } from '@bufbuild/protobuf';
import { type NamespaceSpec, type NamespaceStatus, NamespaceStatusSchema } from '@svc/api/resources';
import type { FieldViolation } from '../../../base/index.ts';
import {
  ANCESTORS_MAX,
  DEFAULT_NAMESPACE,
  type Finding,
  isName,
  judgedConditions,
  nameForm,
  parseJsonMap,
  pathParent,
  type ResourceRecord,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';

/** Label that lets children be found by parent; private, '' for roots. */
export const PARENT_LABEL = 'svc/~parent';
/** Annotation with the ancestors, nearest first, joined by commas; private. */
export const ANCESTORS_ANNOTATION = 'svc/~ancestors';
/** Annotation of a namespace whose contents are being removed; private. */
export const PURGING_ANNOTATION = 'svc/~purging';
/** Annotation of descendants that were deleted together with an ancestor; names that deletion. */
export const DELETED_WITH = 'svc/deleted-with';

/** What the product needs to know of a namespace. */
export interface NamespaceState {
  readonly name: string;
  readonly parent: string;
  /** Nearest first. */
  readonly ancestors: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isDeleted: boolean;
  readonly deletedAt: number;
  readonly isPurging: boolean;
}

/** Reads the state out of a record. */
export const namespaceState = (record: ResourceRecord): NamespaceState => {
  const status = parseJsonMap(record.status) ?? {};
  const ancestors = record.annotations[ANCESTORS_ANNOTATION] ?? '';
  return {
    name: record.key.name,
    parent: record.labels[PARENT_LABEL] ?? '',
    ancestors: ancestors === '' ? [] : ancestors.split(','),
    labels: record.labels,
    annotations: record.annotations,
    isDeleted: status['isDeleted'] === true,
    deletedAt: Number(status['deletedAt'] ?? 0),
    isPurging: record.annotations[PURGING_ANNOTATION] !== undefined,
  };
};

/** Names a deletion: descendants marked with it come back together with its root. */
export const deletionMark = (root: string, deletedAt: number): string => `${root}@${deletedAt}`;

/** True for the namespaces that cannot be deleted. */
export const isProtected = (name: string): boolean => name === SYSTEM_NAMESPACE || name === DEFAULT_NAMESPACE;

/** The parent a namespace gets: by its name, else the one that is asked for. */
export const parentFor = (name: string, asked: string): string => (name.includes(':') ? pathParent(name) : asked);

/** Faults of name and parent as they were sent; `asked` '' = no parent was named. */
export const checkPlace = (name: string, asked: string): readonly FieldViolation[] => {
  const faults: FieldViolation[] = [];
  if (!isName('namespace', name))
    faults.push({ field: 'name', description: `must be ${nameForm.namespace}`, reason: 'FIELD_INVALID' });
  if (asked !== '' && !isName('namespace', asked))
    faults.push({ field: 'parent', description: `must be ${nameForm.namespace}`, reason: 'FIELD_INVALID' });
  if (asked !== '' && name.includes(':') && asked !== pathParent(name))
    faults.push({ field: 'parent', description: `is ${pathParent(name)} by the name`, reason: 'PARENT_MISMATCH' });
  if (asked !== '' && `${asked}:`.startsWith(`${name}:`))
    faults.push({
      field: 'parent',
      description: 'must not be the namespace itself or below it',
      reason: 'PARENT_MISMATCH',
    });
  return faults;
};

/** Fault of a parent that differs from the one the namespace has. */
export const parentMismatch = (actual: string): FieldViolation => ({
  field: 'parent',
  description: actual === '' ? 'the namespace has no parent' : `the parent is ${actual} and never changes`,
  reason: 'PARENT_MISMATCH',
});

/** Fault of a place too deep in the tree. */
export const checkDepth = (ancestors: readonly string[]): readonly FieldViolation[] =>
  ancestors.length <= ANCESTORS_MAX
    ? []
    : [{ field: 'name', description: `has more than ${ANCESTORS_MAX} ancestors`, reason: 'FIELD_INVALID' }];

/** Faults of the spec itself: the parent of a name with `:` is given by the name. */
export const checkSpec = (name: string, spec: NamespaceSpec): readonly FieldViolation[] =>
  name.includes(':') && spec.parent !== pathParent(name)
    ? [{ field: 'spec.parent', description: `is ${pathParent(name)} by the name`, reason: 'PARENT_MISMATCH' }]
    : [];

export interface Judgement {
  readonly now: number;
  readonly generation: number;
  /** Micros, 0 = alive. */
  readonly deletedAt: number;
  readonly findings?: readonly Finding[];
}

/** Status of a namespace that is alive or a tombstone. */
export const judgeNamespace = (previous: NamespaceStatus | undefined, judgement: Judgement): NamespaceStatus => {
  const { deletedAt, findings = [] } = judgement;
  const all: readonly Finding[] =
    deletedAt === 0
      ? findings
      : [{ type: 'Ready', status: 'False', reason: 'Terminating', message: 'the namespace is deleted' }, ...findings];
  const phase = deletedAt === 0 ? 'Ready' : 'Terminating';
  return create(NamespaceStatusSchema, {
    observedGeneration: BigInt(judgement.generation),
    phase,
    conditions: judgedConditions(previous?.conditions ?? [], { phase, findings: all }, judgement),
    isDeleted: deletedAt !== 0,
    deletedAt: BigInt(deletedAt),
  });
};
