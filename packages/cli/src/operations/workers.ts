import { type Resource, WorkerSchema, type WorkerStatus } from '@svc/api/resources';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { collectPages, genericJson, resourceJson } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { age, renderTable } from '../terminal/index.ts';
import type { World } from '../world.ts';

const SYSTEM = 'system';

/** `svc worker list`: every process of the server, whatever namespace is set. */
export const listWorkers = async (world: World, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { client, scope, note } = await openContext(world, options);
  const workers = await collectPages(scope.limit, async (pageToken, pageSize) => {
    const page = await client.resources.listResources({ ns: SYSTEM, kind: 'Worker', pageToken, pageSize });
    return { items: page.resources, next: page.nextPageToken };
  });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(world, { apiVersion: 'svc/v1', kind: 'List', items: workers.map(genericJson) }, form);
  if (workers.length === 0) return note('no workers');
  const columns = world.stdout.isTerminal ? world.stdout.columns : undefined;
  const rows = workers.map((worker) => rowOf(world, worker));
  world.stdout.write(renderTable(['NAME', 'PHASE', 'UP FOR', 'HEARD', 'VERSION', 'AT'], rows, columns));
};

const rowOf = (world: World, { metadata, status }: Resource): readonly string[] => {
  const facts: Partial<WorkerStatus> = status?.kind.case === 'worker' ? status.kind.value : {};
  const since = (micros: bigint | undefined): string =>
    micros === undefined || micros === 0n ? '-' : age(Number(micros) / 1_000, world.nowMs());
  const endpoints = (facts.endpoints ?? []).map(({ url }) => url);
  return [
    ...[metadata?.name ?? '', facts.phase || '-', since(facts.startedAt), since(facts.heartbeatAt)],
    ...[facts.version || '-', endpoints.join(', ') || '-'],
  ];
};

/** `svc worker drain NAME`: it claims nothing new and hands over what it holds. */
export const drainWorker = async (world: World, name: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { client, note } = await openContext(world, options);
  const { worker } = await client.admin.drainWorker({ name });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(world, worker === undefined ? {} : resourceJson(WorkerSchema, worker), form);
  world.stdout.write(`worker/${name} ${worker?.status?.phase ?? 'draining'}\n`);
  note('it takes nothing new and hands over what it holds; `svc worker list` shows when it is gone');
};
