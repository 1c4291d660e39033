import { type ResourceReads, resourcePages, type StoredResource } from '../../store/contracts/index.ts';
import { type Check, ok, warn } from './check.ts';

/** Resources looked at; a larger store is looked at in part. */
const LOOKED_AT_MAX = 50_000;
/** A deletion that takes longer than this waits for someone. */
const STUCK_MICROS = 10 * 60 * 1_000_000;
const NAMED = 3;

interface Findings {
  readonly stuck: string[];
  readonly classes: string[];
  classCount: number;
  looked: number;
}

/** Deletions that hang on a finalizer, and connector classes that are not ready. */
export const checkResources = async (reads: Pick<ResourceReads, 'list'>, now: number): Promise<readonly Check[]> => {
  const findings: Findings = { stuck: [], classes: [], classCount: 0, looked: 0 };
  for await (const page of resourcePages(reads, { scope: { type: 'all' } })) {
    for (const resource of page) look(resource, now, findings);
    findings.looked += page.length;
    if (findings.looked >= LOOKED_AT_MAX) break;
  }
  return [finalizers(findings), connectorClasses(findings)];
};

const look = (resource: StoredResource, now: number, findings: Findings): void => {
  const { key, deletionTimestamp, finalizers: holding, status } = resource;
  if (deletionTimestamp !== undefined && now - deletionTimestamp > STUCK_MICROS)
    findings.stuck.push(`${key.kind} ${key.namespace}/${key.name} (${holding.join(', ') || 'dependants'})`);
  if (key.kind !== 'ConnectorClass') return;
  findings.classCount += 1;
  if (!isReady(status)) findings.classes.push(`${key.namespace}/${key.name}`);
};

/** A class that nothing has judged yet is not ready either. */
const isReady = (status: string): boolean => {
  if (status === '') return false;
  const { conditions = [] } = JSON.parse(status) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status: state }) => type === 'Ready' && state === 'True');
};

const some = (names: readonly string[]): string => {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};

const finalizers = ({ stuck, looked }: Findings): Check =>
  stuck.length === 0
    ? ok('finalizers', `no deletion hangs (${looked} resources looked at)`)
    : warn(
        'finalizers',
        `deletions hang: ${some(stuck)}`,
        'see why with svc describe; svc delete --force ends the wait',
      );

const connectorClasses = ({ classes, classCount }: Findings): Check =>
  classes.length === 0
    ? ok('connector classes', `${classCount} ready`)
    : warn('connector classes', `not ready: ${some(classes)}`, 'see why with svc describe connectorclass');
