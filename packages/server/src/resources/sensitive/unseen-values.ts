import { canonicalJson, parseJsonMap } from '../canonical-json.ts';
import { givenValues } from './sealed-fields.ts';
import { hasSensitiveFields } from './sensitive-fields.ts';

/**
 * Annotation of a resource: pointers of the values that somebody wrote who may not read them; private. They may be guesses, so
 * that nothing may tell whether they are equal to others.
 */
const UNSEEN_VALUES = 'svc/~unseen-values';

type Annotations = Readonly<Record<string, string>>;

/** True when a value of the resource may be a guess. */
export const holdsUnseenValues = (annotations: Annotations): boolean => annotations[UNSEEN_VALUES] !== undefined;

/** The annotation for these pointers and those of `before`; for none the one that removes it. */
export const unseenAnnotation = (
  pointers: Iterable<string>,
  before: Annotations = {},
): Readonly<Record<string, string | undefined>> => {
  const sorted = [...new Set([...pointersIn(before), ...pointers])].sort();
  return { [UNSEEN_VALUES]: sorted.length === 0 ? undefined : canonicalJson({ pointers: sorted }) };
};

/** What a write does to the values that were written unseen. */
export interface UnseenWrite {
  /** Pointers of the values that the caller wrote and may not read. */
  readonly fresh: ReadonlySet<string>;
  /** Annotations to set, or to remove where they are undefined. */
  readonly annotations: Readonly<Record<string, string | undefined>>;
}

const NOTHING: UnseenWrite = { fresh: new Set(), annotations: {} };

/**
 * The values of a write by a caller who may not read them are unseen, until somebody writes them who may. A write by the program
 * has its values from elsewhere and leaves that as it is.
 */
export const unseenWrite = (write: {
  readonly kind: string;
  /** Of the resource before the write. */
  readonly annotations: Annotations;
  readonly writer: 'reader' | 'other' | 'program';
  /** JSON of what of the spec the caller wrote, and of the whole spec. */
  readonly given: () => string;
  readonly whole: string;
}): UnseenWrite => {
  const { kind, annotations, writer, whole } = write;
  const isReader = writer === 'reader';
  if (!hasSensitiveFields(kind) || writer === 'program') return NOTHING;
  if (isReader && !holdsUnseenValues(annotations)) return NOTHING;
  const valuesOf = (text: string): ReadonlySet<string> => givenValues({ kind }, parseJsonMap(text) ?? {});
  const [given, present] = [valuesOf(write.given()), valuesOf(whole)];
  const kept = pointersIn(annotations).filter((pointer) => present.has(pointer) && !given.has(pointer));
  return {
    fresh: isReader ? NOTHING.fresh : given,
    annotations: unseenAnnotation(isReader ? kept : [...kept, ...given]),
  };
};

const pointersIn = (annotations: Annotations): readonly string[] => {
  const { pointers } = parseJsonMap(annotations[UNSEEN_VALUES] ?? '{}') ?? {};
  return Array.isArray(pointers) ? pointers.filter((pointer) => typeof pointer === 'string') : [];
};
