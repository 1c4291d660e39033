import type { Delivery, PermissionRequest, WorkflowRun, WorkflowStepRun } from '@svc/api/data';
import type { Resource, Task } from '@svc/api/resources';

/** What can wait for a person. The first four are requests of a turn. */
export const KINDS = ['permission', 'input', 'sign_in', 'budget', 'held', 'step', 'task'] as const;
export type InboxKind = (typeof KINDS)[number];

/** Filters and the open item, as they are in the address. */
export interface InboxSearch {
  readonly kind?: InboxKind | undefined;
  readonly agent?: string | undefined;
  readonly identity?: string | undefined;
  /** Namespace with those below it; every namespace when it is left out. */
  readonly ns?: string | undefined;
  /** Key of the open item. */
  readonly item?: string | undefined;
}

/** Reads the search of the address; what means nothing is left out. */
export const inboxSearch = (given: Record<string, unknown>): InboxSearch => {
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    kind: KINDS.find((kind) => kind === given['kind']),
    agent: text('agent'),
    identity: text('identity'),
    ns: text('ns'),
    item: text('item'),
  };
};

/** What every item shows in the list. */
interface Common {
  readonly key: string;
  readonly kind: InboxKind;
  readonly ns: string;
  /** Agent, or workflow of a step. */
  readonly who: string;
  readonly title: string;
  /** Unix microseconds since when it waits. */
  readonly at: bigint;
  /** Unix microseconds at which it is too late; 0 for never. */
  readonly expiresAt: bigint;
}

export interface RequestItem extends Common {
  readonly type: 'request';
  readonly request: PermissionRequest;
}

export interface HeldItem extends Common {
  readonly type: 'held';
  readonly delivery: Delivery;
}

export interface StepItem extends Common {
  readonly type: 'step';
  readonly run: WorkflowRun;
  readonly step: WorkflowStepRun;
}

export interface TaskItem extends Common {
  readonly type: 'task';
  readonly task: Task;
}

export type InboxItem = RequestItem | HeldItem | StepItem | TaskItem;

const kindOf = (kind: string): InboxKind => KINDS.find((known) => known === kind) ?? 'permission';

export const requestItem = (request: PermissionRequest): RequestItem => ({
  type: 'request',
  key: request.id,
  kind: kindOf(request.kind),
  ns: request.ns,
  who: request.agent,
  title: request.prompt,
  at: request.createdAt,
  expiresAt: request.expiresAt,
  request,
});

export const heldItem = (delivery: Delivery): HeldItem => ({
  type: 'held',
  key: delivery.id,
  kind: 'held',
  ns: delivery.ns,
  who: delivery.agent,
  title: delivery.text,
  at: delivery.createdAt,
  expiresAt: 0n,
  delivery,
});

/** What a suspended step shows to people. */
export interface Suspension {
  readonly prompt: string;
  /** JSON Schema of the answer; undefined when any value is taken. */
  readonly schema: object | undefined;
}

export const suspensionOf = ({ suspendJson }: WorkflowStepRun): Suspension => {
  const shown = (suspendJson === '' ? {} : JSON.parse(suspendJson)) as { prompt?: unknown; schema?: unknown };
  return {
    prompt: typeof shown.prompt === 'string' ? shown.prompt : '',
    schema: typeof shown.schema === 'object' && shown.schema !== null ? shown.schema : undefined,
  };
};

/** A step that waits for a time asks a person only if it says something or takes an answer that ends it early. */
export const stepItems = (run: WorkflowRun, steps: readonly WorkflowStepRun[]): readonly StepItem[] =>
  steps
    .filter(({ status }) => status === 'SUSPENDED')
    .map((step) => ({ step, shown: suspensionOf(step) }))
    .filter(({ step, shown }) => step.waitUntilAt === undefined || shown.prompt !== '' || shown.schema !== undefined)
    .map(({ step, shown }) => ({
      type: 'step',
      key: step.id,
      kind: 'step',
      ns: run.ns,
      who: run.workflow,
      title: shown.prompt === '' ? step.stepId : shown.prompt,
      at: step.updatedAt,
      expiresAt: step.timeoutAt ?? step.waitUntilAt ?? 0n,
      run,
      step,
    }));

/** The task in a resource. */
export const taskItem = ({ metadata, spec, status }: Resource): TaskItem | undefined => {
  if (spec?.kind.case !== 'task' || status?.kind.case !== 'task') return undefined;
  const task = { $typeName: 'svc.resources.Task' as const, metadata, spec: spec.kind.value, status: status.kind.value };
  return {
    type: 'task',
    key: metadata?.uid ?? '',
    kind: 'task',
    ns: metadata?.namespace ?? '',
    who: spec.kind.value.delegate?.name ?? '',
    title: spec.kind.value.title || (metadata?.name ?? ''),
    at: status.kind.value.updatedAt,
    expiresAt: status.kind.value.expiresAt,
    task,
  };
};

/** Filters that the server does not apply itself. */
export const matches = (item: InboxItem, { kind, agent, identity }: InboxSearch): boolean =>
  (kind === undefined || kind === item.kind) &&
  (agent === undefined || agent === item.who) &&
  (identity === undefined || (item.type === 'request' && item.request.identity === identity));

/** What ends soonest comes first, then what waits longest. */
export const byUrgency = (one: InboxItem, other: InboxItem): number => {
  const never = 2n ** 62n;
  const [first, second] = [one, other].map(({ expiresAt }) => (expiresAt === 0n ? never : expiresAt));
  if (first !== second) return (first ?? never) < (second ?? never) ? -1 : 1;
  return one.at < other.at ? -1 : 1;
};

/** What makes two items equal for the person: one answer can be given to all of them. */
const sameness = (item: InboxItem): string => {
  const { type, kind, ns, who } = item;
  if (type === 'request') {
    const { action, inputJson, prompt, schemaJson, options } = item.request;
    return JSON.stringify([kind, ns, who, action, inputJson, prompt, schemaJson, options.map(({ id }) => id)]);
  }
  if (type === 'step')
    return JSON.stringify([kind, ns, who, item.step.stepId, item.step.suspendJson, item.step.inputJson]);
  return item.key;
};

/** The items that are equal to this one, itself first. */
export const equalTo = (item: InboxItem, items: readonly InboxItem[]): readonly InboxItem[] => {
  const own = sameness(item);
  return [item, ...items.filter((other) => other.key !== item.key && sameness(other) === own)];
};

/** The item to show after `done` ones are answered: the next in the list, else the one before. */
export const nextAfter = (items: readonly InboxItem[], done: readonly InboxItem[]): string | undefined => {
  const keys = new Set(done.map(({ key }) => key));
  const at = items.findIndex(({ key }) => keys.has(key));
  const rest = items.filter(({ key }) => !keys.has(key));
  const later = items.slice(at + 1).find(({ key }) => !keys.has(key));
  return (later ?? rest.at(-1))?.key;
};
