import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import { quietStore } from '../../../../store/testing/quiet-store.ts';
import { textResult } from '../../../../tools/index.ts';
import { runClaims } from '../record/index.ts';
import { RunWorld } from '../testing/index.ts';

let world: RunWorld;
beforeEach(async () => {
  world = new RunWorld();
  await world.start();
});
afterEach(() => world.close());

describe('a tool step', () => {
  const calls: { readonly key: string; readonly input: unknown; readonly identity: string }[] = [];
  /** What the tool does the next time. */
  let act: () => Promise<unknown> = async () => textResult('done', { fine: true });
  const tool = (name: string, capability?: object) => ({
    name,
    description: 'x',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    effect: 'write' as const,
    ...(capability === undefined ? {} : { capability }),
    run: async ({ idempotencyKey: key, identity }: { idempotencyKey: string; identity: string }, input: unknown) => {
      calls.push({ key, input, identity });
      return act() as never;
    },
  });

  beforeEach(async () => {
    calls.length = 0;
    act = async () => textResult('done', { fine: true });
    await world.close();
    const tools = [tool('read_file', { name: 'files', action: 'read' }), tool('calculate')] as never;
    world = new RunWorld({ tools });
    await world.start();
    await world.namespace('files:read, schedules:create');
  });

  const flow = (name: string, more: object = {}) =>
    world.put('flow', { steps: [{ id: 'call', type: 'tool', tool: name, ...more }] });
  const runOnce = async () => {
    const { run, steps } = await world.run('flow', { a: 2 });
    return { id: run?.id ?? '', status: run?.status, error: run?.error, output: steps[0]?.outputJson };
  };

  it('calls a granted tool with its rendered input, as its workflow, with the key of its attempt', async () => {
    await flow('read_file', { inputJson: '{"a":"${$.input.a}"}', output: { format: 'json' } });
    const { id, status, output } = await runOnce();
    expect([status, output]).toEqual(['COMPLETED', '{"fine":true}']);
    expect(calls).toEqual([{ key: `${id}/call/1`, input: { a: 2 }, identity: 'workflow:default/flow' }]);
    await flow('calculate');
    expect((await runOnce()).output).toBe('{"text":"done"}');
  });

  it('fails for a tool that is not granted any more, an input that the tool does not take, a failure and a wait', async () => {
    await flow('calculate', { inputJson: '{"a":"text"}', retry: { maxAttempts: 2 } });
    expect((await runOnce()).error).toContain('step call: TOOL_INPUT: ');
    act = async () => ({ ...textResult('it broke'), isError: true });
    await flow('calculate');
    expect((await runOnce()).error).toBe('step call: TOOL_FAILED: it broke');
    act = async () => ({ wait: 'event', key: 'k', untilMicros: 1 });
    expect((await runOnce()).error).toContain('TOOL_WAITS');
    act = () => Promise.reject(new Error('secret'));
    expect((await runOnce()).error).toBe('step call: TOOL_FAILED: the tool failed');
  });

  it('keeps a text that is too large for an output as an object of the run, and refers to it', async () => {
    const text = `${'x'.repeat(5_000)}.`;
    act = async () => textResult(text);
    await flow('calculate');
    const { id, status, output } = await runOnce();
    expect(status).toBe('COMPLETED');
    const { text: shown, object } = JSON.parse(output ?? '') as { readonly text: string; readonly object: ObjectData };
    expect(shown).toBe(`${'x'.repeat(2_000)}\n[cut: the whole text, 5001 bytes, is an object]`);
    expect(object).toMatchObject({ sizeBytes: 5_001, mediaType: 'text/plain; charset=utf-8', filename: 'call.txt' });
    expect(new TextDecoder().decode(await world.objects.read('default', object))).toBe(text);
    expect(world.objects.held).toEqual([`run/${id} ${object.sha256}`]);
    await flow('calculate', { output: { format: 'json' } });
    act = async () => textResult('', { text });
    expect((await runOnce()).error).toContain('OUTPUT_TOO_LARGE');
  });

  it('stores a large text later, without another call, while the object store is away; fails when it is refused', async () => {
    act = async () => textResult('x'.repeat(5_000));
    await flow('calculate');
    const { objects } = world;
    const { store } = objects;
    const refuse = (code: ConstructorParameters<typeof Fault>[0]): void => {
      objects.store = () => Promise.reject(new Fault(code, 'STORAGE', 'away'));
    };
    refuse('UNAVAILABLE');
    const id = await world.begin('flow');
    await world.process.runner.tick();
    for (let round = 0; round < 20; round += 1) {
      world.clock.advance(3_000);
      await quietStore(world.store);
    }
    expect([calls.length, (await world.state(id)).status]).toEqual([1, 'RUNNING']);
    objects.store = store;
    world.clock.advance(10_000);
    await world.settle();
    expect([calls.length, (await world.state(id)).status]).toEqual([1, 'COMPLETED']);
    refuse('PERMISSION_DENIED');
    expect((await runOnce()).error).toContain('OUTPUT_NOT_STORED');
    objects.store = store;
  });

  it('gives a tool its time and no more', async () => {
    act = () => new Promise(() => undefined);
    await flow('calculate');
    const id = await world.begin('flow');
    await world.process.runner.tick();
    world.clock.advance(60_000);
    await world.settle();
    expect((await world.state(id)).error).toContain('TOOL_TIMEOUT');
  });

  it('repeats a call whose result was not recorded with the same key, once its process is gone', async () => {
    act = () => new Promise(() => undefined);
    await flow('calculate');
    const id = await world.begin('flow');
    await world.process.runner.tick();
    // The process dies: it renews nothing and records nothing.
    const gone = world.process;
    world.process = world.processOn(world.store);
    act = async () => textResult('again');
    await world.settle();
    expect([(await world.state(id)).status, calls.length]).toEqual(['RUNNING', 1]);
    gone.runner.close();
    await gone.module.calls.close();
    await world.pass(31);
    expect([(await world.state(id)).status, calls.map(({ key }) => key)]).toEqual([
      'COMPLETED',
      [`${id}/call/1`, `${id}/call/1`],
    ]);
  });

  it('is not called while its namespace is deleted', async () => {
    act = () => new Promise(() => undefined);
    await flow('calculate');
    const id = await world.begin('flow');
    await world.process.runner.tick();
    world.process.runner.close();
    await world.process.module.calls.close();
    world.process = world.processOn(world.store);
    act = async () => textResult('again');
    world.deleted.add('default');
    for (let seconds = 0; seconds < 120; seconds += 30) await world.pass(30);
    expect([(await world.state(id)).status, calls.length]).toEqual(['RUNNING', 1]);
    world.deleted.clear();
    await world.pass(60);
    expect([(await world.state(id)).status, calls.length]).toEqual(['COMPLETED', 2]);
  });

  it('is held by its worker alone from its beginning to its end, as those see who look at workers', async () => {
    act = () => new Promise(() => undefined);
    await flow('calculate');
    const id = await world.begin('flow');
    const began = world.clock.nowMicros();
    await world.process.runner.tick();
    const other = world.processOn(world.store);
    const held = (name: string) => world.store.write((tx) => runClaims.held(tx, { name }, 10));
    for (let seconds = 10; seconds <= 50; seconds += 10) {
      expect(await held('process-1')).toEqual([
        {
          kind: 'run',
          id,
          part: `${id}/call/1`,
          namespace: 'default',
          name: 'flow',
          state: 'tool',
          since: began,
          until: world.clock.nowMicros() + 30_000_000,
          tries: 1,
        },
      ]);
      expect(await held('process-2')).toEqual([]);
      world.clock.advance(10_000);
      await expect.poll(async () => (await world.steps(id))[0]?.call?.until).toBe(world.store.steadyNow() + 30_000_000);
      await other.runner.tick();
    }
    await world.cancel(id);
    expect(await held('process-1')).toEqual([]);
    world.clock.advance(10_000);
    await world.process.module.calls.settled();
    other.runner.close();
  });

  it('keeps its claim while it runs, and ends when its run is cancelled', async () => {
    act = () => new Promise(() => undefined);
    await flow('calculate');
    const id = await world.begin('flow');
    await world.process.runner.tick();
    const other = world.processOn(world.store);
    for (let seconds = 0; seconds < 40; seconds += 10) {
      world.clock.advance(10_000);
      await expect.poll(async () => (await world.steps(id))[0]?.call?.until).toBe(world.store.steadyNow() + 30_000_000);
      await other.runner.tick();
    }
    expect(calls.length).toBe(1);
    await world.cancel(id);
    world.clock.advance(10_000);
    await world.process.module.calls.settled();
    expect((await world.state(id)).status).toBe('CANCELLED');
    other.runner.close();
  });
});
