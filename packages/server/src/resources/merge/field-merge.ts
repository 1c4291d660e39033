import { canonicalJson, isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';
import { leavesOf, readAt, setAt } from './json-pointers.ts';

/**
 * Three-way merge per JSON pointer between what a manager applied last, what it wants now and what is live. Arrays are
 * one pointer, maps and messages go by leaf. Absent and null mean the default of a field. Values of owned pointers are known as
 * digests only, so that no secret is kept twice.
 */
export interface OwnedField {
  /** Digest of the value as the manager said it. */
  readonly said: string;
  /** Digest of the value as it was stored, after the defaults of the kind. */
  readonly stored: string;
  /** Another manager took the field over by force. */
  readonly isTaken?: boolean;
}

/** Owned fields by pointer, of one manager. */
export type OwnedFields = Readonly<Record<string, OwnedField>>;
/** By manager. */
export type Ownership = Readonly<Record<string, OwnedFields>>;

export interface MergeInput {
  readonly manager: string;
  /** What the manager wants: `metadata.labels`, `metadata.annotations`, `spec`. */
  readonly wanted: JsonMap;
  readonly live: JsonMap;
  readonly ownership: Ownership;
  /** Takes fields of other managers over. */
  readonly force: boolean;
  /** Command lines set fields that no one owns; deployments report a conflict. */
  readonly setsUnowned: boolean;
  /**
   * Pointers whose wanted values the caller wrote but may not read: no verdict depends on the values that are stored or that were
   * applied before, or a caller could guess them.
   */
  readonly isUnseen?: (pointer: string) => boolean;
  /** Digest of a value at a pointer. */
  readonly digest: (pointer: string, value: JsonData) => string;
}

export interface FieldConflict {
  readonly pointer: string;
  /** '' where no one owns the field. */
  readonly manager: string;
}

export interface MergeResult {
  readonly merged: JsonMap;
  readonly conflicts: readonly FieldConflict[];
  /** Pointers that others had changed and that are set back. */
  readonly repaired: readonly string[];
  /** Pointers that change because the manager wants something else than before. */
  readonly changed: readonly string[];
  /** Pointers the manager owns from now on, with its values. */
  readonly owned: ReadonlyMap<string, JsonData>;
  /** Pointers taken from others by force. */
  readonly taken: readonly string[];
}

type Verdict = 'keep' | 'set' | 'repair' | 'remove' | 'conflict' | 'take';

/** Merges field by field: a manager changes what it owns, and what it no longer names goes. Never changes its arguments. */
export const mergeFields = (input: MergeInput): MergeResult => {
  const wanted = leavesOf(input.wanted);
  const mine = input.ownership[input.manager] ?? {};
  let merged: JsonMap = input.live;
  const found = {
    conflicts: [] as FieldConflict[],
    repaired: [] as string[],
    changed: [] as string[],
    taken: [] as string[],
  };
  const put = (pointer: string, value: JsonData | null): void => {
    merged = setAt(merged, pointer, value);
  };
  // What goes goes first: a map may become a single value.
  const leftOut = Object.keys(mine).filter((pointer) => !wanted.has(pointer));
  for (const pointer of [...leftOut.sort(), ...[...wanted.keys()].sort()]) {
    const value = wanted.get(pointer);
    const isFree = readAt(merged, pointer) === undefined;
    const facts = { pointer, value, live: readAt(input.live, pointer), isFree, before: mine[pointer] };
    const verdict = judge(input, facts);
    if (verdict === 'conflict') found.conflicts.push({ pointer, manager: rivals(input, facts)[0]?.manager ?? '' });
    if (verdict === 'take')
      found.taken.push(...new Set([pointer, ...rivals(input, facts).map((rival) => rival.pointer)]));
    if (verdict === 'repair') found.repaired.push(pointer);
    if (verdict === 'set' || verdict === 'take' || verdict === 'remove') found.changed.push(pointer);
    if (verdict === 'remove') put(pointer, null);
    else if (verdict !== 'keep' && verdict !== 'conflict') put(pointer, value ?? null);
  }
  found.changed.sort();
  const refused = new Set(found.conflicts.map(({ pointer }) => pointer));
  return { merged: withEmptyMaps(merged, wanted, refused), owned: wanted, ...found };
};

/** What says only that something is there stays when all that was in it goes. */
const withEmptyMaps = (merged: JsonMap, wanted: ReadonlyMap<string, JsonData>, refused: ReadonlySet<string>): JsonMap =>
  [...wanted]
    .filter(([pointer, value]) => isEmptyMap(value) && !refused.has(pointer))
    .reduce((map, [pointer, value]) => (readAt(map, pointer) === undefined ? setAt(map, pointer, value) : map), merged);

interface Facts {
  readonly pointer: string;
  /** Undefined = the manager says nothing about it. */
  readonly value: JsonData | undefined;
  readonly live: JsonData | undefined;
  /** Nothing is there, once the manager's own fields are gone that it no longer says. */
  readonly isFree: boolean;
  readonly before: OwnedField | undefined;
}

const judge = (input: MergeInput, facts: Facts): Verdict => {
  const { pointer, value, live, isFree, before } = facts;
  if (value === undefined)
    return before === undefined || rivals(input, facts).length > 0 ? 'keep' : judgeLeftOut(input, facts, before);
  const isUnseen = input.isUnseen?.(pointer) === true;
  if (!isUnseen && sameValue(value, live)) return 'keep';
  const isOthers = rivals(input, facts).length > 0;
  if (before === undefined || before.isTaken === true)
    return judgeNew(input, isFree, isOthers || before?.isTaken === true);
  if (!isUnseen && before.said === input.digest(pointer, value))
    return isUntouched(input, facts, before) ? 'keep' : 'repair';
  if (!isOthers) return 'set';
  return input.force ? 'take' : 'conflict';
};

const judgeNew = (input: MergeInput, isFree: boolean, isOthers: boolean): Verdict => {
  if (isOthers) return input.force ? 'take' : 'conflict';
  if (isFree || input.setsUnowned || input.force) return 'set';
  return 'conflict';
};

/** The manager no longer says it: gone when it is still as it was stored, otherwise it is somebody else's. */
const judgeLeftOut = (input: MergeInput, facts: Facts, before: OwnedField): Verdict => {
  if (facts.live === undefined || before.isTaken === true) return 'keep';
  return isUntouched(input, facts, before) ? 'remove' : 'keep';
};

const isUntouched = (input: MergeInput, facts: Facts, before: OwnedField): boolean =>
  before.stored === input.digest(facts.pointer, facts.live ?? null);

interface Rival {
  readonly manager: string;
  readonly pointer: string;
}

/**
 * Fields of other managers that cannot stay as they are with the value: the same field, those inside of what becomes a single
 * value or a list, and a single value or list that would have to become a map.
 */
const rivals = (input: MergeInput, { pointer, value }: Pick<Facts, 'pointer' | 'value'>): readonly Rival[] => {
  const isSingle = value !== undefined && !isJsonMap(value);
  const isRival = (other: string): boolean => {
    if (other === pointer) return true;
    if (isSingle && other.startsWith(`${pointer}/`)) return true;
    return value !== undefined && pointer.startsWith(`${other}/`) && isSingleAt(input.live, other);
  };
  return Object.entries(input.ownership).flatMap(([manager, fields]) =>
    manager === input.manager
      ? []
      : Object.entries(fields)
          .filter(([other, { isTaken }]) => isTaken !== true && isRival(other))
          .map(([other]) => ({ manager, pointer: other })),
  );
};

const isSingleAt = (map: JsonMap, pointer: string): boolean => {
  const value = readAt(map, pointer);
  return value !== undefined && !isJsonMap(value);
};

const isEmptyMap = (value: JsonData): boolean => isJsonMap(value) && Object.keys(value).length === 0;

/** An empty map says only that something is there. */
const sameValue = (wanted: JsonData, live: JsonData | undefined): boolean => {
  if (isEmptyMap(wanted)) return isJsonMap(live);
  return isSameJson(wanted, live ?? null);
};

const isSameJson = (left: JsonData, right: JsonData): boolean =>
  left === right ||
  (typeof left === 'object' && typeof right === 'object' && canonicalJson(left) === canonicalJson(right));

/**
 * What every manager owns after a merge has been written; a pointer in conflict is not the manager's. `stored` is the resource
 * as the store holds it now.
 */
export const ownershipAfter = (input: MergeInput, result: MergeResult, stored: JsonMap): Ownership => {
  const refused = new Set(result.conflicts.map(({ pointer }) => pointer));
  const owned = [...result.owned].filter(([pointer]) => !refused.has(pointer));
  const entries = owned.map(([pointer, value]): [string, OwnedField] => {
    const said = input.digest(pointer, value);
    const live = readAt(stored, pointer) ?? null;
    return [pointer, { said, stored: isSameJson(value, live) ? said : input.digest(pointer, live) }];
  });
  const taken = new Set(result.taken);
  const others = Object.entries(input.ownership)
    .filter(([manager]) => manager !== input.manager)
    .map(([manager, fields]): [string, OwnedFields] => [manager, markTaken(fields, taken)]);
  const mine: [string, OwnedFields][] = entries.length === 0 ? [] : [[input.manager, Object.fromEntries(entries)]];
  return Object.fromEntries([...others, ...mine].sort(([left], [right]) => (left < right ? -1 : 1)));
};

const markTaken = (fields: OwnedFields, taken: ReadonlySet<string>): OwnedFields =>
  Object.fromEntries(
    Object.entries(fields).map(([pointer, field]) => [
      pointer,
      taken.has(pointer) ? { ...field, isTaken: true } : field,
    ]),
  );
