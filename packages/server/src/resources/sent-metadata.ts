import type { FieldViolation } from '../base/index.ts';
import { refusal } from './labels.ts';
import type { ResourceRecord } from './record.ts';

interface Sent {
  readonly finalizers: readonly string[] | undefined;
  /** Uids. */
  readonly owners: readonly string[] | undefined;
}

/**
 * A body that was read and changed may send finalizers and owners back as they are stored; another value is refused, because the
 * operation would lose it in silence. Throws FIELD_INVALID.
 */
export const requireKept = (
  sent: Sent | undefined,
  current: Pick<ResourceRecord, 'finalizers' | 'owners'>,
  operation: string,
): void => {
  const owners = current.owners.map(({ uid }) => uid);
  const faults = [
    ...changed('finalizers', sent?.finalizers, current.finalizers),
    ...changed('ownerReferences', sent?.owners, owners),
  ].map((field): FieldViolation => {
    const description = `differs from what is stored, and ${operation} does not change it: ApplyResource with the resourceVersion does`;
    return { field: `metadata.${field}`, description, reason: 'FIELD_INVALID' };
  });
  if (faults.length > 0) throw refusal(faults);
};

const changed = (field: string, sent: readonly string[] | undefined, stored: readonly string[]): readonly string[] =>
  sent === undefined || isSameSet(new Set(sent), new Set(stored)) ? [] : [field];

const isSameSet = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  left.size === right.size && left.isSubsetOf(right);
