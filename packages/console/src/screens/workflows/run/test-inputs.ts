/** Annotation of a Workflow: inputs to try it with, as a JSON object by name. Only the console reads it. */
const ANNOTATION = 'console.svc/test-inputs';

type Annotations = Readonly<Record<string, string>>;

/** Kept inputs by name, in order of their names; none where the annotation holds something else. */
export const testInputsOf = (annotations: Annotations): ReadonlyMap<string, unknown> => {
  const kept = parsed(annotations[ANNOTATION] ?? '');
  const isMap = typeof kept === 'object' && kept !== null && !Array.isArray(kept);
  return new Map(isMap ? Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)) : []);
};

/** The annotations with this input kept under the name; undefined removes it. */
export const withTestInput = (annotations: Annotations, name: string, input: unknown): Annotations => {
  const kept = new Map(testInputsOf(annotations));
  if (input === undefined) kept.delete(name);
  else kept.set(name, input);
  const { [ANNOTATION]: _, ...others } = annotations;
  return kept.size === 0 ? others : { ...others, [ANNOTATION]: JSON.stringify(Object.fromEntries(kept)) };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
