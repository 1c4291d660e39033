import { TaskPhase } from '@svc/api/resources';
import { recordKey } from '../../../resources/index.ts';
import { parseBody } from '../../../runtime/contract.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { type TrailPlace, type TrailReading, type TrailSource, trailText } from '../../trail-source.ts';
import { OWNER_SESSION, originOf, taskOfTurn } from './task-origin.ts';
import { isActivePhase } from './task-rules.ts';
import { taskSpec, taskStatus } from './task-status.ts';

/** Tasks of one session that a trail reads at most. */
const TASKS_MAX = 200;

/** What tasks know: who asked for one, and the turn that works on it. */
export const taskTrail: TrailSource = {
  find: async (reads, { namespace, id }) => {
    const record = await reads.resources.get(recordKey('Task', namespace, id));
    return record === undefined ? [] : [taskPlace(record)];
  },
  read: async (reads, place) => {
    if (place.kind === 'turn') return await readTurn(reads, place);
    return place.kind === 'task' ? await readTask(reads, place) : undefined;
  },
};

const taskPlace = ({ key }: Pick<StoredResource, 'key'>): TrailPlace => ({
  kind: 'task',
  id: key.name,
  namespace: key.namespace,
});

const readTask = async (reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined> => {
  const record = await reads.resources.get(recordKey('Task', place.namespace, place.id));
  if (record === undefined) return undefined;
  const { phase, executionRef } = taskStatus(record);
  const spec = taskSpec(record);
  const asker = originOf(record).lineage.at(-1);
  const entry = {
    kind: place.kind,
    id: place.id,
    namespace: place.namespace,
    name: place.id,
    agent: spec.delegate?.name ?? '',
    at: record.createdAt,
    state: TaskPhase[phase] ?? '',
    text: trailText(spec.title === '' ? spec.description : spec.title),
    causedBy: asker?.turnId ?? '',
  };
  const { runId = '', namespace = '' } = executionRef ?? {};
  return {
    entries: [isActivePhase(phase) ? entry : { ...entry, endedAt: record.updatedAt }],
    links: [
      ...(asker === undefined ? [] : [{ kind: 'turn', id: asker.turnId, namespace: asker.namespace } as const]),
      ...(runId === '' ? [] : [{ kind: 'turn', id: runId, namespace: namespace || place.namespace } as const]),
    ],
  };
};

/** The task that the turn works on, and those that it asked for. */
const readTurn = async (reads: ReadTx, { id }: TrailPlace): Promise<TrailReading | undefined> => {
  const turn = await reads.log.turn(id);
  if (turn === undefined) return undefined;
  const task = taskOfTurn(parseBody(turn));
  const ofSession = await reads.resources.list({
    kind: 'Task',
    scope: { type: 'namespace', namespace: turn.namespace },
    labels: [{ op: 'in', key: OWNER_SESSION, values: [turn.sessionId] }],
    limit: TASKS_MAX,
  });
  const asked = ofSession.filter((record) => originOf(record).lineage.at(-1)?.turnId === turn.id);
  return {
    entries: [],
    links: [...(task === undefined ? [] : [taskPlace({ key: task })]), ...asked.map(taskPlace)],
    causes: task === undefined ? {} : { [turn.userMessageId]: task.name },
  };
};
