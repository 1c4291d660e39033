import { create } from '@bufbuild/protobuf';
import { type ScheduleSpec, ScheduleSpecSchema } from '@svc/api/resources';
import { Fault, textOrEmpty } from '../../../base/index.ts';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import { oncePerCall } from '../../../idempotency/index.ts';
import { recordKey, resourceNotFound } from '../../../resources/index.ts';
import { everyResource, type ReadTx, type Store, type WriteTx } from '../../../store/contracts/index.ts';
import {
  jsonResult,
  NAMESPACE_ARGUMENT,
  namespaceOf,
  numberOf,
  toolOrigin,
} from '../../../tools/authority-contract.ts';
import type { Tool, ToolContext } from '../../../tools/contract.ts';
import { scheduleSpec } from './schedule-kind.ts';
import { shownSchedule } from './shown-schedule.ts';

export interface ScheduleToolsDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly writer: Pick<ResourceWriter, 'create' | 'modify' | 'remove'>;
  /** A namespace and its ancestors, nearest first. */
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
}

type Input = Readonly<Record<string, unknown>>;

const CAPABILITY = 'schedules';
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const MODES = ['new', 'fresh', 'reuse', 'named'] as const;
const NARROWER = { of: 'create', actions: MODES.map((mode) => `create:${mode}`) };
const NAME = { type: 'string', minLength: 1, maxLength: 253 } as const;
const WORDS = { type: 'string', maxLength: 200 } as const;

const SCHEDULE_SCHEMA = {
  type: 'object',
  properties: {
    name: NAME,
    kind: { type: 'string', enum: ['at', 'every', 'cron'] },
    input_message: { type: 'string', minLength: 1, maxLength: 65_536, description: 'what you will be told each time' },
    cron: { ...WORDS, description: 'kind cron: five fields, or six with seconds first' },
    interval_seconds: { type: 'integer', minimum: 1, maximum: 0xffffffff, description: 'kind every' },
    run_at: { ...WORDS, description: 'kind at: RFC 3339' },
    timezone: { ...WORDS, description: 'IANA name; default UTC' },
    session_mode: {
      type: 'string',
      enum: [...MODES],
      description: 'default new; reuse and named continue one session',
    },
    session_id: { ...WORDS, description: 'session of yours to continue' },
    enabled: { type: 'boolean' },
  },
  required: ['name', 'kind', 'input_message'],
  additionalProperties: false,
} as const;

/** list_schedules, get_schedule, create_schedule, update_schedule, delete_schedule. */
export const scheduleTools = (deps: ScheduleToolsDeps): readonly Tool[] => [
  listTool(deps),
  getTool(deps),
  createTool(deps),
  updateTool(deps),
  deleteTool(deps),
];

const listTool = ({ store, visibleNamespaces }: ScheduleToolsDeps): Tool => ({
  name: 'list_schedules',
  description: 'Lists schedules of this workspace by name.',
  inputSchema: {
    type: 'object',
    properties: {
      agent: { ...NAME, description: 'only those that start this agent' },
      enabled: { type: 'boolean' },
      limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
      namespace: NAMESPACE_ARGUMENT,
    },
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'inspect' },
  run: (context, input) =>
    store.read(async (tx) => {
      const namespace = await namespaceOf(context, input['namespace'], (name) => visibleNamespaces(tx, name));
      const all = await everyResource(tx.resources, { kind: 'Schedule', scope: { type: 'namespace', namespace } });
      const meant = all.map(shownSchedule).filter((schedule) => {
        const { agent = schedule.agent, enabled = schedule.enabled } = input;
        return agent === schedule.agent && enabled === schedule.enabled;
      });
      return jsonResult(meant.slice(0, numberOf(input['limit'], LIMIT_DEFAULT)));
    }),
});

const getTool = ({ store, visibleNamespaces }: ScheduleToolsDeps): Tool => ({
  name: 'get_schedule',
  description: 'Reads one schedule.',
  inputSchema: {
    type: 'object',
    properties: { name: NAME, namespace: NAMESPACE_ARGUMENT },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'inspect' },
  run: (context, input) =>
    store.read(async (tx) => {
      const namespace = await namespaceOf(context, input['namespace'], (name) => visibleNamespaces(tx, name));
      const key = recordKey('Schedule', namespace, textOrEmpty(input['name']));
      const record = await tx.resources.get(key);
      if (record === undefined) throw resourceNotFound(key);
      return jsonResult(shownSchedule(record));
    }),
});

/** A tool that writes one schedule of the agent's own namespace, once for all runs of a call. */
const writing = (
  { store }: ScheduleToolsDeps,
  tool: Omit<Tool, 'run' | 'effect'>,
  write: (tx: WriteTx, call: { readonly context: ToolContext; readonly input: Input }) => Promise<unknown>,
): Tool => ({
  ...tool,
  effect: 'write',
  run: (context, input) =>
    store.write(async (tx) =>
      jsonResult(await oncePerCall(tx, context.idempotencyKey, () => write(tx, { context, input }))),
    ),
});

const keyOf = ({ namespace }: ToolContext, input: Input) =>
  recordKey('Schedule', namespace, textOrEmpty(input['name']));

const createTool = (deps: ScheduleToolsDeps): Tool => {
  const name = 'create_schedule';
  const tool = {
    name,
    description: 'Creates a schedule that starts you with a message: once, at an interval, or by a cron expression.',
    inputSchema: SCHEDULE_SCHEMA,
    capability: { name: CAPABILITY, action: 'create', narrower: NARROWER },
  };
  return writing(deps, tool, async (tx, { context, input }) => {
    const spec = specOf(input, create(ScheduleSpecSchema, { target: { agent: context.agent } }));
    requireMode(context, input);
    const { resource } = await deps.writer.create(tx, toolOrigin(context, name), { key: keyOf(context, input), spec });
    return shownSchedule(resource);
  });
};

const updateTool = (deps: ScheduleToolsDeps): Tool => {
  const name = 'update_schedule';
  const tool = {
    name,
    description:
      'Changes when a schedule runs and what it says. What it starts stays; so do its session and enabled, unless given.',
    inputSchema: SCHEDULE_SCHEMA,
    capability: { name: CAPABILITY, action: 'update', narrower: NARROWER },
  };
  return writing(deps, tool, async (tx, { context, input }) => {
    // A schedule that keeps its mode needs no grant for it.
    if (input['session_mode'] !== undefined || input['session_id'] !== undefined) requireMode(context, input);
    const { resource } = await deps.writer.modify(tx, toolOrigin(context, name), {
      key: keyOf(context, input),
      change: (current) => ({ spec: specOf(input, scheduleSpec(current)) }),
    });
    return shownSchedule(resource);
  });
};

const deleteTool = (deps: ScheduleToolsDeps): Tool => {
  const name = 'delete_schedule';
  const tool = {
    name,
    description: 'Removes a schedule.',
    inputSchema: { type: 'object', properties: { name: NAME }, required: ['name'], additionalProperties: false },
    capability: { name: CAPABILITY, action: 'delete' },
  };
  return writing(deps, tool, async (tx, { context, input }) => {
    await deps.writer.remove(tx, toolOrigin(context, name), { key: keyOf(context, input) });
    return { name: input['name'], deleted: true };
  });
};

/** Throws PERMISSION_DENIED for a mode of sessions that the agent is not granted. */
const requireMode = ({ narrower = [] }: ToolContext, input: Input): void => {
  const mode = textOrEmpty(input['session_mode'] ?? (input['session_id'] === undefined ? 'new' : 'reuse'));
  if (narrower.includes(`create:${mode}`)) return;
  throw new Fault('PERMISSION_DENIED', 'SESSION_MODE', `this agent may not schedule with session_mode ${mode}`);
};

/** The arguments as a spec; what they leave out of target, time zone and enabled is as in `before`. */
const specOf = (input: Input, before: ScheduleSpec): ScheduleSpec => {
  const { target } = before;
  const { enabled = before.enabled, timezone = before.timezone, session_id: sessionId = target?.sessionId } = input;
  const given = input['session_mode'] ?? (input['session_id'] === undefined ? target?.sessionMode : 'reuse');
  return create(ScheduleSpecSchema, {
    kind: textOrEmpty(input['kind']),
    cron: textOrEmpty(input['cron']),
    intervalSeconds: numberOf(input['interval_seconds'], 0),
    runAt: textOrEmpty(input['run_at']),
    timezone: textOrEmpty(timezone),
    inputMessage: textOrEmpty(input['input_message']),
    inputJson: before.inputJson,
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    target: {
      agent: target?.agent ?? '',
      workflow: target?.workflow ?? '',
      sessionMode: textOrEmpty(given),
      sessionId: textOrEmpty(sessionId),
    },
  });
};
