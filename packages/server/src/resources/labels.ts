import { Fault, type FieldViolation, invalidFields, isLongerThan, oversize, violation } from '../base/index.ts';

type TextMap = Readonly<Record<string, string>>;

export interface LabelLimits {
  /** `limits.labels`. */
  readonly labels: number;
  /** `limits.annotationsBytes`, keys and values together. */
  readonly annotationsBytes: number;
}

/** Limits without configuration. */
export const defaultLabelLimits: LabelLimits = { labels: 64, annotationsBytes: 256 * 1024 };

/** Settings behind these limits; the second in bytes. */
export interface LabelSettings {
  readonly 'limits.labels': number;
  readonly 'limits.annotationsBytes': number;
}

/** The limits as configured. */
export const labelLimits = (settings: LabelSettings): LabelLimits => ({
  labels: settings['limits.labels'],
  annotationsBytes: settings['limits.annotationsBytes'],
});

const KEY = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,316}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;
const VALUE_LIMIT = 1_024;
const SYSTEM = 'svc/';
/** Records keep private facts under this prefix; no request can write or select it, and no answer contains it. */
const PRIVATE_PREFIX = 'svc/~';
const OPTION = 'option.svc/';
/** Every option that svc knows, for all of its parts. */
const OPTIONS: ReadonlySet<string> = new Set([
  'activities',
  'approvers',
  'catch-up',
  'channel-state',
  'inheritable',
  'keep',
  'mcp-auth',
  'mcp-auth-scope',
  'mcp-oauth-client',
  'mcp-protocol',
  'memory',
  'on-exceeded',
  'overlap',
  'overrides',
  'requests',
  'reregister',
  'workflow-capabilities',
]);

/** Form of labels: keys, values, count. */
export const checkLabels = (labels: TextMap, field: string, limits = defaultLabelLimits): readonly FieldViolation[] => {
  const found: FieldViolation[] = [];
  const entries = Object.entries(labels);
  if (entries.length > limits.labels)
    found.push(violation(field, `more than ${limits.labels} labels`, 'FIELD_INVALID'));
  for (const [key, value] of entries) {
    const at = `${field}[${key.slice(0, 64)}]`;
    if (!KEY.test(key)) found.push(violation(at, 'not a label key', 'FIELD_INVALID'));
    if (isLongerThan(value, VALUE_LIMIT))
      found.push(violation(at, `longer than ${VALUE_LIMIT} characters`, 'FIELD_INVALID'));
    if (CONTROL.test(value)) found.push(violation(at, 'holds control characters', 'FIELD_INVALID'));
    if (!value.isWellFormed()) found.push(violation(at, 'holds half a character', 'FIELD_INVALID'));
  }
  return found;
};

/** Form of annotations: keys, total size, known `option.svc/` keys. */
export const checkAnnotations = (
  annotations: TextMap,
  field: string,
  limits = defaultLabelLimits,
): readonly FieldViolation[] => {
  const found: FieldViolation[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    const at = `${field}[${key.slice(0, 64)}]`;
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    if (!value.isWellFormed()) found.push(violation(at, 'holds half a character', 'FIELD_INVALID'));
    if (!KEY.test(key)) found.push(violation(at, 'not an annotation key', 'FIELD_INVALID'));
    else if (key.startsWith(OPTION) && !OPTIONS.has(key.slice(OPTION.length)))
      found.push(violation(at, 'unknown option', 'OPTION_UNKNOWN'));
  }
  if (bytes > limits.annotationsBytes) found.push(oversize(field, limits.annotationsBytes, 'limits.annotationsBytes'));
  return found;
};

/** Keys that belong to the system: they stay when sent back unchanged or left out; any other use is SYSTEM_LABEL. */
export const checkSystemKeys = (current: TextMap, wanted: TextMap, field: string): readonly FieldViolation[] =>
  Object.entries(wanted)
    .filter(([key, value]) => key.startsWith(SYSTEM) && current[key] !== value)
    .map(([key]) =>
      violation(`${field}[${key.slice(0, 64)}]`, 'keys starting svc/ belong to the system', 'SYSTEM_LABEL'),
    );

/** The desired map with the system keys of the current one, sorted by key so that equal maps give equal texts. */
export const keepSystemKeys = (current: TextMap, wanted: TextMap): Record<string, string> => {
  const kept = Object.entries(current).filter(([key]) => key.startsWith(SYSTEM));
  return sortKeys({ ...wanted, ...Object.fromEntries(kept) });
};

/** The map without private keys. */
export const withoutPrivate = (map: TextMap): Record<string, string> => {
  for (const key in map)
    if (key.startsWith(PRIVATE_PREFIX))
      return Object.fromEntries(Object.entries(map).filter(([other]) => !other.startsWith(PRIVATE_PREFIX)));
  return { ...map };
};

/** A copy with its keys in order. */
export const sortKeys = (map: TextMap): Record<string, string> =>
  Object.fromEntries(Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1)));

/** True for maps with the same keys and values, in any order. */
export const sameMap = (left: TextMap, right: TextMap): boolean => {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
};

/** Reasons that become the reason of the ErrorInfo when every violation has them. */
const OWN_REASONS: ReadonlySet<string> = new Set(['SYSTEM_LABEL', 'KIND_READ_ONLY', 'PATH_BODY_MISMATCH']);

/** The single refusal for all violations of a request; its reason is the common one if the table has it. */
export const refusal = (violations: readonly FieldViolation[]): Fault => {
  const general = invalidFields(violations);
  const [first] = violations;
  const isOwn = first !== undefined && violations.every((item) => item.reason === first.reason);
  if (!isOwn || !OWN_REASONS.has(first.reason)) return general;
  return new Fault('INVALID_ARGUMENT', first.reason, general.message, { violations });
};
