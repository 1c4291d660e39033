import type { Schedule } from '@svc/api/resources';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { collectPages } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { age, localTime, renderTable } from '../terminal/index.ts';
import type { World } from '../world.ts';

export interface NextOptions extends GlobalOptions {
  readonly count?: string;
}

const DEFAULT_COUNT = 10;
/** As many as the server works out (CO-3). */
const COUNT_MAX = 20;

/** `svc schedule next [NAME]`: the coming runs of one schedule, or the next run of each, soonest first. */
export const showNext = async (world: World, name: string | undefined, options: NextOptions): Promise<void> => {
  if (name === undefined) return nextOfAll(world, options);
  const form = outputForm(options.output);
  const preview = countOf(options.count);
  const { client, target, note } = await openContext(world, options);
  const { schedule, nextRuns } = await client.gateway.getSchedule({ ns: target.namespace, name, preview });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(world, { name, nextRuns: nextRuns.map((micros) => isoTime(micros)) }, form);
  if (nextRuns.length === 0) return note(`schedule ${name} does not run again${whyNot(schedule)}`);
  if (schedule?.spec?.enabled === false) note(`schedule ${name} is disabled: these are the times it would run at`);
  const rows = nextRuns.map((micros) => [localTime(Number(micros) / 1_000), distance(world, micros)]);
  world.stdout.write(renderTable(['RUNS AT', 'IN'], rows, undefined));
};

const nextOfAll = async (world: World, options: NextOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { client, target, scope, note } = await openContext(world, options);
  const schedules = await collectPages(scope.limit, async (pageToken, pageSize) => {
    const page = await client.gateway.listSchedules({ ns: target.namespace, pageToken, pageSize });
    return { items: page.schedules, next: page.nextPageToken };
  });
  const ordered = schedules.toSorted((left, right) => orderOf(left) - orderOf(right));
  if (form.form !== 'table' && form.form !== 'wide') {
    const items = ordered.map(({ metadata, status }) => ({
      name: metadata?.name ?? '',
      nextRun: status?.nextRunAt === undefined ? null : isoTime(status.nextRunAt),
    }));
    return printValue(world, { items }, form);
  }
  if (ordered.length === 0) return note(`no schedules in namespace ${target.namespace}`);
  const rows = ordered.map((schedule) => {
    const { metadata, status } = schedule;
    const next = status?.nextRunAt;
    const times = next === undefined ? ['-', '-'] : [localTime(Number(next) / 1_000), distance(world, next)];
    return [metadata?.name ?? '', ...times, status?.phase || '-'];
  });
  const columns = world.stdout.isTerminal ? world.stdout.columns : undefined;
  world.stdout.write(renderTable(['NAME', 'RUNS AT', 'IN', 'PHASE'], rows, columns));
};

const orderOf = ({ status }: Schedule): number => Number(status?.nextRunAt ?? BigInt(Number.MAX_SAFE_INTEGER));

const countOf = (text: string | undefined): number => {
  const count = text === undefined ? DEFAULT_COUNT : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count;
  throw new CommandFailure(`--count ${text} is not a number from 1 to ${COUNT_MAX}`);
};

const whyNot = (schedule: Schedule | undefined): string => {
  const phase = schedule?.status?.phase ?? '';
  return phase === '' || phase === 'Ready' ? '' : `: it is ${phase}`;
};

const isoTime = (micros: bigint): string => new Date(Number(micros) / 1_000).toISOString();

/** How long until then: `45s`, `12m`, `3h`, `5d`. */
const distance = (world: World, micros: bigint): string => age(world.nowMs(), Number(micros) / 1_000);
