import type { GlobalOptions } from '../connection.ts';
import { type Item, kindOf } from '../kinds/index.ts';
import { harmless, localTime, renderTable, type Style, styleFor } from '../terminal/index.ts';
import type { World } from '../world.ts';
import { openContext, type ScopeOptions } from './context.ts';
import { outputForm, printItems } from './output.ts';

/** `svc describe KIND NAME`: everything about one resource, the conditions as a table. */
export const describe = async (
  world: World,
  words: readonly string[],
  options: GlobalOptions & ScopeOptions,
): Promise<void> => {
  const [kindWord = '', name = ''] = words.flatMap((word, index) => (index === 0 ? word.split('/') : [word]));
  const kind = kindOf(kindWord);
  const { scope } = await openContext(world, options);
  const item = await kind.get(scope, name);
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') {
    return printItems(world, { kind, items: [item], isList: false, isAcross: false }, form);
  }
  world.stdout.write(describeItem(kind.name, item, styleFor(world.stdout, world.environment, options.color)));
};

const describeItem = (kind: string, item: Item, style: Style): string => {
  const { metadata, spec, status } = item.json;
  const { conditions, ...facts } = isRecord(status) ? status : {};
  const sections = [
    style.bold(`${kind} ${item.name}`),
    ...lines(isRecord(metadata) ? metadata : {}, 1),
    ...section('spec', spec, style),
    ...section('status', facts, style),
  ].join('\n');
  return `${sections}\n${conditionTable(conditions, style)}`;
};

const section = (title: string, value: unknown, style: Style): string[] => {
  const body = lines(isRecord(value) ? value : {}, 1);
  return body.length === 0 ? [] : [style.bold(title), ...body];
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Nested values as indented lines; what is empty is left out. */
const lines = (record: Record<string, unknown>, depth: number): string[] =>
  Object.entries(record).flatMap(([field, value]) => {
    const indent = '  '.repeat(depth);
    if (value === '' || value === null || (isRecord(value) && Object.keys(value).length === 0)) return [];
    if (isRecord(value)) {
      const named = Array.isArray(value)
        ? Object.fromEntries(value.map((entry: unknown, index) => [`- ${index + 1}`, entry]))
        : value;
      return [`${indent}${field}:`, ...lines(named, depth + 1)];
    }
    const text = harmless(String(timeText(field, value)));
    if (!text.includes('\n')) return [`${indent}${field}: ${text}`];
    return [
      `${indent}${field}: |`,
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `${indent}  ${line}`),
    ];
  });

/** Unix microseconds of known time fields, read by people as local time. */
const timeText = (field: string, value: unknown): unknown => {
  if (!/(At|Active|Timestamp|Time)$/.test(field) || typeof value !== 'string' || !/^\d{13,}$/.test(value)) return value;
  return localTime(Number(value) / 1_000);
};

const conditionTable = (conditions: unknown, style: Style): string => {
  if (!Array.isArray(conditions) || conditions.length === 0) return '';
  const rows = conditions.filter(isRecord).map((condition) => {
    const { type, status, reason, message } = condition;
    return [`  ${String(type)}`, String(status), String(reason ?? ''), String(message ?? '')];
  });
  return `${style.bold('conditions')}\n${renderTable(['  TYPE', 'STATUS', 'REASON', 'MESSAGE'], rows, undefined)}`;
};
