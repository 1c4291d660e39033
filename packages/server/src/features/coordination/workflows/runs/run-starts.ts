import { Fault, type Ids, invalidField, oversize } from '../../../../base/index.ts';
import type { NamespaceFacts } from '../../../../controllers/contract.ts';
import {
  isJsonMap,
  type JsonData,
  parseJsonMap,
  recordKey,
  refusal,
  resourceDeleting,
  resourceNotFound,
} from '../../../../resources/index.ts';
import type { Bus, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import {
  activeRuns,
  countRun,
  type ParentStep,
  queueItem,
  RUN_ADVANCE,
  type RunState,
  rowOfRun,
  VALUE,
} from '../record/index.ts';
import { type SchemaCheck, schemaProblem } from '../values/index.ts';

/** A run that someone wants to begin. */
export interface RunStart {
  readonly namespace: string;
  readonly workflow: string;
  readonly input: JsonData;
  readonly labels: Readonly<Record<string, string>>;
  /** Who begins it. */
  readonly identity: string;
}

/** What a run that another one, or a turn, begins has in addition. */
interface Below {
  readonly depth: number;
  readonly parent: ParentStep;
  /** A turn with a call that waits for the run. */
  readonly waitingTurn: string;
}

export interface RunStartsDeps {
  readonly bus: Pick<Bus, 'publish'>;
  readonly ids: Ids;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly check: SchemaCheck;
  /** `limits.runInputMax`, bytes. */
  readonly inputBytes: number;
  /** `limits.runDepthMax`. */
  readonly depthMax: number;
  /** `limits.runsActiveMax`, for each namespace. */
  readonly activeMax: number;
}

/** Begins runs in a caller's transaction. */
export class RunStarts {
  readonly #deps: RunStartsDeps;

  constructor(deps: RunStartsDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a run with a copy of the definition of its workflow, and queues it. Throws WORKFLOW_NOT_FOUND, REFERENCE_MISSING, RUN_DEPTH, INPUT_SCHEMA,
   * TOO_LARGE, RUNS_ACTIVE and what a deleted namespace throws; nothing is written then.
   */
  async start(tx: WriteTx, start: RunStart & Partial<Below>): Promise<RunState> {
    const { bus, ids, namespaces } = this.#deps;
    const { namespace, workflow } = start;
    await namespaces.requireLive(tx, namespace);
    const key = recordKey('Workflow', namespace, workflow);
    const record = await tx.resources.get(key);
    if (record === undefined) throw resourceNotFound(key);
    if (record.deletionTimestamp !== undefined) throw resourceDeleting(key);
    requireReady(record);
    this.#checkDepth(start.depth ?? 1);
    const input = this.#checkedInput(start.input, record);
    await this.#requireRoom(tx, namespace);
    const run = newRun(start, record, { id: ids.next(), at: tx.now() });
    await tx.workflowRuns.put(rowOfRun(run));
    await tx.workflowValues.put({ runId: run.id, name: VALUE.spec, value: record.spec });
    await tx.workflowValues.put({ runId: run.id, name: VALUE.input, value: input });
    await countRun(tx, run, 1);
    await queueItem(tx, bus, { kind: RUN_ADVANCE, key: run.id });
    return run;
  }

  #checkDepth(depth: number): void {
    const { depthMax } = this.#deps;
    if (depth <= depthMax) return;
    throw new Fault('FAILED_PRECONDITION', 'RUN_DEPTH', `runs may begin each other ${depthMax} deep`);
  }

  /** The input as text. */
  #checkedInput(input: JsonData, { key, spec }: StoredResource): string {
    const { inputBytes, check } = this.#deps;
    const text = JSON.stringify(input);
    if (Buffer.byteLength(text) > inputBytes) throw refusal([oversize('inputJson', inputBytes, 'limits.runInputMax')]);
    const schema = String(parseJsonMap(spec)?.['inputSchemaJson'] ?? '');
    const problem = schemaProblem(check, schema, input);
    if (problem !== '')
      throw invalidField('inputJson', `does not fit workflow ${key.name}: ${problem}`, 'INPUT_SCHEMA');
    return text;
  }

  async #requireRoom(tx: WriteTx, namespace: string): Promise<void> {
    const { activeMax: max } = this.#deps;
    if ((await activeRuns(tx, namespace)) < max) return;
    throw new Fault('RESOURCE_EXHAUSTED', 'RUNS_ACTIVE', `namespace ${namespace} has ${max} unfinished runs already`, {
      metadata: { ns: namespace, max: String(max) },
    });
  }
}

const newRun = (
  { namespace, workflow, labels, identity, depth = 1, parent, waitingTurn }: RunStart & Partial<Below>,
  { uid, generation }: StoredResource,
  { id, at }: { readonly id: string; readonly at: number },
): RunState => ({
  id,
  namespace,
  workflow,
  workflowUid: uid,
  status: 'QUEUED',
  revision: generation,
  labels,
  identity,
  depth,
  ...(parent === undefined ? {} : { parent }),
  ...(waitingTurn === undefined ? {} : { waitingTurn }),
  createdAt: at,
  updatedAt: at,
  error: '',
  lastReason: 'created',
  advances: 0,
  events: 0,
  admitted: [],
});

const requireReady = ({ key, status }: StoredResource): void => {
  const { conditions } = parseJsonMap(status) ?? {};
  const found = Array.isArray(conditions) ? conditions.filter(isJsonMap) : [];
  const missing = found.find((one) => one['type'] === 'ReferencesResolved' && one['status'] === 'False');
  if (missing === undefined) return;
  const why = String(missing['message'] ?? missing['reason']);
  throw new Fault('FAILED_PRECONDITION', 'REFERENCE_MISSING', `workflow ${key.name} is not ready: ${why}`, {
    metadata: { ns: key.namespace, workflow: key.name },
  });
};
