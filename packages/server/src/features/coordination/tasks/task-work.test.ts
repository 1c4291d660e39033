import { create, fromJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import { AgentSpecSchema, TaskPhase, TaskSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditAppender } from '../../../auth/index.ts';
import { ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import { QueueRunner, systemOrigin, TransactionalResourceWriter } from '../../../controllers/index.ts';
import { defaultLabelLimits, ResourceViews, recordKey } from '../../../resources/index.ts';
import { EngineHarness } from '../../../runtime/testing/engine-harness.ts';
import {
  type ConnectionGrant,
  type Tool,
  type ToolContext,
  type ToolTurn,
  textResult,
} from '../../../tools/contract.ts';
import { ToolCaller } from '../../testing/tool-caller.ts';
import { taskContract } from './task-kind.ts';
import { executionOf, taskStatus } from './task-status.ts';
import { taskWaitKey } from './task-wake.ts';
import { tasksModule, taskTurns } from './tasks-module.ts';

const DAY_MS = 86_400_000;
const settings = { 'tasks.lifetime': DAY_MS, 'tasks.retention': DAY_MS, 'a2a.maxDepth': 2 };
const capabilities = { tasks: ['*'] };

/** A tool that agents may call once a person allows it. */
const askingTool: Tool = {
  name: 'dig',
  description: 'digs',
  inputSchema: { type: 'object' },
  effect: 'write',
  capability: { name: 'code', action: 'run' },
  run: async () => textResult('dug'),
};
/** A tool that waits for an event. */
const dozingTool: Tool = {
  name: 'doze',
  description: 'waits until dawn',
  inputSchema: { type: 'object' },
  effect: 'read',
  run: async ({ waited, nowMicros }) =>
    waited?.endedBy === 'event'
      ? textResult('awake')
      : { wait: 'event', key: 'dawn', untilMicros: waited?.untilMicros ?? nowMicros + DAY_MS * 1_000 },
};
const ASKING = { code: fromJson(ListValueSchema, [{ action: 'run', approval: 'ask' }]) };

/** Tasks, the turn engine and the demo model on a real store; queue workers run when a test says so. */
class TaskWorld {
  readonly clock = new ManualClock();
  readonly engine: EngineHarness;
  tools!: ToolCaller;
  runner!: QueueRunner;
  owner = '';
  writer!: TransactionalResourceWriter;
  module!: ReturnType<typeof tasksModule>;
  /** Artifacts of delegates, and whom they were given to. */
  readonly handedOver: string[] = [];

  /** `concurrency` 0: turns stay in the queue. */
  constructor(config: { readonly concurrency?: number } = {}) {
    this.engine = new EngineHarness({ clock: this.clock, tools: [askingTool, dozingTool], config });
  }

  async start(): Promise<void> {
    const { engine } = this;
    const namespaces = { requireLive: async () => undefined, ancestors: async () => [] };
    const audit = createAuditAppender(engine.ids);
    const times = { lifetimeMicros: DAY_MS * 1_000, retentionMicros: DAY_MS * 1_000 };
    const contracts = new Map([['Task', taskContract(times)]]);
    this.writer = new TransactionalResourceWriter({
      contracts,
      namespaces,
      audit,
      ids: engine.ids,
      seal: undefined as never,
      limits: { ...defaultLabelLimits, resourceBytes: 1 << 20 },
      readsValues: () => true,
      notify: () => undefined,
    });
    const { writer } = this;
    const hook = taskTurns({ writer, settings });
    await engine.start({ deps: { endHooks: [hook], progressHooks: [hook] } });
    const { store, runtime } = engine;
    const visibleNamespaces = async (_reads: unknown, name: string) => [name];
    this.module = tasksModule({
      store,
      writer,
      audit,
      namespaces,
      visibleNamespaces,
      handOverArtifacts: async (_context, uris, target) => {
        this.handedOver.push(`${uris.join()} to ${target?.agent} ${target?.sessionId}`);
        return uris.map((uri) => ({ key: uri, mediaType: 'text/csv', sizeBytes: 3n, sha256: 'a', filename: 'a.csv' }));
      },
      settings,
      views: new ResourceViews(),
      admission: runtime.admission,
      lifecycle: runtime.lifecycle,
      wakes: runtime.wakes,
    });
    const { workers = [], tools = [], toolSources = [] } = this.module;
    this.runner = new QueueRunner({
      store,
      clock: this.clock,
      bus: engine.bus,
      random: seededRandom(5),
      log: silentLog,
      pollMs: 60_000,
      workers,
    });
    this.tools = new ToolCaller({ tools, toolSources });
    if (this.owner !== '') return;
    await this.agent('worker');
    this.owner = await engine.session();
  }

  /** An agent that the engine runs, and its resource. */
  async agent(name: string, facts: { readonly notReady?: string } = {}): Promise<void> {
    this.engine.setAgent(name, create(AgentSpecSchema, { capabilities: ASKING }), facts);
    const meta = {
      uid: `uid-${name}`,
      generation: 1,
      createdAt: 1,
      labels: {},
      annotations: {},
      owners: [],
      finalizers: [],
    };
    const key = recordKey('Agent', 'default', name);
    await this.engine.store.write((tx) =>
      tx.resources.insert({ ...meta, key, apiVersion: 'svc/v1', spec: '{}', status: '{}' }),
    );
  }

  call(name: string, input: object, context: Partial<ToolContext> = {}) {
    return this.tools.call(name, input, { capabilities, sessionId: this.owner, ...context });
  }

  create(description: string, context: Partial<ToolContext> = {}) {
    return this.call('create_task', { title: 'Dig', description, delegate_name: 'worker' }, context);
  }

  async record(name: string) {
    const record = await this.engine.store.direct.resources.get(recordKey('Task', 'default', name));
    if (record === undefined) throw new Error('no task');
    return record;
  }

  async task(name: string) {
    const status = taskStatus(await this.record(name));
    const { executionRef, progressSummary } = status;
    return {
      phase: TaskPhase[status.phase],
      execution: executionOf(status),
      summary: progressSummary,
      sessionId: executionRef?.sessionId ?? '',
      turnId: executionRef?.runId ?? '',
    };
  }

  /** Begins the work, and answers once the task is as wanted. */
  async until(name: string, wanted: Partial<Awaited<ReturnType<TaskWorld['task']>>>) {
    await this.runner.tick();
    await expect.poll(() => this.task(name)).toMatchObject(wanted);
    return this.task(name);
  }

  /** Texts that the owner's session was sent. */
  async told(): Promise<readonly string[]> {
    await this.runner.tick();
    const messages = await this.engine.messages(this.owner);
    return messages
      .filter(({ labels }) => labels['svc/task-role'] === 'owner-review')
      .map(({ parts }) => parts[0]?.content?.split('\n')[0] ?? '');
  }

  async close(): Promise<void> {
    this.runner.close();
    const { store, runtime } = this.engine;
    await store.write((tx) => runtime.lifecycle.stopNamespaces(tx, new Set(['default'])));
    await this.engine.stop();
    await this.engine.dispose();
  }
}

describe('the work behind a task', () => {
  let world: TaskWorld;
  beforeEach(async () => {
    world = new TaskWorld();
    await world.start();
  });
  afterEach(() => world.close());

  it('is done in a session of the delegate, and its owner gets one message when it needs review', async () => {
    const { name, phase } = await world.create('find gold');
    expect([phase, (await world.task(name)).execution]).toEqual(['QUEUED', 'NotStarted']);
    const done = await world.until(name, { phase: 'NEEDS_REVIEW', execution: 'Completed' });
    expect(done.summary).toContain('find gold');
    const session = await world.engine.store.direct.log.session(done.sessionId);
    expect(session).toMatchObject({ agent: 'worker', labels: { 'svc/task': name } });
    expect(await world.told()).toEqual([`Task ${name} (Dig) is now NEEDS_REVIEW.`]);
    expect(await world.told()).toHaveLength(1);
    expect(await world.call('update_task', { name, phase: 'SUCCEEDED' })).toMatchObject({ phase: 'SUCCEEDED' });
    expect(await world.call('update_task', { name, phase: 'RUNNING' })).toMatchObject({ ok: false, code: 'failed' });
  });

  it('continues where the owner sends it back, and an end of an earlier turn changes nothing', async () => {
    const { name } = await world.create('first');
    const first = await world.until(name, { phase: 'NEEDS_REVIEW' });
    const back = await world.call('update_task', { name, phase: 'RUNNING', progress_summary: 'second' });
    expect(back).toMatchObject({ phase: 'RUNNING', session_id: first.sessionId });
    const second = await world.until(name, { phase: 'NEEDS_REVIEW' });
    expect(second.turnId).not.toBe(first.turnId);
    expect([second.sessionId, second.summary.includes('second')]).toEqual([first.sessionId, true]);
    expect(await world.told()).toHaveLength(2);
    // A turn of the same session that the task did not begin.
    const before = (await world.record(name)).version;
    const other = await world.engine.send(first.sessionId, '!error invalid_request', { agent: 'worker' });
    await expect.poll(async () => (await world.engine.store.direct.log.turn(other.turnId))?.state).toBe('FAILED');
    expect((await world.record(name)).version).toBe(before);
  });

  it('fails with the reason of the turn, and the owner gets a message', async () => {
    const { name } = await world.create('!error invalid_request');
    const { summary } = await world.until(name, { phase: 'FAILED', execution: 'Failed' });
    expect(summary).not.toBe('');
    expect(await world.told()).toEqual([`Task ${name} (Dig) is now FAILED.`]);
  });

  it('is blocked while its turn waits for a person, and continues with the answer', async () => {
    const { name } = await world.create('!tool dig {}');
    const { sessionId } = await world.until(name, { phase: 'BLOCKED', execution: 'AwaitingPerson' });
    expect(await world.told()).toEqual([`Task ${name} (Dig) is now BLOCKED.`]);
    const { store, runtime } = world.engine;
    const [request] = await store.direct.log.openPermissions(['default'], '', 1);
    await store.write(async (tx) => {
      const session = await tx.log.lockSession(sessionId);
      if (session === undefined || request === undefined) throw new Error('no request');
      const answer = { allow: true, optionId: '', comment: '', decidedBy: 'anna' };
      await runtime.lifecycle.answerPermission(tx, session, { requestId: request.id, ...answer });
    });
    await world.until(name, { phase: 'NEEDS_REVIEW', execution: 'Completed' });
    expect(await world.told()).toHaveLength(2);
  });

  it('fails when its delegate cannot begin', async () => {
    await world.agent('broken', { notReady: 'no model' });
    const { name } = await world.call('create_task', { title: 'a', description: 'b', delegate_name: 'broken' });
    const failed = await world.until(name, { phase: 'FAILED', execution: 'NotStarted' });
    expect([failed.summary, failed.sessionId]).toEqual(['agent broken is not ready: no model', '']);
  });

  it('begins also when the owner has moved the task to RUNNING before', async () => {
    const { name } = await world.create('find gold');
    expect(await world.call('update_task', { name, phase: 'RUNNING' })).toMatchObject({ phase: 'RUNNING' });
    const { sessionId } = await world.until(name, { phase: 'NEEDS_REVIEW', execution: 'Completed' });
    expect(await world.engine.store.direct.log.turns(sessionId, { limit: 10 })).toHaveLength(1);
  });

  it('stays as it is when the owner moves the task to RUNNING while its turn waits in the queue', async () => {
    const busy = new TaskWorld({ concurrency: 0 });
    await busy.start();
    try {
      const { name } = await busy.create('find gold');
      const { sessionId, turnId } = await busy.until(name, { phase: 'QUEUED', execution: 'Queued' });
      expect(await busy.call('update_task', { name, phase: 'RUNNING' })).toMatchObject({ phase: 'RUNNING' });
      expect(await busy.task(name)).toMatchObject({ execution: 'Queued', turnId });
      expect(await busy.engine.store.direct.log.turns(sessionId, { limit: 10 })).toHaveLength(1);
    } finally {
      await busy.close();
    }
  });

  it('is stopped when the owner cancels the task, and no message is sent', async () => {
    const { name } = await world.create('!hold never');
    const { turnId } = await world.until(name, { phase: 'RUNNING', execution: 'Running' });
    expect(await world.call('update_task', { name, phase: 'CANCELED' })).toMatchObject({ phase: 'CANCELED' });
    await expect.poll(async () => (await world.engine.store.direct.log.turn(turnId))?.state).toBe('STOPPED');
    expect(await world.task(name)).toMatchObject({ phase: 'CANCELED', execution: 'Stopped' });
    expect(await world.told()).toEqual([]);
  });

  it('ends when the time of the task is over, and the owner gets a message', async () => {
    const { name } = await world.create('!hold never');
    const { turnId } = await world.until(name, { phase: 'RUNNING' });
    world.clock.stepWallClock(DAY_MS);
    await world.until(name, { phase: 'EXPIRED' });
    await expect.poll(async () => (await world.engine.store.direct.log.turn(turnId))?.state).toBe('STOPPED');
    expect(await world.told()).toEqual([`Task ${name} (Dig) is now EXPIRED.`]);
  });

  it('fails when the turn of the delegate is stopped or its session deleted', async () => {
    const { name } = await world.create('!hold never');
    const { sessionId } = await world.until(name, { phase: 'RUNNING' });
    const { store, runtime } = world.engine;
    await store.write(async (tx) => {
      const session = await tx.log.lockSession(sessionId);
      if (session !== undefined) await runtime.lifecycle.remove(tx, session);
    });
    expect(await world.task(name)).toMatchObject({ phase: 'FAILED', summary: "The delegate's turn was stopped." });
    expect(await world.told()).toHaveLength(1);
  });

  it('begins once and sends one message, however often queue items run again', async () => {
    const { name } = await world.create('once', { idempotencyKey: 'abcdefghijklmnopqrstuvwxyz' });
    expect((await world.create('once', { idempotencyKey: 'abcdefghijklmnopqrstuvwxyz' })).name).toBe(name);
    const { workers = [] } = world.module;
    const items = await world.engine.store.write((tx) =>
      tx.queue.take(['task.dispatch'], world.engine.store.steadyNow(), 0, 10),
    );
    expect(items).toHaveLength(1);
    const run = (kind: string, item: (typeof items)[number]) =>
      workers.find(({ kinds }) => kinds.includes(kind))?.run(item);
    for (const item of [...items, ...items]) expect(await run('task.dispatch', item)).toEqual({ done: true });
    const { sessionId } = await world.until(name, { phase: 'NEEDS_REVIEW' });
    expect(await world.engine.store.direct.log.turns(sessionId, { limit: 10 })).toHaveLength(1);
    expect(await world.told()).toHaveLength(1);
  });

  it('wakes a call of the owner that waits for the task, in place of a message', async () => {
    const { name } = await world.create('!hold never');
    await world.until(name, { phase: 'RUNNING' });
    const woken: string[] = [];
    const { store, runtime } = world.engine;
    const wakes = { wake: async (_tx: unknown, turnId: string, key: string) => woken.push(`${turnId} ${key}`) > 0 };
    const { admission } = runtime;
    const { OwnerWake } = await import('./task-wake.ts');
    const { turnId } = await world.engine.send(world.owner, '!hold never');
    await expect.poll(async () => (await store.direct.log.session(world.owner))?.activeTurnId).toBe(turnId);
    const { uid, key } = await world.record(name);
    const payload = JSON.stringify({
      key,
      uid,
      sessionId: world.owner,
      text: 'x',
      cause: { identity: 'a', lineage: [] },
    });
    const item = { kind: 'task.wake', key: `${uid}/1`, payload };
    const worker = new OwnerWake({ store, wakes, admission });
    for (let runs = 0; runs < 2; runs++) expect(await worker.run(item)).toEqual({ done: true });
    expect(woken).toEqual([`${turnId} ${taskWaitKey(uid)}`]);
    expect(await world.told()).toEqual([]);
  });

  it('stays RUNNING while its turn waits for something other than a person', async () => {
    const { name } = await world.create('!tool doze {}');
    await world.until(name, { phase: 'RUNNING', execution: 'AwaitingEvent' });
    expect(await world.told()).toEqual([]);
    const { turnId } = await world.task(name);
    const { store, runtime } = world.engine;
    await store.write((tx) => runtime.wakes.wake(tx, turnId, 'dawn'));
    await world.until(name, { phase: 'NEEDS_REVIEW', execution: 'Completed' });
    expect(await world.told()).toHaveLength(1);
  });

  it('is waited for by the session that asked for it, which gets no message about what it saw', async () => {
    const { name } = await world.create('!tool doze {}');
    const owner = { namespace: 'default', sessionId: world.owner };
    await world.until(name, { phase: 'RUNNING', execution: 'AwaitingEvent' });
    const { uid } = await world.record(name);
    expect(await world.module.awaitTask(owner, name)).toMatchObject({ isOpen: true, key: taskWaitKey(uid) });
    expect(await world.module.awaitTask({ ...owner, sessionId: 'another' }, name)).toBeUndefined();
    const { turnId } = await world.task(name);
    await world.engine.store.write((tx) => world.engine.runtime.wakes.wake(tx, turnId, 'dawn'));
    // The queue has not run yet: the call sees the end of the work before the owner is woken.
    await expect.poll(() => world.task(name)).toMatchObject({ phase: 'NEEDS_REVIEW' });
    const seen = await world.module.awaitTask(owner, name);
    expect(seen).toMatchObject({ isOpen: false, shown: { name, phase: 'NEEDS_REVIEW' } });
    expect(await world.told()).toEqual([]);
    await world.call('update_task', { name, phase: 'RUNNING', progress_summary: 'again' });
    await world.until(name, { phase: 'NEEDS_REVIEW' });
    expect(await world.told()).toHaveLength(1);
  });

  it('names what it has produced, which its delegate alone hands over', async () => {
    const { name } = await world.create('!hold never');
    const { sessionId, turnId } = await world.until(name, { phase: 'RUNNING' });
    const report = { name, phase: 'NEEDS_REVIEW', output_artifact_uris: ['artifact://a'] };
    expect(await world.call('update_task', report)).toMatchObject({ ok: false, code: 'denied' });
    expect(world.handedOver).toEqual([]);
    const delegate = { agent: 'worker', sessionId, turnId, idempotencyKey: 'the-report-of-the-work' };
    expect(await world.call('update_task', report, delegate)).toMatchObject({
      phase: 'NEEDS_REVIEW',
      output_artifact_uris: ['artifact://a'],
    });
    expect(world.handedOver).toEqual([`artifact://a to helper ${world.owner}`]);
    expect(taskStatus(await world.record(name))).toMatchObject({
      outputArtifactUris: ['artifact://a'],
      resultArtifacts: [{ key: 'artifact://a', filename: 'a.csv' }],
    });
    // Its process died before it recorded the answer, and the owner has sent the task back meanwhile.
    await world.call('update_task', { name, phase: 'RUNNING', progress_summary: '!hold again' });
    expect(await world.call('update_task', report, delegate)).toMatchObject({ phase: 'NEEDS_REVIEW' });
    expect(world.handedOver).toHaveLength(1);
  });

  it('is not begun in another namespace, unless over a connection', async () => {
    const put = (name: string) =>
      world.engine.store.write((tx) =>
        world.writer.create(tx, systemOrigin('test'), {
          key: recordKey('Task', 'default', name),
          spec: create(TaskSpecSchema, { title: name, delegate: { namespace: 'foreign', name: 'worker' } }),
        }),
      );
    await put('one');
    const { summary } = await world.until('one', { phase: 'FAILED' });
    expect(summary).toContain('another namespace');
  });

  it('of a declared task is begun for its delegate, and one without a delegate waits', async () => {
    const put = (name: string, delegate?: { readonly name: string }) =>
      world.engine.store.write((tx) =>
        world.writer.create(tx, systemOrigin('test'), {
          key: recordKey('Task', 'default', name),
          spec: create(TaskSpecSchema, { title: name, ...(delegate === undefined ? {} : { delegate }) }),
        }),
      );
    await put('declared', { name: 'worker' });
    await put('waiting');
    await world.until('declared', { phase: 'NEEDS_REVIEW' });
    expect(await world.task('waiting')).toMatchObject({ phase: 'QUEUED', execution: 'NotStarted' });
    expect(await world.told()).toEqual([]);
  });

  describe('and its tools', () => {
    it('are offered by their actions, and delegate_task to agents with connections', async () => {
      expect(await world.tools.offered({ tasks: ['inspect'] })).toEqual(['get_task', 'list_tasks']);
      expect(await world.tools.offered({ tasks: ['create'] })).toEqual(['create_task']);
      expect(await world.tools.offered({ tasks: ['update'] })).toEqual(['update_task']);
      expect(await world.tools.offered({})).toEqual([]);
    });

    it('list and read tasks of the own namespace', async () => {
      const { name } = await world.create('a');
      world.clock.advance(5);
      const second = await world.call('create_task', {
        title: 'B',
        description: 'b',
        delegate_name: 'worker',
        type: 'dig',
      });
      const names = async (input: object) =>
        (await world.call('list_tasks', input)).map((task: { name: string }) => task.name);
      expect(await names({})).toEqual([second.name, name]);
      expect(await names({ group: 'dig' })).toEqual([second.name]);
      expect(await names({ phase: 'RUNNING' })).toEqual([]);
      expect(await names({ delegate: 'worker', limit: 1 })).toEqual([second.name]);
      expect(await world.call('get_task', { name })).toMatchObject({
        title: 'Dig',
        owner: 'helper',
        delegate: 'worker',
      });
      expect(await world.call('get_task', { name: 'none' })).toMatchObject({ ok: false, code: 'failed' });
      const denied = { ok: false, code: 'denied' };
      expect(await world.call('get_task', { name, namespace: 'other' })).toMatchObject(denied);
      expect(await world.call('list_tasks', { namespace: 'other' })).toMatchObject(denied);
    });

    it('let a delegate report on its own task only, in its own turn', async () => {
      const { name } = await world.create('!hold never');
      const { sessionId, turnId } = await world.until(name, { phase: 'RUNNING' });
      const delegate = { agent: 'worker', sessionId, turnId };
      const update = (phase: string, context: Partial<ToolContext>) =>
        world.call('update_task', { name, phase, progress_summary: phase }, context);
      expect(await update('BLOCKED', { ...delegate, turnId: 'other' })).toMatchObject({ ok: false, code: 'denied' });
      expect(await update('SUCCEEDED', delegate)).toMatchObject({ ok: false, code: 'failed' });
      expect(await update('BLOCKED', delegate)).toMatchObject({ phase: 'BLOCKED', progress_summary: 'BLOCKED' });
      expect(await update('RUNNING', { sessionId: 'another session of the owner' })).toMatchObject({
        phase: 'RUNNING',
      });
      expect(await update('NEEDS_REVIEW', delegate)).toMatchObject({ phase: 'NEEDS_REVIEW' });
      // A session that works on a task owns no task that it did not ask for, even where its agent does.
      const own = await world.call('create_task', { title: 'a', description: 'b', delegate_name: 'worker' });
      const asDelegated = await world.call('update_task', { name: own.name, phase: 'CANCELED' }, { sessionId });
      expect(asDelegated).toMatchObject({ ok: false, code: 'denied' });
    });

    it('let a delegate in another namespace report on its task there', async () => {
      const { name } = await world.create('!hold never');
      const { sessionId, turnId } = await world.until(name, { phase: 'RUNNING' });
      const delegate = { namespace: 'team', agent: 'worker', sessionId, turnId };
      const report = { name, phase: 'NEEDS_REVIEW', progress_summary: 'found' };
      const stranger = await world.call('update_task', report, { ...delegate, turnId: 'other' });
      expect(stranger).toMatchObject({ ok: false, code: 'failed' });
      expect(await world.call('update_task', report, delegate)).toMatchObject({ phase: 'NEEDS_REVIEW' });
      expect(await world.task(name)).toMatchObject({ phase: 'NEEDS_REVIEW', summary: 'found' });
    });

    it('refuse circles, chains that are too deep and agents that do not exist', async () => {
      const causing = (agent: string) => ({ namespace: 'default', agent, turnId: agent });
      expect((await world.create('a', { lineage: [causing('worker')] })).error).toContain('loop_detected');
      expect((await world.create('a', { lineage: [causing('x'), causing('y')] })).error).toContain('depth_exceeded');
      const missing = { title: 'a', description: 'b', delegate_name: 'no-one' };
      expect(await world.call('create_task', missing)).toMatchObject({ ok: false, code: 'failed' });
      expect(await world.call('list_tasks', {})).toEqual([]);
    });

    it('give one task at a time to each connection of a session', async () => {
      const [source] = world.module.toolSources ?? [];
      const connection = {
        name: 'mate',
        description: '',
        inputModes: [],
        outputModes: [],
        timeoutSeconds: 0,
        maxDepth: 1,
        target: { internal: { namespace: '', agent: 'worker' } },
      } satisfies ConnectionGrant;
      const far = { ...connection, name: 'far', target: { external: { agentCardUrl: 'https://a.example' } } };
      const grants = { connections: [connection, far] } as unknown as ToolTurn['grants'];
      expect([source?.concerns(grants), source?.concerns({ ...grants, connections: [] })]).toEqual([true, false]);
      const caller = new ToolCaller({ tools: await (source?.tools({ grants } as ToolTurn) ?? []) });
      const delegate = (input: object = {}, context: Partial<ToolContext> = {}) =>
        caller.call(
          'delegate_task',
          { connection: 'mate', title: 'a', description: 'b', ...input },
          { capabilities, sessionId: world.owner, ...context },
        );
      const first = await delegate({}, { idempotencyKey: 'first-call-of-a-session' });
      expect(first).toMatchObject({ phase: 'QUEUED', delegate: 'worker' });
      expect(await delegate({}, { idempotencyKey: 'second-call-of-a-session' })).toMatchObject({ ok: false });
      expect((await delegate({}, { idempotencyKey: 'third-call', sessionId: 'else' })).phase).toBe('QUEUED');
      expect((await delegate({ connection: 'far' })).error).toContain('agent_send');
      await world.until(first.name, { phase: 'NEEDS_REVIEW' });
      expect((await delegate({}, { idempotencyKey: 'fourth-call-of-a-session' })).phase).toBe('QUEUED');
      const deep = { lineage: [{ namespace: 'default', agent: 'x', turnId: 'x' }], idempotencyKey: 'fifth-call' };
      expect((await delegate({}, deep)).error).toContain('depth_exceeded');
    });
  });
});
