import type { ScheduleStatus } from '@svc/api/resources';
import { isFault } from '../../../base/index.ts';
import type { CheckReads, NamespaceFacts, StatusDependencies } from '../../../controllers/contract.ts';
import { kindRow, messageFromText, parseJsonMap } from '../../../resources/index.ts';
import {
  everyResource,
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { settleTimer } from './schedule-timer.ts';

const FOLLOWED: ReadonlySet<string> = new Set(['Schedule', 'Namespace', 'Agent', 'Workflow']);

/** next_run_at, timer and conditions of schedules change as time passes and as targets and namespaces come and go. */
export const scheduleStatusDependencies: StatusDependencies = {
  whileDeleting: true,
  concerns: ({ resource }) => FOLLOWED.has(resource.key.kind),
  keysFor: (change, reads) => keysFor(change, reads),
  settled: (tx, stored) => settleTimer(tx, { record: stored, status: storedStatus(stored) }, { onlyNew: true }),
};

/** Typed status of a stored schedule. */
export const storedStatus = (record: StoredResource): ScheduleStatus =>
  messageFromText(kindRow('Schedule').status, record.status) as ScheduleStatus;

const keysFor = async (change: ResourceChange, reads: ResourceReads): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  if (key.kind === 'Schedule') {
    const isNews = change.sections.includes('spec') || change.resource.deletionTimestamp !== undefined;
    return change.change === 'deleted' || !isNews ? [] : [key];
  }
  if (key.kind === 'Namespace') return schedulesIn(reads, key.name, () => true);
  if (change.change === 'updated') return [];
  const member = key.kind === 'Agent' ? 'agent' : 'workflow';
  return schedulesIn(reads, key.namespace, (record) => {
    const target = parseJsonMap(record.spec)?.['target'] as Readonly<Record<string, unknown>> | undefined;
    return target?.[member] === key.name;
  });
};

const schedulesIn = async (
  reads: ResourceReads,
  namespace: string,
  isMeant: (record: StoredResource) => boolean,
): Promise<readonly ResourceKey[]> => {
  const all = await everyResource(reads, { kind: 'Schedule', scope: { type: 'namespace', namespace } });
  return all.filter(isMeant).map((record) => record.key);
};

/** False while the namespace is a tombstone or missing. */
export const isNamespaceLive = async (
  namespaces: Pick<NamespaceFacts, 'requireLive'>,
  reads: Pick<CheckReads, 'resources'>,
  namespace: string,
): Promise<boolean> => {
  try {
    await namespaces.requireLive(reads, namespace);
    return true;
  } catch (error) {
    if (isFault(error) && error.code === 'FAILED_PRECONDITION') return false;
    throw error;
  }
};
