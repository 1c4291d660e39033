import type { DescMessage } from '@bufbuild/protobuf';
import {
  DEPLOYMENT_ROOTS,
  hasExpressions,
  isDeploymentPath,
  isPrompt,
  LATER_ROOTS,
  mapTexts,
  renderText,
  type TextPlace,
} from '../../../resources/expressions/index.ts';
import type { JsonData, JsonMap } from '../../../resources/index.ts';
import { fieldAt, mapSpecTexts, type ShapeProblem, scalarForm } from '../../../resources/manifest/index.ts';

/** What a template looks like once its expressions have some value. */
export interface DryRendering {
  readonly value: JsonMap;
  readonly problems: readonly ShapeProblem[];
  /** Field paths (`a.b[0]`) whose texts hold expressions: rules of their values cannot be judged yet. */
  readonly open: ReadonlySet<string>;
}

const PLACEHOLDER = 'placeholder';

/** Renders every expression of the deployment phase with a placeholder that fits its field. */
export const dryRender = (kind: string, schema: DescMessage | undefined, map: JsonMap): DryRendering => {
  const problems: ShapeProblem[] = [];
  const open = new Set<string>();
  const render = (text: string, place: TextPlace, whole: TextPlace = place): JsonData => {
    if (!hasExpressions(text)) return text;
    const stand = schema === undefined ? PLACEHOLDER : placeholderAt(schema, place.path);
    const rendered = renderText(text, {
      owns: DEPLOYMENT_ROOTS,
      passes: LATER_ROOTS,
      keepsRaw: isPrompt(kind, place.path),
      resolve: (path) => (isDeploymentPath(path) ? stand : undefined),
    });
    problems.push(...rendered.problems.map(({ offset, message }) => problemAt({ text, place }, offset, message)));
    open.add(fieldPath(whole));
    return rendered.value;
  };
  const value =
    schema === undefined ? mapTexts(map, (text, place) => render(text, place)) : mapSpecTexts(schema, map, render);
  return { value: value as JsonMap, problems, open };
};

const problemAt = (
  where: { readonly text: string; readonly place: TextPlace },
  ...[offset, message]: readonly [number, string]
): ShapeProblem => {
  const before = where.text.slice(0, offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { pointer: where.place.pointer, message: `line ${before.length}, column ${column}: ${message}` };
};

/** `['a', 0, 'b']` as `a[0].b`. */
const fieldPath = ({ path }: Pick<TextPlace, 'path'>): string =>
  path
    .map((member, index) => (typeof member === 'number' ? `[${member}]` : index === 0 ? member : `.${member}`))
    .join('');

/** Numbers and booleans where the field wants them, so that only true faults of the form remain. */
const placeholderAt = (schema: DescMessage, path: TextPlace['path']): JsonData => {
  const field = fieldAt(schema, path);
  if (field?.enum !== undefined) return field.enum.values[0]?.number ?? 0;
  if (field?.scalar === undefined) return PLACEHOLDER;
  const form = scalarForm(field.scalar);
  if (form === 'text') return PLACEHOLDER;
  return form === 'boolean' ? true : 1;
};
