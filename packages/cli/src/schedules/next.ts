import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, phaseTable, printList, printValue } from '../output.ts';
import { age, localTime, renderTable } from '../terminal/index.ts';

export interface NextOptions extends GlobalOptions {
  readonly count?: string;
}

const DEFAULT_COUNT = 10;
/** The most that the server computes. */
const COUNT_MAX = 20;

/** `svc schedule next [NAME]`: the next runs of one schedule, or the next run of each, soonest first. */
export const showNext = async (host: Host, name: string | undefined, options: NextOptions): Promise<void> => {
  if (name === undefined) return nextOfAll(host, options);
  const form = outputForm(options.output);
  const preview = countOf(options.count);
  const { call, target, note } = await openPlain(host, options);
  const answer = await call('GatewayService/GetSchedule', { ns: target.namespace, name, preview });
  const schedule = mapOf(answer['schedule']);
  const nextRuns = Array.isArray(answer['nextRuns']) ? answer['nextRuns'] : [];
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(host, { name, nextRuns: nextRuns.map(isoTime) }, form);
  if (nextRuns.length === 0) return note(`schedule ${name} does not run again${whyNot(schedule)}`);
  if (mapOf(schedule['spec'])['enabled'] === false)
    note(`schedule ${name} is disabled: these are the times it would run at`);
  const rows = nextRuns.map((micros) => [localTime(msOf(micros)), distance(host, micros)]);
  host.stdout.write(renderTable(['RUNS AT', 'IN'], rows, undefined));
};

const nextOfAll = async (host: Host, options: NextOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const all = { call, limit: Number.POSITIVE_INFINITY };
  const request = { ns: target.namespace, member: 'schedules' };
  const schedules = await listItems(all, 'GatewayService/ListSchedules', request);
  const ordered = schedules.toSorted((left, right) => orderOf(left) - orderOf(right));
  if (form.form !== 'table' && form.form !== 'wide') {
    const items = ordered.map((schedule) => {
      const next = nextOf(schedule);
      return { name: nameOf(schedule), nextRun: next === undefined ? null : isoTime(next) };
    });
    return printList(host, { items }, form);
  }
  if (ordered.length === 0) return note(`no schedules in namespace ${target.namespace}`);
  const rows = ordered.map((schedule) => {
    const next = nextOf(schedule);
    const times = next === undefined ? ['-', '-'] : [localTime(msOf(next)), distance(host, next)];
    return [nameOf(schedule), ...times, textOf(mapOf(schedule['status'])['phase']) || '-'];
  });
  const headings = ['NAME', 'RUNS AT', 'IN', 'PHASE'];
  host.stdout.write(phaseTable(host, { headings, rows, color: options.color }));
};

const nameOf = ({ metadata }: JsonObject): string => textOf(mapOf(metadata)['name']);

/** Unix microseconds of the next run; undefined when there is none. */
const nextOf = ({ status }: JsonObject): JsonValue | undefined => mapOf(status)['nextRunAt'];

const orderOf = (schedule: JsonObject): number => Number(textOf(nextOf(schedule)) || Number.MAX_SAFE_INTEGER);

const countOf = (text: string | undefined): number => {
  const count = text === undefined ? DEFAULT_COUNT : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count;
  throw new CommandFailure(`--count ${text} is not a number from 1 to ${COUNT_MAX}`);
};

const whyNot = ({ status }: JsonObject): string => {
  const phase = textOf(mapOf(status)['phase']);
  return phase === '' || phase === 'Ready' ? '' : `: it is ${phase}`;
};

const isoTime = (micros: JsonValue): string => new Date(msOf(micros)).toISOString();

/** How long until then: `45s`, `12m`, `3h`, `5d`. */
const distance = (host: Host, micros: JsonValue): string => age(host.nowMs(), msOf(micros));
