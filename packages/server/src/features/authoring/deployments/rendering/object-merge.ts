import { createHash } from 'node:crypto';
import {
  canonicalJson,
  givenValues,
  hashSpec,
  holdsUnseenValues,
  isJsonMap,
  type JsonData,
  type JsonMap,
  parseJsonMap,
  type ValueHash,
} from '../../../../resources/index.ts';
import {
  fieldDigest,
  leavesOf,
  type MergeInput,
  type MergeResult,
  managedForm,
  mergeFields,
  type OwnedFields,
  type Ownership,
  ownershipAfter,
  readAt,
  setAt,
} from '../../../../resources/merge/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';

/** What a replica keeps of one object: the base of its next merge. */
export interface ObjectRecord {
  /** Canonical JSON of the rendering, values of classes A and C as keyed hashes. */
  readonly base: string;
  /** `sha256:<hex>` of that text. */
  readonly hash: string;
  /** Pointers that the deployment owns, sorted. */
  readonly owned: readonly string[];
}

/** One object as a merge finds it. */
export interface MergeSubject {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly manager: string;
  /** With readable values; undefined when there is none. */
  readonly live: StoredResource | undefined;
  /** Of the live object. */
  readonly ownership: Ownership;
  /** What was kept of the last rendering. */
  readonly record: ObjectRecord | undefined;
  /** Spec of an empty object of the kind: such values were requested by no one. Absent = none. */
  readonly defaults?: JsonMap;
  /** Sensitive values of the rendering may be guesses. */
  readonly isUnseen?: boolean;
}

export interface ObjectMerge {
  readonly result: MergeResult;
  readonly record: ObjectRecord;
  /** Who owns what once the object is stored in that form. */
  readonly ownershipAfter: (stored: { readonly uid: string; readonly form: JsonMap }) => Ownership;
  /** The live object differs from what it shall be. */
  readonly isChanged: boolean;
}

/**
 * Merges what a deployment wants of an object with what is live, by the rules of an apply, except that a value which no one
 * owns is a conflict. The base is what the last rendering owned. `wanted` {} withdraws.
 */
export const mergeObject = (subject: MergeSubject, wanted: JsonMap, hash: ValueHash): ObjectMerge => {
  const { live, manager, ownership, record } = subject;
  const form = live === undefined ? {} : liveForm(live);
  const base = parseJsonMap(record?.base ?? '{}') ?? {};
  const hashed = (map: JsonMap): JsonMap => hashedForm(subject, map, { hash, like: base });
  const [wantedHashed, liveHashed] = [hashed(wanted), hashed(form)];
  const input: MergeInput = {
    manager,
    wanted,
    live: said(subject, form, wanted),
    ownership: { ...ownership, [manager]: baseFields(subject, base) },
    force: false,
    setsUnowned: false,
    // Called with a value of either side; the hashed form of that side is what the base compares with.
    isUnseen: unseenPointers(subject, wanted),
    digest: (pointer, value) =>
      canonicalJson(readAt(isAt(wanted, pointer, value) ? wantedHashed : liveHashed, pointer) ?? null),
  };
  const result = mergeFields(input);
  const text = canonicalJson(wantedHashed);
  const refused = new Set(result.conflicts.map(({ pointer }) => pointer));
  const owned = [...result.owned.keys()].filter((pointer) => !refused.has(pointer)).sort();
  return {
    result,
    record: { base: text, hash: `sha256:${createHash('sha256').update(text).digest('hex')}`, owned },
    ownershipAfter: ({ uid, form: stored }) =>
      ownershipAfter({ ...input, ownership, digest: fieldDigest(uid) }, result, stored),
    isChanged: live === undefined || canonicalJson(result.merged) !== canonicalJson(form),
  };
};

/** What callers write of a stored object. */
export const liveForm = (live: StoredResource): JsonMap => managedForm(live, parseJsonMap(live.spec) ?? {});

/**
 * Sensitive values of which nothing may show whether they are equal to those that are there: one of the two may be a guess of
 * a writer who may not read the other. What the deployment alone wrote it compares only with itself.
 */
const unseenPointers = (subject: MergeSubject, wanted: JsonMap): ((pointer: string) => boolean) => {
  const { kind, live, manager, ownership, isUnseen = false } = subject;
  const { spec } = wanted;
  const isGuess = live !== undefined && (isUnseen || holdsUnseenValues(live.annotations));
  if (!isGuess || !isJsonMap(spec)) return () => false;
  const values = [...givenValues({ kind }, spec)].map((pointer) => `/spec${pointer}`);
  const own = new Set(ownedBefore(subject));
  const isShared = (pointer: string): boolean =>
    Object.entries(ownership).some(([other, fields]) => other !== manager && fields[pointer] !== undefined);
  return (pointer) =>
    values.some((value) => value === pointer || value.startsWith(`${pointer}/`)) &&
    (!own.has(pointer) || (isUnseen && isShared(pointer)));
};

/** The live form without values at wanted pointers that only the kind filled in: there the deployment meets no one. */
const said = (subject: MergeSubject, form: JsonMap, wanted: JsonMap): JsonMap => {
  const { defaults = {} } = subject;
  const owned = new Set(ownedBefore(subject));
  return [...leavesOf({ spec: defaults })]
    .filter(
      ([pointer, value]) => !owned.has(pointer) && readAt(wanted, pointer) !== undefined && isAt(form, pointer, value),
    )
    .reduce((map, [pointer]) => setAt(map, pointer, null), form);
};

const isAt = (form: JsonMap, pointer: string, value: JsonData): boolean => {
  const found = readAt(form, pointer);
  return found !== undefined && canonicalJson(found) === canonicalJson(value);
};

const hashedForm = (
  subject: Pick<MergeSubject, 'id' | 'kind' | 'manager' | 'namespace'>,
  form: JsonMap,
  by: { readonly hash: ValueHash; readonly like: JsonMap },
): JsonMap => {
  const { spec } = form;
  if (!isJsonMap(spec)) return form;
  const like = isJsonMap(by.like['spec']) ? by.like['spec'] : {};
  const former = `${subject.namespace}/${subject.id}`;
  // Hashes of one deployment say nothing about those of another one that writes the same object.
  const place = `${subject.manager} ${former}`;
  return { ...form, spec: hashSpec({ kind: subject.kind, place, former }, spec, { hash: by.hash, like }) };
};

/**
 * Pointers of the last rendering. None where the deployment owns nothing of this very object: another one took the place of what
 * it had written, in a namespace that was created again, or by hand.
 */
const ownedBefore = ({ live, manager, ownership, record }: MergeSubject): readonly string[] =>
  live !== undefined && ownership[manager] === undefined ? [] : (record?.owned ?? []);

/** The base as the merge wants it: what was said is what was stored, because renderings have the stored form. */
const baseFields = (subject: MergeSubject, base: JsonMap): OwnedFields => {
  const { manager, ownership } = subject;
  const known = ownership[manager] ?? {};
  return Object.fromEntries(
    ownedBefore(subject).map((pointer) => {
      const text = canonicalJson(readAt(base, pointer) ?? null);
      const isTaken = known[pointer]?.isTaken === true;
      return [pointer, { said: text, stored: text, ...(isTaken ? { isTaken } : {}) }];
    }),
  );
};

/** True when a manager other than this one owns a field of the object. */
export const hasOtherOwner = (ownership: Ownership, manager: string): boolean =>
  Object.entries(ownership).some(([other, fields]) => other !== manager && ownsAny(fields));

/** The first other deployment that owns a field of the object. */
export const otherDeployment = (ownership: Ownership, manager: string): string | undefined =>
  Object.keys(ownership).find(
    (other) => other !== manager && other.startsWith('deployment:') && ownsAny(ownership[other] ?? {}),
  );

const ownsAny = (fields: OwnedFields): boolean => Object.values(fields).some(({ isTaken }) => isTaken !== true);
