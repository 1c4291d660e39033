import { findKindFacts, type SensitiveField } from '@svc/api/kinds';
import { canonicalJson, isJsonMap, type JsonData, type JsonMap, parseJsonMap } from '../canonical-json.ts';
import { isSecretReference } from './secret-references.ts';

export type { SensitiveField } from '@svc/api/kinds';

const NONE: readonly SensitiveField[] = [];

/** Sensitive fields of a section of a kind; a custom kind has none, though it may be named like a property of every object. */
export const sensitiveFields = (section: 'spec' | 'status', kind: string): readonly SensitiveField[] =>
  findKindFacts(kind)?.[section === 'spec' ? 'sensitiveSpec' : 'sensitiveStatus'] ?? NONE;

/** True when an answer about the kind differs between callers with and without `read_secrets`. */
export const hasSensitiveFields = (kind: string): boolean =>
  kind === 'Template' || sensitiveFields('spec', kind).length > 0 || sensitiveFields('status', kind).length > 0;

/** The spec as a caller without `read_secrets` sees it. */
export const maskSpec = (kind: string, spec: JsonMap): JsonMap =>
  kind === 'Template' ? maskTemplate(spec) : apply(spec, sensitiveFields('spec', kind), hide);

/** The status as a caller without `read_secrets` sees it. */
export const maskStatus = (kind: string, status: JsonMap): JsonMap =>
  apply(status, sensitiveFields('status', kind), hide);

/** The status without what no one may see (class F). */
export const dropInternals = (kind: string, status: JsonMap): JsonMap =>
  apply(
    status,
    sensitiveFields('status', kind).filter((field) => field.form === 'drop'),
    hide,
  );

/** The written spec with the stored values where a masked read was written back empty. */
export const keepSensitive = (kind: string, stored: JsonMap, written: JsonMap): JsonMap => {
  if (kind === 'Template') return keepTemplate(stored, written);
  let result = written;
  for (const field of sensitiveFields('spec', kind)) {
    const before = readPath(stored, field.path);
    if (before !== undefined) result = replacePath(result, field.path, (value) => keep(field, before, value));
  }
  return result;
};

const apply = (
  map: JsonMap,
  fields: readonly SensitiveField[],
  change: (field: SensitiveField, value: JsonData) => JsonData | undefined,
): JsonMap => fields.reduce((result, field) => replacePath(result, field.path, (value) => change(field, value)), map);

const hide = (field: SensitiveField, value: JsonData): JsonData | undefined => {
  switch (field.form) {
    case 'drop':
      return undefined;
    case 'text':
      return hideText(field, value);
    case 'map':
      return mapLeaves(value, (leaf) => hideText(field, leaf));
    case 'leaves':
      return canonicalJson(mapLeaves(parseText(value), (leaf) => hideText(field, leaf)));
  }
};

const hideText = (field: SensitiveField, value: JsonData): JsonData => {
  if (typeof value !== 'string') return value;
  return isShown(field, value) ? value : '';
};

/** References to secrets are not secrets themselves. */
export const isShown = (field: SensitiveField, value: string): boolean =>
  field.isSecret !== true && isSecretReference(value);

const keep = (field: SensitiveField, before: JsonData, value: JsonData): JsonData => {
  if (field.form !== 'leaves' || value === '') return keepLeaves(before, value);
  const written = typeof value === 'string' ? parseJsonMap(value) : undefined;
  // What is not a JSON object is for the rules of the kind to refuse.
  return written === undefined ? value : canonicalJson(keepLeaves(parseText(before), written));
};

/** Empty strings of `value` take the string at the same place of `before`. */
const keepLeaves = (before: JsonData | undefined, value: JsonData): JsonData => {
  if (value === '') return typeof before === 'string' ? before : value;
  if (Array.isArray(value)) {
    const old = Array.isArray(before) ? before : [];
    return value.map((item: JsonData, index) => keepLeaves(old[index], item));
  }
  if (!isJsonMap(value)) return value;
  const old = isJsonMap(before) ? before : {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, keepLeaves(old[key], item)]));
};

const mapLeaves = (value: JsonData, change: (leaf: JsonData) => JsonData): JsonData => {
  if (Array.isArray(value)) return value.map((item: JsonData) => mapLeaves(item, change));
  if (!isJsonMap(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapLeaves(item, change)]));
};

const parseText = (value: JsonData): JsonData => (typeof value === 'string' ? (parseJsonMap(value) ?? {}) : {});

const readPath = (map: JsonMap, path: readonly string[]): JsonData | undefined =>
  path.reduce<JsonData | undefined>((value, key) => (isJsonMap(value) ? value[key] : undefined), map);

/** A copy of the map with one value changed, or removed where `change` answers undefined; the map itself where there is none. */
export const replacePath = (
  map: JsonMap,
  path: readonly string[],
  change: (value: JsonData) => JsonData | undefined,
): JsonMap => {
  const [key = '', ...rest] = path;
  const value = map[key];
  if (value === undefined) return map;
  const next = rest.length === 0 ? change(value) : isJsonMap(value) ? replacePath(value, rest, change) : value;
  const { [key]: _, ...others } = map;
  return next === undefined ? others : { ...others, [key]: next };
};

/** A template holds the spec of another kind, or of a template again, and is masked like it. */
const maskTemplate = (spec: JsonMap): JsonMap => {
  const { kind, specJson } = spec;
  const inner = typeof specJson === 'string' ? parseJsonMap(specJson) : undefined;
  if (typeof kind !== 'string' || inner === undefined || !hasSensitiveFields(kind)) return spec;
  return { ...spec, specJson: canonicalJson(maskSpec(kind, inner)) };
};

const keepTemplate = (stored: JsonMap, written: JsonMap): JsonMap => {
  const before = typeof stored['specJson'] === 'string' ? parseJsonMap(stored['specJson']) : undefined;
  const after = typeof written['specJson'] === 'string' ? parseJsonMap(written['specJson']) : undefined;
  const kind = written['kind'];
  if (typeof kind !== 'string' || before === undefined || after === undefined) return written;
  return { ...written, specJson: canonicalJson(keepSensitive(kind, before, after)) };
};
