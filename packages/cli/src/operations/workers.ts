import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, msOf, textOf } from '../json-value.ts';
import { listItems, manifestForm } from '../kinds/index.ts';
import { outputForm, phaseTable, printList, printValue, resourceList } from '../output.ts';
import { age, renderTable } from '../terminal/index.ts';

const SYSTEM = 'system';
/** Claims that one command shows when not told how many. */
const CLAIMS_SHOWN = 1_000;

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

/** `svc worker claims NAME`: what the process holds, so that no other one does it. */
export const listWorkerClaims = async (host: Host, name: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, note, limit = CLAIMS_SHOWN } = await openPlain(host, options);
  const request = { name, member: 'claims' };
  const claims = await listItems({ call, limit }, 'AdminService/ListWorkerClaims', request);
  if (form.form === 'name') return host.stdout.write(claims.map((claim) => `${claimName(claim)}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: claims }, form);
  if (claims.length === 0) return note('it holds nothing now');
  const headings = ['KIND', 'NAMESPACE', 'NAME', 'STATE', 'FOR', 'LEFT', 'TRIES', 'ID'];
  const columns = host.stdout.isTerminal && form.form === 'table' ? host.stdout.columns : undefined;
  host.stdout.write(
    renderTable(
      headings,
      claims.map((claim) => claimRow(host, claim)),
      columns,
    ),
  );
};

const claimName = (claim: JsonObject): string => `${textOf(claim['kind'])}/${textOf(claim['id'])}`;

const claimRow = (
  host: Host,
  { kind, id, ns, name, agent, state, since, until, tries }: JsonObject,
): readonly string[] => [
  textOf(kind),
  textOf(ns),
  textOf(name) || textOf(agent),
  textOf(state).toLowerCase(),
  msOf(since) === 0 ? '-' : age(msOf(since), host.nowMs()),
  age(host.nowMs(), msOf(until)),
  String(tries ?? 0),
  textOf(id),
];
