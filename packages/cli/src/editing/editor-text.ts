import type { JsonObject } from '@bufbuild/protobuf';
import { yamlText } from '../output.ts';
import type { LiveResource } from './live-resource.ts';

/** An error in a text, at its line in the text without the opening comments. */
export interface TextFinding {
  /** From 1; 0 if it belongs to no line. */
  readonly line: number;
  readonly text: string;
}

/** `Agent default/helper`. */
export const titleOf = ({ address }: Pick<LiveResource, 'address'>): string => {
  const { kind, ns, parent, name } = address;
  return `${kind} ${[kind === 'Namespace' ? '' : ns, parent, name].filter((part) => part !== '').join('/')}`;
};

/** The text for the editor: comments that explain what it is and what to watch for, then the manifest. */
export const editorText = async (live: LiveResource, remarks: readonly string[] = []): Promise<string> =>
  withComments(await yamlText(live.manifest), live, remarks);

/** A refused text with the errors above it; lines are counted as the editor shows them. */
export const refusedText = (written: string, live: LiveResource, findings: readonly TextFinding[]): string => {
  const body = withoutOpening(written);
  const remarks = (offset: number): readonly string[] => [
    'Nothing is written: this is refused.',
    ...findings.map(({ line, text }) => `  ${line === 0 ? '' : `line ${line + offset}: `}${text}`),
  ];
  const offset = linesOf(withComments('', live, remarks(0)));
  return withComments(body, live, remarks(offset));
};

const withComments = (body: string, live: LiveResource, remarks: readonly string[]): string => {
  const comments = [
    ...(remarks.length === 0 ? [] : [...remarks, '']),
    `${titleOf(live)}: save and leave to write it, save an empty file to leave it alone.`,
  ];
  return `${comments
    .flatMap((comment) => comment.split('\n'))
    .map(commented)
    .join('')}${body}`;
};

const commented = (line: string): string => (line === '' ? '#\n' : `# ${line}\n`);

const linesOf = (text: string): number => text.split('\n').length - 1;

/** A text without its opening comments. */
export const withoutOpening = (text: string): string => {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !line.startsWith('#'));
  return first < 0 ? '' : lines.slice(first).join('\n');
};

/** True when nothing but comments and blanks is left. */
export const isEmptied = (text: string): boolean =>
  text.split('\n').every((line) => line.trim() === '' || line.startsWith('#'));

/** A value in one line, cut where it is long. */
export const shortValue = (value: unknown): string => {
  const text = value === undefined ? 'removed' : JSON.stringify(value);
  return text.length > VALUE_SHOWN ? `${text.slice(0, VALUE_SHOWN)}…` : text;
};

const VALUE_SHOWN = 200;

/** The value at a path such as `spec.systemPrompt`; paths come from patchedPaths. */
export const valueAt = (manifest: JsonObject, path: string): unknown => {
  let value: unknown = manifest;
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
};
