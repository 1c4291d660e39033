import type { GlobalOptions } from '../connection.ts';
import { openPlain, type ScopeOptions } from '../context.ts';
import type { Host } from '../host.ts';
import { isMap, mapOf, textOf } from '../json-value.ts';
import { type Item, kindAndItsNames, listItems, type Scope } from '../kinds/index.ts';
import { outputForm, printItems, yamlText } from '../output.ts';
import {
  harmlessYaml,
  localTime,
  paintPhase,
  paintStatus,
  renderPaintedTable,
  renderTable,
  type Style,
  styleFor,
} from '../terminal/index.ts';

/** `svc describe KIND NAME...`: everything about each, conditions as a table; without a name, all of them or those that -l selects. */
export const describe = async (
  host: Host,
  words: readonly string[],
  options: GlobalOptions & ScopeOptions,
): Promise<void> => {
  const { kind, names } = kindAndItsNames(words);
  const form = outputForm(options.output);
  const { scope, note } = await openPlain(host, options);
  const items =
    names.length === 0
      ? await kind.list({ ...scope, limit: Number.POSITIVE_INFINITY })
      : await Promise.all(names.map((name) => kind.get(scope, name)));
  if (form.form !== 'table' && form.form !== 'wide')
    return printItems(host, { kind, items, isList: names.length !== 1, isAcross: false }, form);
  if (items.length === 0) return note(`no ${kind.plural} in namespace ${scope.namespace}`);
  const style = styleFor(host.stdout, host.environment, options.color);
  for (const [index, item] of items.entries()) {
    host.stdout.write(`${index === 0 ? '' : '\n'}${await describeItem(kind.name, item, style)}`);
    if (kind.name === 'Template' && scope.namespace === SYSTEM) host.stdout.write(await usersOf(scope, item, style));
  }
};

const SYSTEM = 'system';
const AGENTS_SEARCHED = 10_000;

/** Agents that were created from an agent template, and from which version. */
const usersOf = async ({ call }: Scope, template: Item, style: Style): Promise<string> => {
  const request = { ns: '-', kind: 'Agent', metadataOnly: true, member: 'resources' };
  const agents = await listItems({ call, limit: AGENTS_SEARCHED }, 'ResourceService/ListResources', request);
  const rows = agents.flatMap((agent) => {
    const metadata = mapOf(agent['metadata']);
    const { 'svc/template': made, 'svc/template-version': version } = mapOf(metadata['annotations']);
    const name = `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}`;
    return made === template.name ? [[name, textOf(version) || '-']] : [];
  });
  if (rows.length === 0) return '';
  return `${style.bold('users')}\n${indented(renderTable(['AGENT', 'TEMPLATE VERSION'], rows, undefined))}`;
};

const describeItem = async (kind: string, item: Item, style: Style): Promise<string> => {
  const { metadata, spec, status } = item.json;
  const { conditions, ...facts } = isMap(status) ? status : {};
  const sections = await Promise.all([
    section('metadata', metadata, style),
    section('spec', spec, style),
    section('status', facts, style),
  ]);
  return `${style.bold(`${kind} ${item.name}`)}\n${sections.join('')}${conditionTable(conditions, style)}`;
};

/** A part of the resource as indented YAML; empty values are left out. */
const section = async (title: string, value: unknown, style: Style): Promise<string> => {
  const filled = withoutEmpty(value);
  if (!isMap(filled) || Object.keys(filled).length === 0) return '';
  const body = harmlessYaml(await yamlText(filled))
    .trimEnd()
    .split('\n')
    .map((line) => `  ${title === 'status' ? paintedPhase(line, style) : line}\n`);
  return `${style.bold(title)}\n${body.join('')}`;
};

const paintedPhase = (line: string, style: Style): string =>
  line.replace(/^(phase: )(.*)$/, (_all, field: string, phase: string) => `${field}${paintPhase(style, phase)}`);

/** The value without empty members, with readable times. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isMap(value)) return value;
  const members = Object.entries(value).map(([field, member]): [string, unknown] => [
    field,
    timeText(field, withoutEmpty(member)),
  ]);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
};

const isEmpty = (value: unknown): boolean =>
  value === '' || value === null || (isMap(value) && Object.keys(value).length === 0);

/** Known time fields, shown as local time: Unix microseconds, for usage windows seconds. */
const timeText = (field: string, value: unknown): unknown => {
  if (!/(At|Active|[Tt]imestamp|Time|windowStart)$/.test(field) || typeof value !== 'string') return value;
  if (/^\d{13,}$/.test(value)) return localTime(Number(value) / 1_000);
  return /^\d{10}$/.test(value) ? localTime(Number(value) * 1_000) : value;
};

const conditionTable = (conditions: unknown, style: Style): string => {
  if (!Array.isArray(conditions) || conditions.length === 0) return '';
  const rows = conditions.filter(isMap).map((condition) => {
    const { type, status, reason, message } = condition;
    return [String(type), String(status), String(reason ?? ''), String(message ?? '')];
  });
  const paint = (cell: string, heading: string): string => (heading === 'STATUS' ? paintStatus(style, cell) : cell);
  const table = renderPaintedTable({
    headings: ['TYPE', 'STATUS', 'REASON', 'MESSAGE'],
    rows,
    columns: undefined,
    paint,
  });
  return `${style.bold('conditions')}\n${indented(table)}`;
};

const indented = (table: string): string => table.replace(/^(?=.)/gm, '  ');
