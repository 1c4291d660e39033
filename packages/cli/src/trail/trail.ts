import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapsOf, msOf, textOf } from '../json-value.ts';
import { outputForm, printList } from '../output.ts';
import { harmless, localTime, renderTable } from '../terminal/index.ts';

const MS_PER_SECOND = 1_000;

/** `svc trail ID`: the story of a message, one line for each thing that happened, what was caused below its cause. */
export const showTrail = async (host: Host, id: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const answer = await call('TrailService/GetMessageTrail', { ns: target.namespace, id });
  const entries = mapsOf(answer['entries']);
  if (form.form === 'name') return host.stdout.write(entries.map((entry) => `${nameOf(entry)}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: entries }, form);
  const depths = depthsOf(entries);
  const times = timesOf(entries);
  const rows = entries.map((entry, index) => [times[index] ?? '', ...cellsOf(entry, depths[index] ?? 0, id)]);
  host.stdout.write(renderTable(['TIME', 'WHAT', 'STATE', 'TOOK', 'DETAIL'], rows, host.stdout.columns));
  if (answer['truncated'] === true) note('more belongs to this trail than is shown');
};

const nameOf = (entry: JsonObject): string => `${textOf(entry['kind'])}/${textOf(entry['id'])}`;

/** How many entries of the list led to each. */
const depthsOf = (entries: readonly JsonObject[]): readonly number[] => {
  const depths = new Map<string, number>();
  return entries.map((entry) => {
    const depth = (depths.get(textOf(entry['causedBy'])) ?? -1) + 1;
    depths.set(textOf(entry['id']), depth);
    return depth;
  });
};

/** Local times to the millisecond; the date only where another day begins. */
const timesOf = (entries: readonly JsonObject[]): readonly string[] => {
  let former = '';
  return entries.map((entry) => {
    const ms = msOf(entry['at'] ?? '0');
    const [day = '', time = ''] = localTime(ms).split(' ');
    const shown = day === former ? '' : ` ${day}`;
    former = day;
    return `${time}.${String(Math.floor(ms) % MS_PER_SECOND).padStart(3, '0')}${shown}`;
  });
};

/** The record that was asked for has a star. */
const cellsOf = (entry: JsonObject, depth: number, id: string): readonly string[] => {
  const at = msOf(entry['at'] ?? '0');
  const isAsked = textOf(entry['id']) === id;
  const words = [textOf(entry['agent']), textOf(entry['name'])].filter((word) => word !== '');
  const what = `${'· '.repeat(depth)}${textOf(entry['kind']).replaceAll('_', ' ')} ${words.join(' ')}`.trimEnd();
  const detail = [textOf(entry['reason']), textOf(entry['text'])].filter((text) => text !== '').join(': ');
  return [
    harmless(isAsked ? `${what} *` : what),
    harmless(textOf(entry['state']).toLowerCase()),
    entry['endedAt'] === undefined ? '' : tookText(msOf(entry['endedAt']) - at),
    harmless(detail),
  ];
};

const tookText = (ms: number): string =>
  ms < MS_PER_SECOND ? `${Math.round(ms)} ms` : `${(ms / MS_PER_SECOND).toFixed(1)} s`;
