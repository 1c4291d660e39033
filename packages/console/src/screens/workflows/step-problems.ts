import type { FieldError } from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';
import type { TextProblem } from '../../ui/editor/editor-types.ts';
import type { FlowStep, StepLook } from './flow/index.ts';

/** What the server said about a text, at the steps that it concerns; errors before warnings. */
export const looksOfProblems = (
  steps: readonly FlowStep[],
  errors: readonly FieldError[],
  resource: Resource | undefined,
): ReadonlyMap<string, StepLook> => {
  const looks = new Map<string, StepLook>();
  for (const { message } of failedConditions(resource))
    for (const [, id = '', note = ''] of message.matchAll(/step ([A-Za-z][\w-]*): ([^;]+)/g))
      looks.set(id, { tone: 'warn', word: 'Check', note });
  // From the last to the first, so that the first of a step is the one that is shown.
  for (const { field, description } of errors.toReversed()) {
    const [, index, rest = ''] = /^spec\.steps\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const id = steps[Number(index)]?.id;
    if (id !== undefined) looks.set(id, { tone: 'bad', word: 'Wrong', note: `${rest} ${description}`.trim() });
  }
  return looks;
};

/** The same at the lines of the text. */
export const problemsOfText = (errors: readonly FieldError[]): readonly TextProblem[] =>
  errors.map(({ line, column, field, description }) => ({ line, column, text: `${field} ${description}`.trim() }));

/** What does not hold of a workflow, such as a name that leads nowhere; `Ready` only repeats the others. */
export const failedConditions = (
  resource: Resource | undefined,
): readonly { readonly reason: string; readonly message: string }[] => {
  const status = resource?.status?.kind;
  if (status?.case !== 'workflow') return [];
  return status.value.conditions.filter(({ type, status: holds }) => holds === 'False' && type !== 'Ready');
};
