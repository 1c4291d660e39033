import type { JsonObject } from '@bufbuild/protobuf';
import { CommandFailure } from './failure.ts';
import type { Host } from './host.ts';
import { type Item, type Kind, manifestOf } from './kinds/index.ts';
import {
  harmless,
  harmlessJson,
  harmlessYaml,
  phasePainter,
  readJsonPath,
  renderPaintedTable,
  styleFor,
} from './terminal/index.ts';

const forms = ['table', 'wide', 'yaml', 'json', 'name', 'manifest', 'jsonl'] as const;

/** Form of the data on standard output. */
export type OutputForm =
  | { readonly form: (typeof forms)[number] }
  | { readonly form: 'jsonpath'; readonly path: string };

/** Reads `-o`; the default is a table, and `jsonpath=` includes its path. */
export const outputForm = (text: string | undefined): OutputForm => {
  if (text === undefined) return { form: 'table' };
  if (text.startsWith('jsonpath=')) return { form: 'jsonpath', path: text.slice('jsonpath='.length) };
  const form = forms.find((candidate) => candidate === text);
  if (form !== undefined) return { form };
  throw new CommandFailure(`there is no output form ${text}`, { hint: `one of ${forms.join(', ')}, jsonpath=PATH` });
};

interface ShownItems {
  readonly kind: Kind;
  readonly items: readonly Item[];
  readonly isList: boolean;
  readonly isAcross: boolean;
  /** False with --no-color. */
  readonly color?: boolean | undefined;
}

/** Prints one resource, or a list with `isList`. */
export const printItems = async (host: Host, shown: ShownItems, form: OutputForm): Promise<void> => {
  const { kind, items } = shown;
  if (form.form === 'table' || form.form === 'wide')
    return host.stdout.write(tableOf(host, shown, form.form === 'wide'));
  if (form.form === 'name')
    return host.stdout.write(items.map((item) => `${kind.name.toLowerCase()}/${item.name}\n`).join(''));
  if (form.form === 'manifest') {
    const { withoutDefaults } = await host.loadManifests();
    return writeYaml(host, await manifests(items.map(({ json }) => manifestOf(json, withoutDefaults))));
  }
  const objects = items.map(({ json }) => json);
  const [first = {}] = objects;
  return shown.isList ? printList(host, resourceList(objects), form) : printValue(host, first, form);
};

interface PrintedList {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly items: readonly unknown[];
}

/** Resources as one value. */
export const resourceList = (items: readonly JsonObject[]): PrintedList => ({
  apiVersion: 'svc/v1',
  kind: 'List',
  items,
});

/** As printValue, for a list: JSON lines print one item on each line. */
export const printList = async (host: Host, list: PrintedList, form: OutputForm): Promise<void> => {
  if (form.form !== 'jsonl') return printValue(host, list, form);
  for (const item of list.items) await printValue(host, item, form);
};

/** Prints any value in the forms without columns. */
export const printValue = async (host: Host, value: unknown, form: OutputForm): Promise<void> => {
  const { isTerminal } = host.stdout;
  if (form.form === 'jsonpath') {
    const found = readJsonPath(value, form.path);
    return host.stdout.write(`${isTerminal ? harmless(found) : found}\n`);
  }
  if (form.form === 'yaml') return writeYaml(host, await yamlText(value));
  const indent = form.form === 'jsonl' ? undefined : 2;
  const json = JSON.stringify(value, undefined, indent);
  host.stdout.write(`${isTerminal ? harmlessJson(json) : json}\n`);
};

/** Unchanged in a pipe; on a terminal, control characters in values must have no effect. */
export const writeYaml = (host: Host, text: string): void =>
  host.stdout.write(host.stdout.isTerminal ? harmlessYaml(text) : text);

/** A value as YAML; long texts are not folded. */
export const yamlText = async (value: unknown): Promise<string> => {
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
};

const manifests = async (objects: readonly JsonObject[]): Promise<string> =>
  (await Promise.all(objects.map(yamlText))).join('---\n');

const tableOf = (host: Host, shown: ShownItems, isWide: boolean): string => {
  const { kind, items, isAcross } = shown;
  const upper = (headings: readonly string[]): string[] => headings.map((heading) => heading.toUpperCase());
  const headings = [
    ...(isAcross ? ['NAMESPACE'] : []),
    ...upper(kind.headings),
    ...(isWide ? upper(kind.wideHeadings) : []),
  ];
  const rows = items.map((item) => [
    ...(isAcross ? [item.namespace] : []),
    ...item.cells,
    ...(isWide ? item.wideCells : []),
  ]);
  return phaseTable(host, { headings, rows, color: shown.color });
};

interface PhaseTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** False with --no-color. */
  readonly color?: boolean | undefined;
}

/** A table for standard output, fitted to the terminal, with the cells below PHASE and STATE in the colours of their meaning. */
export const phaseTable = (host: Host, { headings, rows, color }: PhaseTable): string =>
  renderPaintedTable({
    headings,
    rows,
    columns: host.stdout.isTerminal ? host.stdout.columns : undefined,
    paint: phasePainter(styleFor(host.stdout, host.environment, color)),
  });
