import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, msOf, textOf } from '../json-value.ts';
import { listItems, manifestForm } from '../kinds/index.ts';
import { outputForm, phaseTable, printList, printValue, resourceList } from '../output.ts';
import { age } from '../terminal/index.ts';

const SYSTEM = 'system';

/** `svc worker list`: every process of the server, in any namespace. */
export const listWorkers = async (host: Host, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, note } = await openPlain(host, options);
  const request = { ns: SYSTEM, kind: 'Worker', member: 'resources' };
  const found = await listItems({ call, limit: Number.POSITIVE_INFINITY }, 'ResourceService/ListResources', request);
  const workers = found.map(manifestForm);
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, resourceList(workers), form);
  if (workers.length === 0) return note('no workers');
  const headings = ['NAME', 'PHASE', 'UP FOR', 'HEARD', 'VERSION', 'AT'];
  const rows = workers.map((worker) => rowOf(host, worker));
  host.stdout.write(phaseTable(host, { headings, rows, color: options.color }));
};

const rowOf = (host: Host, worker: JsonObject): readonly string[] => {
  const { phase, startedAt, heartbeatAt, version, endpoints } = mapOf(worker['status']);
  const since = (micros: JsonValue | undefined): string => (msOf(micros) === 0 ? '-' : age(msOf(micros), host.nowMs()));
  const urls = mapsOf(endpoints).map(({ url }) => textOf(url));
  return [
    textOf(mapOf(worker['metadata'])['name']),
    textOf(phase) || '-',
    since(startedAt),
    since(heartbeatAt),
    textOf(version) || '-',
    urls.join(', ') || '-',
  ];
};

/** `svc worker drain NAME`: the process claims no new work and hands over what it has. */
export const drainWorker = async (host: Host, name: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, note } = await openPlain(host, options);
  const { worker } = await call('AdminService/DrainWorker', { name });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(
      host,
      worker === undefined ? {} : { apiVersion: 'svc/v1', kind: 'Worker', ...mapOf(worker) },
      form,
    );
  host.stdout.write(`worker/${name} ${textOf(mapOf(mapOf(worker)['status'])['phase']) || 'draining'}\n`);
  note('it takes nothing new and hands over what it holds; `svc worker list` shows when it is gone');
};
