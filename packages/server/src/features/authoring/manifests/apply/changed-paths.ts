import { isJsonMap, type JsonData, type JsonMap, parseJsonMap, withoutPrivate } from '../../../../resources/index.ts';
import { pointerPart } from '../../../../resources/merge/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';

/** What callers write of a resource, as one JSON value; values of classes A and C stay as the record holds them. */
export const writtenForm = (record: StoredResource | undefined): JsonMap => {
  if (record === undefined) return {};
  return {
    metadata: {
      labels: withoutPrivate(record.labels),
      annotations: withoutPrivate(record.annotations),
      ownerReferences: record.owners.map((owner) => ({ ...owner })),
      finalizers: record.finalizers,
    },
    spec: parseJsonMap(record.spec) ?? {},
  };
};

/** JSON pointers at which two values differ: objects by member, arrays as one. */
export const changedPaths = (before: JsonData | undefined, after: JsonData | undefined, at = ''): string[] => {
  if (isJsonMap(before) || isJsonMap(after)) {
    const [left, right] = [asMap(before), asMap(after)];
    if (left !== undefined && right !== undefined) {
      const members = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
      return members.flatMap((member) => changedPaths(left[member], right[member], `${at}/${pointerPart(member)}`));
    }
  }
  return JSON.stringify(before) === JSON.stringify(after) || isNothing(before, after) ? [] : [at];
};

/** Absent counts as an object without members, so that every new leaf is named. */
const asMap = (value: JsonData | undefined): JsonMap | undefined => {
  if (value === undefined) return {};
  return isJsonMap(value) ? value : undefined;
};

const isNothing = (before: JsonData | undefined, after: JsonData | undefined): boolean =>
  (before === undefined && Array.isArray(after) && after.length === 0) ||
  (after === undefined && Array.isArray(before) && before.length === 0);
