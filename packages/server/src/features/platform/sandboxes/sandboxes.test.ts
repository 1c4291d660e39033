import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { SandboxClassSpecSchema, SandboxPolicySpecSchema, SandboxSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, seededRandom, silentLog } from '../../../base/index.ts';
import { recordKey } from '../../../resources/index.ts';
import { DemoProvider } from '../../../sandbox/index.ts';
import { testPlan } from '../../../sandbox/testing/plans.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import type { Tool, ToolContext, ToolGrants, ToolResult } from '../../../tools/contract.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { sandboxClaims } from './lease-records.ts';
import { sandboxContracts } from './sandbox-kinds.ts';
import { sandboxesModule } from './sandboxes-module.ts';

const MINUTE = 60_000;
const GRANTS: ToolGrants = {
  namespace: 'default',
  agent: 'helper',
  capabilities: { code: ['run'], sandbox: ['*'] },
  features: [],
  mcpServers: [],
  connections: [],
};

describe('sandboxes of sessions', () => {
  let world: ResourceWorld;
  let provider: DemoProvider;
  let node: ReturnType<typeof start>;
  let calls: number;

  beforeEach(async () => {
    calls = 0;
    world = await openResourceWorld({
      contracts: () =>
        sandboxContracts({
          ancestorsOf: () => [],
          secretProblem: async () => undefined,
          providerReport: () => ({ isAvailable: true, message: '' }),
          configProblems: () => [],
          planProblem: () => '',
        }),
    });
    provider = new DemoProvider({ clock: world.clock });
    node = start(7);
    await put('SandboxClass', 'small', create(SandboxClassSpecSchema, { provider: 'demo' }));
    await policy({});
  });
  afterEach(() => world.close());

  /** One process: the module with its own memory; all share the store and the provider. */
  const start = (seed: number) => {
    const module = sandboxesModule({
      ...world,
      log: silentLog,
      random: seededRandom(seed),
      workerId: `w${seed}`,
      ancestorsOf: () => [],
      secretProblem: async () => undefined,
      providers: [provider],
      providerKinds: [],
      settings: { 'sandbox.idleStop': 15 * MINUTE, 'sandbox.destroyAfter': 24 * 60 * MINUTE },
    });
    const job = (name: string) => () => module.jobs?.find((one) => one.name === name)?.tick();
    return { module, renew: job('sandbox-leases'), collect: job('sandbox-collection') };
  };
  const put = async (kind: string, name: string, spec: ReturnType<typeof create>): Promise<StoredResource> =>
    world.store.write(
      async (tx) =>
        (await world.writer.put(tx, callContext('test'), { key: recordKey(kind, 'default', name), spec })).resource,
    );
  const policy = (spec: Omit<MessageInitShape<typeof SandboxPolicySpecSchema>, '$typeName' | '$unknown'>) =>
    put('SandboxPolicy', 'default', create(SandboxPolicySpecSchema, { classRef: { name: 'small' }, ...spec }));
  const tools = async (from = node, grants = GRANTS): Promise<ReadonlyMap<string, Tool>> => {
    const [source] = from.module.toolSources ?? [];
    const turn = {
      grants,
      sessionId: 's',
      turnId: 't',
      identity: '',
      lineage: [],
      openCalls: [],
      sessionLabels: {},
      signal: new AbortController().signal,
    };
    return new Map((await source?.tools(turn))?.map((tool) => [tool.name, tool]));
  };
  const call = async (
    name: string,
    input: Readonly<Record<string, unknown>>,
    how: {
      readonly session?: string;
      readonly turn?: string;
      readonly key?: string;
      readonly from?: typeof node;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<ToolResult> => {
    const {
      session = 's1',
      turn = 't1',
      key = `k${calls++}`,
      from = node,
      signal = new AbortController().signal,
    } = how;
    const agent = session === '' ? '' : 'helper';
    const context = { namespace: 'default', agent, sessionId: session, turnId: turn, idempotencyKey: key };
    const tool = (await tools(from)).get(name);
    return (await tool?.run({ ...context, signal, progress: () => undefined } as ToolContext, input)) as ToolResult;
  };
  const exec = (command: string, how = {}) => call('sandbox_exec', { command }, how);
  const textOf = ({ content }: ToolResult): string =>
    content.map((one) => (one.type === 'text' ? one.text : '')).join('\n');
  const sandboxes = () => world.store.direct.resources.list({ kind: 'Sandbox', scope: { type: 'all' }, limit: 50 });
  const statuses = async () => (await sandboxes()).map(({ status }) => JSON.parse(status));
  const reconcile = async (from = node): Promise<void> => {
    const [reconciler] = from.module.reconcilers ?? [];
    for (const { key } of await sandboxes()) await reconciler?.reconcile(key);
  };
  const addSession = (id: string) =>
    world.store.write((tx) =>
      tx.log.insertSession({
        ...{ id, namespace: 'default', agent: 'helper', state: 'IDLE', labels: {}, fence: 0, epoch: 0, createdAt: 1 },
        ...{
          lastActive: 1,
          openTurns: 0,
          activeTurnId: '',
          admission: 0,
          lastMessageId: '',
          lastSequence: 0,
          body: '{}',
        },
      }),
    );

  it('keep files between calls, apart from other sessions, and show who holds them', async () => {
    await call('sandbox_write_file', { path: 'a.txt', content: 'one' });
    expect(textOf(await call('sandbox_read_file', { path: 'a.txt' }))).toBe('one');
    expect((await call('sandbox_list', { path: '/workspace' })).structured).toEqual([
      { name: 'a.txt', type: 'file', size_bytes: 3 },
    ]);
    const other = await call('sandbox_read_file', { path: 'a.txt' }, { session: 's2' });
    expect(other.structured).toMatchObject({ ok: false, code: 'failed', error: 'the sandbox has no a.txt' });
    expect((await call('run_code', { language: 'shell', code: 'echo hi' })).structured).toMatchObject({ exit_code: 0 });
    expect(await statuses()).toContainEqual(
      expect.objectContaining({
        phase: 'Leased',
        lease: expect.objectContaining({ ownerAgent: 'helper', ownerSessionId: 's1', ownerKind: 'Session' }),
        processes: [expect.objectContaining({ phase: 'Exited' })],
      }),
    );
  });

  it('answer commands that fail, take too long or use bad arguments with what happened', async () => {
    expect((await exec('fail 3 no')).structured).toMatchObject({ exit_code: 3, stderr: 'no\n' });
    const hanging = call('sandbox_exec', { command: 'hang', timeout_ms: 500 });
    await expect.poll(async () => JSON.stringify(await statuses())).toContain('Running');
    world.clock.advance(500);
    expect((await hanging).structured).toMatchObject({ ok: false, code: 'timeout' });
    expect((await call('sandbox_exec', { command: 'x', cwd: 'y' })).structured).toMatchObject({
      code: 'invalid_arguments',
    });
    const inputs = 'x'.repeat(70_000);
    expect((await call('run_code', { language: 'shell', code: 'x', inputs })).structured).toMatchObject({
      error: expect.stringContaining('inputs'),
    });
    await provider.writeFile({ id: (await sandboxes())[0]?.uid, mountPath: '/workspace', volume: '' } as never, 'b', {
      signal: new AbortController().signal,
      bytes: new Uint8Array([255]),
    });
    expect(textOf(await call('sandbox_read_file', { path: 'b' }))).toContain('not text');
  });

  it('never exceed the quota; who waits gets the next free one, or an error after 30 s', async () => {
    await policy({ maxConcurrent: 1 });
    await exec('echo 1');
    const waiting = exec('echo 2', { session: 's2' });
    const refused = expect(waiting.then(({ structured }) => structured)).resolves.toMatchObject({
      code: 'unavailable',
      retryable: true,
      error: expect.stringContaining('sandbox_quota'),
    });
    const advance = async (until: () => Promise<boolean> | boolean): Promise<void> => {
      for (let seconds = 0; seconds < 200 && !(await until()); seconds++) {
        await new Promise((resolve) => setImmediate(resolve));
        world.clock.advance(1_000);
      }
    };
    let isOver = false;
    void waiting.then(() => (isOver = true));
    await Promise.all([
      advance(async () => {
        await node.renew();
        return isOver;
      }),
      refused,
    ]);
    // Nobody renews for the first session any more: its lease lapses while the next one waits.
    world.clock.advance(45_000);
    let isServed = false;
    const served = exec('echo 3', { session: 's3' }).then((result) => {
      isServed = true;
      return result;
    });
    // Each second lets the store answer once, so that the lease of the one who is served does not lapse under it.
    await advance(async () => {
      await statuses();
      return isServed;
    });
    expect((await served).structured).toMatchObject({ stdout: '3\n' });
    expect(await statuses()).toHaveLength(2);
  });

  it('are taken over by another process with a new token; the old one is refused', async () => {
    await exec('write a one');
    const second = start(8);
    expect((await exec('cat a', { from: second })).structured).toMatchObject({ stdout: 'one' });
    // The first process finds out and leases again.
    expect((await exec('cat a')).structured).toMatchObject({ stdout: 'one' });
    const hanging = exec('hang', { from: second });
    await expect.poll(async () => JSON.stringify(await statuses())).toContain('Running');
    await exec('echo mine');
    await second.renew();
    expect((await hanging).structured).toMatchObject({ error: 'it was stopped' });
  });

  it('say once that a lost workspace was reset, and again when the same call is repeated', async () => {
    await exec('write a one');
    await exec('vanish');
    const after = await exec('echo x', { key: 'same' });
    expect(textOf(after)).toContain('workspace was reset');
    expect(textOf(await exec('echo x', { key: 'same', from: start(9) }))).toContain('workspace was reset');
    expect(textOf(await exec('echo y'))).not.toContain('reset');
    expect((await exec('cat a')).structured).toMatchObject({ exit_code: 1 });
  });

  it('keep a persistent workspace when they are replaced, as long as the session lives', async () => {
    await policy({ template: { workspace: { mode: 'persistent' } } });
    await addSession('s1');
    await exec('write a one');
    await exec('vanish');
    expect((await exec('cat a')).structured).toMatchObject({ stdout: 'one' });
    await world.store.write(async (tx) => {
      for (const { key } of await sandboxes())
        await world.writer.remove(tx, callContext('test'), { key, bySystem: true });
    });
    await reconcile();
    await node.collect();
    expect((await provider.list()).volumes).toEqual(['s-s1']);
    await world.store.write((tx) => tx.log.deleteSession('s1'));
    await node.collect();
    expect(await provider.list()).toEqual({ backends: [], volumes: [] });
  });

  it('show the output of a setup that failed twice, keep no backend, and run it when it is mended', async () => {
    await policy({ template: { setup: { packages: ['git'], commands: ['fail 1 no disk'] } } });
    expect((await exec('echo x')).structured).toMatchObject({
      code: 'failed',
      error: expect.stringContaining('no disk'),
    });
    const [status] = await statuses();
    expect(status).toMatchObject({
      phase: 'Failed',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'SetupDone', status: 'False', message: expect.stringContaining('no disk') }),
      ]),
    });
    expect((await provider.list()).backends).toEqual([]);
    await policy({ template: { setup: { packages: ['git'], commands: ['echo fine'] } } });
    expect((await exec('cat .packages/git', { session: 's2' })).structured).toMatchObject({ stdout: 'installed' });
  });

  it('without a record are removed, also next to one whose removal fails', async () => {
    for (const id of ['first', 'stuck', 'last']) await provider.create(testPlan(id));
    const destroy = provider.destroy.bind(provider);
    provider.destroy = async (id) => {
      if (id === 'stuck') throw new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', 'the service is busy');
      await destroy(id);
    };
    await node.collect();
    expect((await provider.list()).backends).toEqual(['stuck']);
    provider.destroy = destroy;
    await node.collect();
    expect((await provider.list()).backends).toEqual([]);
  });

  it('are released when idle, destroyed after a day, and when their session goes', async () => {
    await addSession('s1');
    await exec('echo x');
    world.clock.advance(15 * MINUTE);
    await node.renew();
    // Time passed without renewals, so the lease had lapsed: the next use takes it again.
    await exec('echo y');
    for (let passed = 0; passed < 16; passed += 0.25) {
      world.clock.advance(MINUTE / 4);
      await node.renew();
    }
    expect((await statuses())[0]).toMatchObject({ phase: 'Ready' });
    expect((await statuses())[0].lease).toBeUndefined();
    world.clock.advance(25 * 60 * MINUTE);
    await node.collect();
    await reconcile();
    expect([await sandboxes(), (await provider.list()).backends]).toEqual([[], []]);
    await exec('echo z');
    await world.store.write((tx) => tx.log.deleteSession('s1'));
    await reconcile();
    await reconcile();
    expect([await sandboxes(), (await provider.list()).backends]).toEqual([[], []]);
  });

  it('belong to one run of a workflow, and go when it has ended', async () => {
    const setRun = (id: string, status: string) =>
      world.store.write((tx) =>
        tx.workflowRuns.put({ id, namespace: 'default', workflow: 'w', workflowUid: 'u', status, body: '{}' }),
      );
    for (const id of ['r1', 'r2']) await setRun(id, 'RUNNING');
    const inRun = (turn: string) => ({ session: '', turn });
    await exec('write a one', inRun('r1'));
    await reconcile();
    await reconcile();
    expect((await exec('cat a', inRun('r1'))).structured).toMatchObject({ stdout: 'one' });
    expect((await exec('cat a', inRun('r2'))).structured).toMatchObject({ exit_code: 1, stdout: '' });
    expect(await sandboxes()).toHaveLength(2);

    await setRun('r1', 'COMPLETED');
    await node.collect();
    await reconcile();
    expect((await statuses()).map(({ lease }) => lease.ownerSessionId)).toEqual(['r2']);
    expect((await provider.list()).backends).toHaveLength(1);
  });

  it('are named by the session that leases them, as long as they are there and its own', async () => {
    for (const id of ['s1', 's2']) await addSession(id);
    const shown = async (id: string): Promise<unknown> => {
      const session = await world.store.direct.log.session(id);
      return JSON.parse(session?.body ?? '{}').sandboxRef;
    };
    const named = async (): Promise<readonly string[]> => (await sandboxes()).map(({ key }) => key.name);
    await exec('write a one');
    expect([await shown('s1')]).toEqual(await named());
    // A process that takes over finds the same one.
    expect((await exec('cat a', { from: start(8) })).structured).toMatchObject({ stdout: 'one' });
    expect([await shown('s1')]).toEqual(await named());
    for (const key of (await sandboxes()).map((record) => record.key))
      await world.store.write((tx) => world.writer.remove(tx, callContext('test'), { key, bySystem: true }));
    await reconcile();
    expect(await shown('s1')).toBe('');
    await policy({ template: { leasePolicy: { mode: 'pool' } } });
    await exec('echo x', { session: 's1' });
    world.clock.advance(2 * MINUTE);
    await exec('echo y', { session: 's2' });
    expect([await shown('s1'), await shown('s2')]).toEqual(['', ...(await named())]);
  });

  it('are held by the worker that keeps them, for sessions and runs, until they are given back', async () => {
    const held = (name: string) => world.store.write((tx) => sandboxClaims.held(tx, { name }, 10));
    const taken = world.clock.nowMicros();
    await exec('echo x');
    const [name = ''] = (await sandboxes()).map(({ key }) => key.name);
    await exec('echo y', { session: '', turn: 'r1', from: start(8) });
    const ofRun = (await sandboxes()).map(({ key }) => key.name).find((one) => one !== name) ?? '';
    const times = { since: taken, until: taken + MINUTE * 1_000 };
    const claim = { kind: 'sandbox', namespace: 'default', state: 'ready', ...times, tries: 0 };
    expect(await held('w7')).toEqual([{ ...claim, id: name, name, agent: 'helper', sessionId: 's1' }]);
    expect(await held('w8')).toEqual([{ ...claim, id: ofRun, name: ofRun, agent: '', sessionId: '' }]);
    await exec('echo z', { from: start(9) });
    expect([await held('w7'), (await held('w9')).map(({ id }) => id)]).toEqual([[], [name]]);
    world.clock.advance(MINUTE);
    expect([await held('w8'), await held('w9')]).toEqual([[], []]);
  });

  it('go with their turn, or to another session of the pool without anything of the former', async () => {
    await policy({ template: { leasePolicy: { mode: 'turn' } } });
    await exec('write a one', { turn: 't1' });
    await node.renew();
    await reconcile();
    expect(await sandboxes()).toEqual([]);
    await policy({ template: { leasePolicy: { mode: 'pool' } } });
    await exec('write a one', { session: 's1' });
    world.clock.advance(2 * MINUTE);
    expect((await exec('cat a', { session: 's2' })).structured).toMatchObject({ exit_code: 1 });
    expect(await sandboxes()).toHaveLength(1);
    expect((await exec('echo back', { session: 's1' })).structured).toMatchObject({ stdout: 'back\n' });
    expect(await sandboxes()).toHaveLength(2);
  });

  it('are made where they are declared, and removed with their backend; backends without a record go', async () => {
    await put('Sandbox', 'mine', create(SandboxSpecSchema, { policyRef: 'default' }));
    await reconcile();
    expect(await statuses()).toEqual([expect.objectContaining({ phase: 'Ready' })]);
    const [record] = await sandboxes();
    expect(record?.finalizers).toEqual(['svc/sandbox-backend']);
    await provider.create({ id: 'stray', volume: '' } as never);
    await node.collect();
    expect((await provider.list()).backends).toEqual([record?.uid]);
    await world.store.write(async (tx) => {
      await world.writer.remove(tx, callContext('test'), { key: recordKey('Sandbox', 'default', 'mine') });
    });
    expect((await provider.list()).backends).toHaveLength(1);
    await reconcile();
    expect([await sandboxes(), (await provider.list()).backends]).toEqual([[], []]);
  });

  it('offer tools only where the policy of the agent leads to a class', async () => {
    expect([...(await tools()).keys()]).toHaveLength(5);
    const features = [{ name: 'other', type: 'sandbox', required: false }];
    expect((await tools(node, { ...GRANTS, features })).size).toBe(0);
    const [source] = node.module.toolSources ?? [];
    expect(source?.concerns({ ...GRANTS, capabilities: {} })).toBe(false);
  });
});
