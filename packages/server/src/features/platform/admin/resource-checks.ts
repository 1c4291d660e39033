import { firstNames } from '../../../base/index.ts';
import { NOT_EXECUTED } from '../../../resources/index.ts';
import { type ResourceReads, resourcePages, type StoredResource } from '../../../store/contracts/index.ts';
import { type Check, ok, warn } from './check.ts';

/** Resources checked; a larger store is checked in part. */
const LOOKED_AT_MAX = 50_000;
/** A deletion that takes longer than this waits for someone. */
const STUCK_MICROS = 10 * 60 * 1_000_000;

interface Findings {
  readonly stuck: string[];
  readonly classes: string[];
  /** How many resources of each kind nothing in this version acts on. */
  readonly idle: Map<string, number>;
  classCount: number;
  looked: number;
}

/** Deletions that hang on a finalizer, resources that nothing acts on, and connector classes that are not ready. */
export const checkResources = async (reads: Pick<ResourceReads, 'list'>, now: number): Promise<readonly Check[]> => {
  const findings: Findings = { stuck: [], classes: [], idle: new Map(), classCount: 0, looked: 0 };
  for await (const page of resourcePages(reads, { scope: { type: 'all' } })) {
    for (const resource of page) look(resource, now, findings);
    findings.looked += page.length;
    if (findings.looked >= LOOKED_AT_MAX) break;
  }
  return [finalizers(findings), notExecuted(findings), connectorClasses(findings)];
};

const look = (resource: StoredResource, now: number, findings: Findings): void => {
  const { key, deletionTimestamp, finalizers: holding, status } = resource;
  if (deletionTimestamp !== undefined && now - deletionTimestamp > STUCK_MICROS)
    findings.stuck.push(`${key.kind} ${key.namespace}/${key.name} (${holding.join(', ') || 'dependants'})`);
  const ready = readyOf(status);
  if (ready?.reason === NOT_EXECUTED) findings.idle.set(key.kind, (findings.idle.get(key.kind) ?? 0) + 1);
  if (key.kind !== 'ConnectorClass') return;
  findings.classCount += 1;
  // A class that nothing has judged yet is not ready either.
  if (ready?.status !== 'True' && ready?.reason !== NOT_EXECUTED) findings.classes.push(`${key.namespace}/${key.name}`);
};

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

const readyOf = (status: string): Condition | undefined => {
  if (status === '') return undefined;
  const { conditions = [] } = JSON.parse(status) as { readonly conditions?: readonly Condition[] };
  return conditions.find(({ type }) => type === 'Ready');
};

const finalizers = ({ stuck, looked }: Findings): Check =>
  stuck.length === 0
    ? ok('finalizers', `no deletion hangs (${looked} resources checked)`)
    : warn(
        'finalizers',
        `deletions hang: ${firstNames(stuck)}`,
        'see why with svc describe; svc delete --force ends the wait',
      );

const notExecuted = ({ idle }: Findings): Check => {
  if (idle.size === 0) return ok('not executed', 'nothing is declared that this version does not act on');
  const kinds = [...idle].sort(([left], [right]) => (left < right ? -1 : 1)).map(([kind, count]) => `${count} ${kind}`);
  return warn(
    'not executed',
    `stored, but this version does not act on them: ${kinds.join(', ')}`,
    'svc describe tells what is missing for each; delete them, or keep them for a version that runs them',
  );
};

const connectorClasses = ({ classes, classCount, idle }: Findings): Check =>
  classes.length === 0
    ? ok('connector classes', `${classCount - (idle.get('ConnectorClass') ?? 0)} ready`)
    : warn('connector classes', `not ready: ${firstNames(classes)}`, 'see why with svc describe connectorclass');
