import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import { commentOn, type FieldDescription, fieldsOf, valuesOf } from '@svc/api/descriptions';
import * as shapes from '@svc/api/resources';
import type { GlobalOptions } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { type Kind, kindOf, kinds } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { type Style, styleFor } from '../terminal/index.ts';

export type ExplainOptions = GlobalOptions;

/** Columns where the terminal has none. */
const COLUMNS = 100;
const SECTIONS: ReadonlySet<string> = new Set(['metadata', 'spec', 'status']);

/** What the words of the person lead to. */
interface Subject extends Omit<FieldDescription, 'name'> {
  readonly kind: Kind;
  /** Such as `spec.modelPolicy`; '' for the kind itself. */
  readonly path: string;
}

/** `svc explain KIND[.FIELD]`: meaning, type, default and fields; `spec` may be left out of the path. */
export const explainKind = async (host: Host, word: string, options: ExplainOptions): Promise<void> => {
  const [kindWord = '', ...names] = word.split('.');
  const subject = subjectOf(kindWord, names);
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, shownValue(subject), form);
  const style = styleFor(host.stdout, host.environment, options.color);
  const columns = host.stdout.isTerminal ? (host.stdout.columns ?? COLUMNS) : COLUMNS;
  host.stdout.write(`${linesOf(subject, style, columns).join('\n')}\n`);
};

const subjectOf = (kindWord: string, names: readonly string[]): Subject => {
  const kind = kindOf(kindWord);
  const full = shapeOf(kind);
  if (full === undefined) {
    const candidates = kinds.map(({ plural }) => plural);
    throw new CommandFailure(`${kind.name} is a custom kind: nothing is known about its fields`, {
      slip: { word: kindWord, candidates },
    });
  }
  const start = { kind, path: '', type: kind.name, fallback: '', isRequired: false, enumeration: undefined };
  const path = names.length > 0 && !SECTIONS.has(names[0] ?? '') ? ['spec', ...names] : names;
  return path.reduce<Subject>(memberOf, { ...start, text: commentOn(full), message: full });
};

/** The message of a built-in kind. */
const shapeOf = ({ name }: Kind): DescMessage | undefined =>
  (shapes as unknown as Readonly<Record<string, DescMessage | undefined>>)[`${name}Schema`];

const memberOf = (owner: Subject, word: string): Subject => {
  const name = word.replace(/\[.*$/, '');
  const fields = owner.message === undefined ? [] : fieldsOf(owner.message);
  const found = fields.find((field) => field.name === camelCase(name));
  const path = owner.path === '' ? name : `${owner.path}.${name}`;
  if (found === undefined) throw unknownField(owner, name, fields);
  return { ...found, kind: owner.kind, path };
};

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const unknownField = (owner: Subject, name: string, fields: readonly FieldDescription[]): CommandFailure => {
  const place = owner.path === '' ? owner.kind.name : `${owner.path} of ${owner.kind.name}`;
  const word = owner.kind.name.toLowerCase();
  return new CommandFailure(`${place} has no field ${name}`, {
    hint: `\`svc explain ${owner.path === '' ? word : `${word}.${owner.path}`}\` lists its fields`,
    slip: { word: name, candidates: fields.map((field) => field.name) },
  });
};

/** The fields to list: of a kind those of its spec, for people know the rest. */
const membersOf = ({ message, path }: Subject): readonly FieldDescription[] => {
  if (message === undefined || message.typeName.startsWith('google.')) return [];
  if (path !== '') return fieldsOf(message);
  const spec = fieldsOf(message).find(({ name }) => name === 'spec')?.message;
  return spec === undefined ? [] : fieldsOf(spec).map((field) => ({ ...field, name: `spec.${field.name}` }));
};

/** As JSON. */
const shownValue = (subject: Subject): object => {
  const plain = ({ type, text, fallback, isRequired }: FieldDescription | Subject): object => ({
    type,
    description: text,
    ...(fallback === '' ? {} : { default: fallback }),
    ...(isRequired ? { required: true } : {}),
  });
  return {
    kind: subject.kind.name,
    path: subject.path,
    ...plain(subject),
    fields: membersOf(subject).map((field) => ({ name: field.name, ...plain(field) })),
    values: subject.enumeration === undefined ? [] : valuesOf(subject.enumeration),
  };
};

const linesOf = (subject: Subject, style: Style, columns: number): readonly string[] => {
  const { kind, path, type } = subject;
  const title = path === '' ? `${style.bold(kind.name)}  svc/v1` : `${style.bold(`${kind.name} ${path}`)}  ${type}`;
  const shape = path === '' || subject.message === undefined ? '' : commentOn(subject.message);
  const texts = [ruleOf(subject), shape].filter((text) => text !== '');
  return [
    title,
    ...texts.flatMap((text) => wrapText(text, columns, '  ')),
    ...fieldLines(membersOf(subject), style, columns),
    ...valueLines(subject.enumeration, style, columns),
    ...(path === '' ? ['', style.dim(`svc explain ${kind.name.toLowerCase()}.status: what the server observes`)] : []),
  ];
};

const fieldLines = (fields: readonly FieldDescription[], style: Style, columns: number): readonly string[] =>
  fields.flatMap((field) => [
    '',
    `  ${style.bold(field.name)}  ${style.dim(field.type)}`,
    ...wrapText(ruleOf(field), columns, '    '),
  ]);

const valueLines = (enumeration: DescEnum | undefined, style: Style, columns: number): readonly string[] =>
  enumeration === undefined
    ? []
    : valuesOf(enumeration).flatMap(({ name, text }) => [
        '',
        `  ${style.bold(name)}`,
        ...wrapText(text, columns, '    '),
      ]);

/** Meaning, and what holds when the field is left out. */
const ruleOf = ({ text, fallback, isRequired }: FieldDescription | Subject): string =>
  [text, isRequired ? 'Required.' : '', fallback === '' ? '' : `Default: ${fallback.replaceAll('`', '')}.`]
    .filter((sentence) => sentence !== '')
    .join(' ');

/** Breaks a text at spaces into lines of at most so many columns, each behind an indent; [] for an empty text. */
const wrapText = (text: string, columns: number, indent: string): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((piece) => piece !== '')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines.map((each) => `${indent}${each}`);
};
