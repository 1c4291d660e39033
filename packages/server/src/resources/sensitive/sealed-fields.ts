import { canonicalJson, isJsonMap, type JsonData, type JsonMap, parseJsonMap } from '../canonical-json.ts';
import type { ResourceRecord } from '../record.ts';
import { hasSensitiveFields, isShown, replacePath, type SensitiveField, sensitiveFields } from './sensitive-fields.ts';

/**
 * Encryption of the values of classes A and C as the pure model sees it. A place names one value of one
 * resource (uid and JSON pointer); a value sealed for one place opens at no other.
 */
export interface ValueSeal {
  /** Seals by the newest key. */
  seal(place: string, plain: string): string;
  /** Undefined when the key is missing or the text was not sealed for this place. */
  open(place: string, sealed: string): string | undefined;
  /** True when the text was sealed by the newest key. */
  isNewest(sealed: string): boolean;
}

/** What every sealed text begins with; the rest is the seal's own. */
export const SEALED_PREFIX = 'sealed:v1:';

/** True for the form of a sealed text; only opening it tells whether it is one. */
export const isSealed = (text: string): boolean => text.startsWith(SEALED_PREFIX);

/** A seal without keys: opens nothing, so that sealed values read as empty. */
export const closedSeal: Pick<ValueSeal, 'open'> = { open: () => undefined };

export type SealedSection = 'spec' | 'status';
type Change = (leaf: string, pointer: string, field: SensitiveField) => string;

export interface SealedPart {
  readonly kind: string;
  readonly section: SealedSection;
  readonly uid: string;
}

/** The map with every plain sensitive value sealed; values that `stored` holds already keep their stored text. */
export const sealMap = (
  part: SealedPart,
  map: JsonMap,
  by: {
    readonly seal: ValueSeal;
    readonly stored?: JsonMap | undefined;
    /** Pointers of values that are sealed again without a comparison with the stored ones. */
    readonly fresh?: ReadonlySet<string>;
  },
): JsonMap => {
  const { seal, fresh } = by;
  const before = leavesOf(part, by.stored ?? {});
  return changeLeaves(part, map, (leaf, pointer, field) => {
    if (leaf === '' || isShown(field, leaf)) return leaf;
    const place = placeOf(part, pointer);
    const kept = before.get(pointer);
    if (kept === undefined || !isSealed(kept) || fresh?.has(pointer) === true) return seal.seal(place, leaf);
    return kept === leaf || seal.open(place, kept) === leaf ? kept : seal.seal(place, leaf);
  });
};

/** The map with its values readable. A value that cannot be opened becomes '' or, to be written back, stays sealed. */
export const openMap = (
  part: SealedPart,
  map: JsonMap,
  by: { readonly seal: Pick<ValueSeal, 'open'>; readonly unopened: 'blank' | 'keep' },
): JsonMap =>
  changeLeaves(part, map, (leaf, pointer) => {
    if (!isSealed(leaf)) return leaf;
    return by.seal.open(placeOf(part, pointer), leaf) ?? (by.unopened === 'keep' ? leaf : '');
  });

/** The record with readable values, for code that acts on them; those that cannot be opened stay sealed. */
export const openRecord = <R extends Pick<ResourceRecord, 'key' | 'uid' | 'spec' | 'status'>>(
  record: R,
  seal: Pick<ValueSeal, 'open'>,
): R => {
  const { kind } = record.key;
  if (!hasSensitiveFields(kind)) return record;
  const opened = (section: SealedSection): string =>
    canonicalJson(openMap({ kind, section, uid: record.uid }, asMap(record[section]), { seal, unopened: 'keep' }));
  return { ...record, spec: opened('spec'), status: opened('status') };
};

/** The record sealed by the newest key; the same object when it is so already. Values that cannot be opened stay. */
export const resealRecord = <R extends Pick<ResourceRecord, 'key' | 'uid' | 'spec' | 'status'>>(
  record: R,
  seal: ValueSeal,
): R => {
  const { kind } = record.key;
  if (!hasSensitiveFields(kind)) return record;
  const renewed = (section: SealedSection): string => {
    const part = { kind, section, uid: record.uid };
    const changed = changeLeaves(part, asMap(record[section]), (leaf, pointer) =>
      renew(seal, leaf, placeOf(part, pointer)),
    );
    return canonicalJson(changed);
  };
  const [spec, status] = [renewed('spec'), renewed('status')];
  return spec === record.spec && status === record.status ? record : { ...record, spec, status };
};

const renew = (seal: ValueSeal, leaf: string, place: string): string => {
  if (!isSealed(leaf) || seal.isNewest(leaf)) return leaf;
  const plain = seal.open(place, leaf);
  return plain === undefined ? leaf : seal.seal(place, plain);
};

/** Pointers, as they will be in the stored spec, of the values that somebody wrote; masked ones and references do not count. */
export const givenValues = (part: Pick<SealedPart, 'kind'>, spec: JsonMap): ReadonlySet<string> => {
  const found = new Set<string>();
  changeLeaves({ ...part, section: 'spec' }, spec, (leaf, pointer, field) => {
    if (leaf !== '' && !isShown(field, leaf)) found.add(pointer);
    return leaf;
  });
  if (part.kind !== 'Secret') return found;
  // The texts of a Secret are stored with its data.
  return new Set([...found].map((pointer) => pointer.replace(/^\/stringData\//, '/data/')));
};

/** True when a sensitive value of the spec is as asked for. */
export const holdsValue = (kind: string, spec: JsonMap, isMeant: (value: string) => boolean): boolean =>
  [...leavesOf({ kind, section: 'spec' }, spec).values()].some(isMeant);

/** Pointers of values that cannot be opened. */
export const unopenedValues = (part: SealedPart, map: JsonMap, seal: Pick<ValueSeal, 'open'>): readonly string[] =>
  [...leavesOf(part, map)]
    .filter(([pointer, leaf]) => isSealed(leaf) && seal.open(placeOf(part, pointer), leaf) === undefined)
    .map(([pointer]) => pointer);

/** Every sealed text of a record, with the place it was sealed for. */
export const sealedValues = (
  record: Pick<ResourceRecord, 'key' | 'uid' | 'spec' | 'status'>,
): readonly { readonly place: string; readonly sealed: string }[] => {
  const { kind } = record.key;
  if (!hasSensitiveFields(kind)) return [];
  return (['spec', 'status'] as const).flatMap((section) => {
    const part = { kind, section, uid: record.uid };
    return [...leavesOf(part, asMap(record[section]))]
      .filter(([, leaf]) => isSealed(leaf))
      .map(([pointer, sealed]) => ({ place: placeOf(part, pointer), sealed }));
  });
};

/** Every `secret://` reference in the sensitive fields of a spec, once. */
export const secretReferences = (kind: string, spec: JsonMap): readonly string[] => {
  const found = new Set<string>();
  changeLeaves({ kind, section: 'spec' }, spec, (leaf, _pointer, field) => {
    if (isShown(field, leaf)) found.add(leaf);
    return leaf;
  });
  return [...found];
};

const asMap = (text: string): JsonMap => parseJsonMap(text) ?? {};

const placeOf = (part: SealedPart, pointer: string): string =>
  `${part.uid}${part.section === 'spec' ? '' : '#status'}${pointer}`;

const leavesOf = (part: Pick<SealedPart, 'kind' | 'section'>, map: JsonMap): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  changeLeaves(part, map, (leaf, pointer) => {
    found.set(pointer, leaf);
    return leaf;
  });
  return found;
};

/** The section with every sensitive value changed; a Template holds those of the kind inside it, which may be a Template too. */
export const changeLeaves = (part: Pick<SealedPart, 'kind' | 'section'>, map: JsonMap, change: Change): JsonMap => {
  if (part.section === 'status' || part.kind !== 'Template')
    return changeFields(map, sensitiveFields(part.section, part.kind), { change, at: '' });
  const { kind, specJson } = map;
  const inner = typeof specJson === 'string' ? parseJsonMap(specJson) : undefined;
  if (typeof kind !== 'string' || !hasSensitiveFields(kind) || inner === undefined) return map;
  const changed = changeLeaves({ kind, section: 'spec' }, inner, (leaf, pointer, field) =>
    change(leaf, `/specJson${pointer}`, field),
  );
  return { ...map, specJson: canonicalJson(changed) };
};

interface Walk {
  readonly change: Change;
  readonly at: string;
}

const changeFields = (map: JsonMap, fields: readonly SensitiveField[], walk: Walk): JsonMap =>
  fields.reduce((result, field) => replacePath(result, field.path, (value) => changeField(field, value, walk)), map);

const changeField = (field: SensitiveField, value: JsonData, walk: Walk): JsonData => {
  const at = `${walk.at}/${field.path.join('/')}`;
  if (field.form === 'drop') return value;
  if (field.form !== 'leaves') return changeValue(field, value, { ...walk, at });
  const inner = typeof value === 'string' ? parseJsonMap(value) : undefined;
  return inner === undefined ? value : canonicalJson(changeValue(field, inner, { ...walk, at }));
};

const changeValue = (field: SensitiveField, value: JsonData, walk: Walk): JsonData => {
  if (typeof value === 'string') return walk.change(value, walk.at, field);
  if (Array.isArray(value))
    return value.map((item: JsonData, index) => changeValue(field, item, { ...walk, at: `${walk.at}/${index}` }));
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      changeValue(field, item, { ...walk, at: `${walk.at}/${escaped(key)}` }),
    ]),
  );
};

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
