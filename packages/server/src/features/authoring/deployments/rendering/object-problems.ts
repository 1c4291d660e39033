import type { Fault } from '../../../../base/index.ts';
import type { KindRow, RecordKey } from '../../../../resources/index.ts';
import { findKind, recordKey } from '../../../../resources/index.ts';
import { type FieldConflict, fieldPointer, pointerParts } from '../../../../resources/merge/index.ts';

/** Why an object is not as its template says, as `conflicts` of a replica tells it. */
export interface ObjectProblem {
  readonly template: string;
  /** Of the object; of a template that is missing `Template/name`. */
  readonly id: string;
  /** '' for the object as a whole. */
  readonly pointer: string;
  readonly reason: string;
  /** For people; no values. */
  readonly message: string;
}

/** `Kind/name`, with the parent before the name where the kind has one. */
export const objectId = ({ kind, parent, name }: RecordKey): string =>
  [kind, ...(parent === '' ? [] : [parent]), name].join('/');

/** The key that such a text means in a namespace; undefined when it names no kind. */
export const objectKey = (
  id: string,
  namespace: string,
): { readonly key: RecordKey; readonly row: KindRow } | undefined => {
  const [kind = '', ...rest] = id.split('/');
  const row = findKind(kind);
  if (row === undefined) return undefined;
  const parent = row.parent === undefined ? '' : (rest.shift() ?? '');
  return { row, key: { ...recordKey(kind, namespace, rest.join('/')), parent } };
};

/** `Kind/name#<pointer>: <reason>`. */
export const problemText = ({ id, pointer, reason }: ObjectProblem): string => `${id}#${pointer}: ${reason}`;

/** RenderFailed with line and column of an offset in the template's text. */
export const renderReason = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split('\n');
  return `RenderFailed:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
};

/** Invalid with the field that a pointer means. */
export const invalidReason = (pointer: string): string => `Invalid:${pointerParts(pointer).join('.')}`;

interface Subject {
  readonly template: string;
  readonly id: string;
}

/** A template that is in none of the places that are searched. */
export const missingTemplate = (name: string): ObjectProblem => ({
  template: name,
  id: `Template/${name}`,
  pointer: '',
  reason: 'TemplateMissing',
  message: 'the template is missing',
});

/** A field that somebody else manages, or that has another value which no one manages. */
export const fieldProblem = (subject: Subject, { pointer, manager }: FieldConflict): ObjectProblem => ({
  template: subject.template,
  id: subject.id,
  pointer,
  reason: manager === '' ? 'ExistingValue' : `OwnedBy:${manager}`,
  message: manager === '' ? 'has another value that no one manages' : `is managed by ${manager}`,
});

/** What a refused write says: every field of it, or the refusal as a whole. */
export const refusedWrite = (subject: Subject, fault: Fault): readonly ObjectProblem[] => {
  const base = { template: subject.template, id: subject.id };
  if (fault.code === 'PERMISSION_DENIED') return [{ ...base, pointer: '', reason: 'Denied', message: fault.message }];
  if (fault.violations.length === 0)
    return [{ ...base, pointer: '/spec', reason: 'Invalid:spec', message: `${fault.message} (${fault.reason})` }];
  return fault.violations.map(({ field, description }) => ({
    ...base,
    pointer: fieldPointer(field),
    reason: `Invalid:${field}`,
    message: description,
  }));
};
