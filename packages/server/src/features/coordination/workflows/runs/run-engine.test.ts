import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../../base/index.ts';
import { queueItem, TURN_REPORT } from '../record/index.ts';
import { RunWorld, stepSummary } from '../testing/index.ts';

let world: RunWorld;
beforeEach(async () => {
  world = new RunWorld();
  await world.start();
});
afterEach(() => world.close());

const types = async (runId: string) =>
  (await world.events(runId)).map(({ type, stepId = '' }) => `${type} ${stepId}`.trim());
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ code, reason, violations: [first] }: Fault) => `${code} ${first?.reason ?? reason}`,
  );
/** A run of one agent step whose answer is read as JSON. */
const asked = async (prompt: string, more: object = {}) => {
  const step = { id: 'ask', type: 'agent', agent: 'helper', prompt, output: { format: 'json', ...more } };
  await world.put('ask', { steps: [step], outputJson: '"${$.steps.ask.output}"' });
  const { run } = await world.run('ask');
  const events = await world.events(run?.id ?? '');
  return { run, output: run?.outputJson, payloads: events.map(({ payload }) => payload ?? {}), events };
};
const noop = (id: string, more: object = {}) => ({ id, type: 'transform', ...more });
const pause = (id: string, more: object = {}) => ({ id, type: 'pause', prompt: `decide ${id}`, ...more });

describe('a run', () => {
  it('asks agents, passes values on and completes with its output', async () => {
    const ask = { id: 'ask', type: 'agent', agent: 'helper', prompt: '!say {"n": ${$.input.n}}' };
    const sum = noop('sum', {
      after: ['ask'],
      inputJson: '{"n":"${$.steps.ask.output.n}","t":"is ${$.steps.ask.output}"}',
    });
    await world.put('flow', {
      steps: [{ ...ask, output: { format: 'json' } }, sum],
      outputJson: '{"result":"${$.steps.sum.output}","run":"${$.run.workflow}"}',
    });
    const { run, steps } = await world.run('flow', { n: 4 });
    expect(run).toMatchObject({ status: 'COMPLETED', error: '' });
    expect(JSON.parse(run?.outputJson ?? '')).toEqual({ result: { n: 4, t: 'is {"n":4}' }, run: 'flow' });
    expect(steps.map(({ stepId, status, attempt }) => [stepId, status, attempt])).toEqual([
      ['ask', 'COMPLETED', 1],
      ['sum', 'COMPLETED', 1],
    ]);
    expect(steps[0]?.childSessionId).not.toBe('');
    expect(await types(run?.id ?? '')).toEqual([
      'run_started',
      'step_started ask',
      'step_completed ask',
      'step_started sum',
      'step_completed sum',
      'run_completed',
    ]);
    expect(world.ended).toMatchObject([{ run: { id: run?.id, status: 'COMPLETED' }, output: { run: 'flow' } }]);
  });

  it('finds JSON in a fence and in prose and says so, and fails without any (48)', async () => {
    expect(await asked('!say {"a":1}')).toMatchObject({ output: '{"a":1}' });
    const fenced = await asked('!say Here:\n```json\n{"a":2}\n```');
    expect([fenced.output, fenced.payloads]).toEqual([
      '{"a":2}',
      expect.arrayContaining([{ attempt: 1, outputRepair: true }]),
    ]);
    expect((await asked('!say Well {not} but ["x", "}"] then')).output).toBe('["x","}"]');
    const invalid = await asked(`!say no ${'x'.repeat(700)}`);
    expect(invalid.run).toMatchObject({ status: 'FAILED', error: expect.stringContaining('OUTPUT_NOT_JSON') });
    expect(invalid.payloads.find(({ code }) => code === 'OUTPUT_NOT_JSON')).toMatchObject({
      text: `no ${'x'.repeat(597)}`,
    });
  });

  it('makes a further attempt when an answer does not fit its schema (48)', async () => {
    const step = {
      id: 'ask',
      type: 'agent',
      agent: 'helper',
      prompt: '!say ${$.steps.ask.attempt}',
      output: { format: 'json', schemaJson: '{"minimum":2}' },
      retry: { maxAttempts: 2 },
    };
    await world.put('ask', { steps: [step] });
    const id = await world.begin('ask');
    await world.settle();
    expect(await types(id)).toContain('step_retry_scheduled ask');
    await world.pass(1);
    expect([(await world.state(id)).status, stepSummary(await world.get(id))]).toEqual([
      'COMPLETED',
      { ask: 'COMPLETED 2' },
    ]);
  });

  it('tries three times with growing delays and fails once (49)', async () => {
    const retry = { maxAttempts: 3, initialBackoffSeconds: 2n, maxBackoffSeconds: 3n, multiplier: 4 };
    await world.put('flow', { steps: [{ id: 'ask', type: 'agent', agent: 'helper', prompt: '!fail oh', retry }] });
    const id = await world.begin('flow');
    await world.settle();
    const attempt = async () => [(await world.state(id)).status, (await world.steps(id))[0]?.attempt];
    expect(await attempt()).toEqual(['RUNNING', 1]);
    await world.pass(1);
    expect(await attempt()).toEqual(['RUNNING', 1]);
    await world.pass(1);
    expect(await attempt()).toEqual(['RUNNING', 2]);
    await world.pass(2);
    expect(await attempt()).toEqual(['RUNNING', 2]);
    await world.pass(1);
    expect(await attempt()).toEqual(['FAILED', 3]);
    expect((await types(id)).filter((type) => /failed|retry/.test(type))).toEqual([
      'step_retry_scheduled ask',
      'step_retry_scheduled ask',
      'step_failed ask',
      'run_failed',
    ]);
    expect((await world.get(id)).run?.error).toBe('step ask: TURN_FAILED: oh');
  });

  it('fails a step whose time is over although its child never ends, and tries again (50)', async () => {
    const retry = { maxAttempts: 2 };
    const hang = { id: 'ask', type: 'agent', agent: 'helper', prompt: '!hang', timeout: '5s', retry };
    await world.put('flow', { steps: [hang, pause('other')] });
    const id = await world.begin('flow');
    await world.settle();
    expect((await world.state(id)).status).toBe('SUSPENDED');
    await world.pass(4);
    expect(stepSummary(await world.get(id))).toMatchObject({ ask: 'WAITING_CHILD_SESSION' });
    await world.pass(1);
    expect([(await world.state(id)).status, stepSummary(await world.get(id))]).toEqual([
      'RUNNING',
      { ask: 'WAITING_RETRY', other: 'SUSPENDED' },
    ]);
    await world.pass(1);
    await world.pass(5);
    expect([(await world.state(id)).status, stepSummary(await world.get(id))]).toEqual([
      'FAILED',
      { ask: 'FAILED 2', other: 'CANCELLED' },
    ]);
    expect((await world.state(id)).error).toContain('TIMEOUT');
  });

  it('counts a suspended step against the concurrency, and lets skips through (51)', async () => {
    const skipped = noop('skip', { whenJson: '{"path":"$.input.no","exists":true}' });
    await world.put('flow', {
      concurrency: 1,
      steps: [pause('one'), noop('two'), skipped, noop('three', { after: ['skip'] })],
    });
    const id = await world.begin('flow');
    await world.settle();
    expect(stepSummary(await world.get(id))).toEqual({ one: 'SUSPENDED', skip: 'SKIPPED' });
    await world.resume(id, 'one');
    await world.settle();
    expect([(await world.state(id)).status, stepSummary(await world.get(id))]).toEqual([
      'COMPLETED',
      { one: 'COMPLETED', skip: 'SKIPPED', two: 'COMPLETED', three: 'COMPLETED' },
    ]);
  });

  it('takes a resume that fits the schema of its own definition, once (52)', async () => {
    const spec = (type: string) => ({
      steps: [pause('one', { resumeSchemaJson: JSON.stringify({ type }) })],
      outputJson: '{"r":"${$.steps.one.resume}","o":"${$.steps.one.output}","s":"${$.steps.one.suspend.prompt}"}',
    });
    await world.put('flow', spec('number'));
    const id = await world.begin('flow');
    await world.settle();
    await world.put('flow', spec('string'));
    expect((await world.get(id)).steps[0]?.suspendJson).toBe('{"prompt":"decide one","schema":{"type":"number"}}');
    expect(await refused(world.resume(id, 'one', '"text"'))).toBe('INVALID_ARGUMENT RESUME_SCHEMA');
    expect(await refused(world.resume(id, 'one', '{'))).toBe('INVALID_ARGUMENT RESUME_SCHEMA');
    expect(await refused(world.resume(id, 'one', `"${'x'.repeat(5_000)}"`))).toBe('RESOURCE_EXHAUSTED TOO_LARGE');
    expect(await refused(world.resume(id, 'two', '1'))).toBe('FAILED_PRECONDITION STEP_NOT_SUSPENDED');
    expect((await world.state(id)).status).toBe('SUSPENDED');
    await world.resume(id, 'one', '7');
    expect(await refused(world.resume(id, 'one', '7'))).toBe('FAILED_PRECONDITION STEP_NOT_SUSPENDED');
    await world.settle();
    expect((await world.get(id)).run?.outputJson).toBe('{"o":7,"r":7,"s":"decide one"}');
    expect(await refused(world.resume(id, 'one', '7'))).toBe('FAILED_PRECONDITION RUN_FINISHED');
    const other = await world.begin('flow');
    await world.settle();
    await world.cancel(other);
    expect(await refused(world.resume(other, 'one', '"x"'))).toBe('FAILED_PRECONDITION RUN_FINISHED');
  });

  it('waits for a time, for a person if one is sooner, and not at all for a time that has passed', async () => {
    const until = (ms: number) => new Date(world.clock.nowMicros() / 1_000 + ms).toISOString();
    const wait = (id: string, more: object) => ({ id, type: 'wait', ...more });
    await world.put('flow', {
      steps: [
        wait('past', { waitUntil: until(-60_000) }),
        wait('date', { waitUntil: until(60_000) }),
        wait('span', { waitDuration: '30s' }),
        wait('early', { waitDuration: '1d', resumeSchemaJson: '{"type":"string"}' }),
        wait('late', { waitDuration: '1h', timeout: '2m', after: ['early'] }),
      ],
    });
    const id = await world.begin('flow');
    await world.settle();
    const live = async () => stepSummary(await world.get(id));
    expect(await live()).toEqual({ past: 'COMPLETED', date: 'SUSPENDED', span: 'SUSPENDED', early: 'SUSPENDED' });
    await world.pass(30);
    expect(await live()).toMatchObject({ span: 'COMPLETED', date: 'SUSPENDED' });
    await world.resume(id, 'early', '"now"');
    await world.pass(30);
    expect(await live()).toMatchObject({ date: 'COMPLETED', early: 'COMPLETED', late: 'SUSPENDED' });
    const { steps } = await world.get(id);
    expect(steps.find(({ stepId }) => stepId === 'date')?.outputJson).toMatch(/^\{"firedAt":"\d{4}-.*Z"\}$/);
    await world.pass(120);
    expect([(await world.state(id)).status, (await world.state(id)).error]).toEqual([
      'FAILED',
      'step late: TIMEOUT: the step did not end within 2m',
    ]);
  });

  it('may wait for a time that no number of micros can name, which holds up nothing else', async () => {
    const far = { id: 'far', type: 'wait', waitUntil: '9999-12-31t23:59:59z' };
    const past = { id: 'past', type: 'wait', waitUntil: '2020-01-01t00:00:00z' };
    await world.put('flow', { steps: [far, past] });
    const id = await world.begin('flow');
    await world.settle();
    expect(stepSummary(await world.get(id))).toEqual({ far: 'SUSPENDED', past: 'COMPLETED' });
    await world.put('short', { steps: [noop('one')] });
    expect((await world.run('short')).run?.status).toBe('COMPLETED');
    await world.cancel(id);
    await world.settle();
  });

  it('refuses to cancel what has ended, and cancels what its children began (53)', async () => {
    const child = (workflow: string) => ({ id: 'down', type: 'workflow', workflow });
    await world.put('leaf', { steps: [pause('one'), { id: 'ask', type: 'agent', agent: 'helper', prompt: '!hang' }] });
    await world.put('middle', { steps: [child('leaf')] });
    await world.put('top', { steps: [child('middle'), noop('after', { after: ['down'] })] });
    const id = await world.begin('top');
    await world.settle();
    expect((await world.runs()).map(({ status }) => status)).toEqual([
      'WAITING_CHILDREN',
      'WAITING_CHILDREN',
      'SUSPENDED',
    ]);
    await world.cancel(id);
    expect((await world.state(id)).status).toBe('CANCELLED');
    await world.cancel(id);
    await world.settle();
    expect((await world.runs()).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect((await types(id)).slice(-2)).toEqual(['step_cancelled down', 'run_cancelled']);
    await world.put('short', { steps: [noop('one')] });
    const done = (await world.run('short')).run?.id ?? '';
    const before = await world.state(done);
    expect(await refused(world.cancel(done))).toBe('FAILED_PRECONDITION RUN_FINISHED');
    expect(await world.state(done)).toEqual(before);
  });

  it('hands a child its input and labels and takes its output; a failed child is tried again, a cancelled one is not', async () => {
    const retry = { maxAttempts: 2 };
    await world.put('leaf', {
      steps: [{ id: 'ask', type: 'agent', agent: 'helper', prompt: '${$.input.say}' }],
      outputJson: '{"got":"${$.steps.ask.output.text}"}',
    });
    const down = { id: 'down', type: 'workflow', workflow: 'leaf', retry, inputJson: '{"say":"${$.input.say}"}' };
    await world.put('top', { steps: [down], outputJson: '"${$.steps.down.output.got}"' });
    const started = await world.call('createRun', {
      workflow: 'top',
      inputJson: '{"say":"hi"}',
      labels: { team: 'a' },
    });
    await world.settle();
    const [top, leaf] = await world.runs();
    expect(started).toMatchObject({ run: { id: top?.id, status: 'QUEUED' } });
    expect((await world.get(top?.id ?? '')).run?.outputJson).toBe('"hi"');
    expect(leaf).toMatchObject({ depth: 2, identity: 'workflow:default/top' });
    expect(leaf?.labels).toEqual({
      team: 'a',
      'svc/message-source': 'workflow',
      'svc/parent-workflow': 'top',
      'svc/parent-workflow-run': top?.id,
      'svc/parent-workflow-step': 'down',
    });
    const failing = await world.begin('top', { say: '!fail oh' });
    await world.settle();
    await world.pass(1);
    expect([(await world.state(failing)).status, stepSummary(await world.get(failing))]).toEqual([
      'FAILED',
      { down: 'FAILED 2' },
    ]);
    const hanging = await world.begin('top', { say: '!hang' });
    await world.settle();
    await world.cancel((await world.runs()).at(-1)?.id ?? '');
    await world.settle();
    expect((await world.state(hanging)).error).toBe('step down: CHILD_CANCELLED: enough');
  });

  it('may begin itself only as deep as the limit allows', async () => {
    await world.put('deep', {
      steps: [{ id: 'again', type: 'workflow', workflow: 'deep', retry: { maxAttempts: 3 } }],
    });
    const id = await world.begin('deep');
    await world.settle();
    expect((await world.runs()).map(({ depth }) => depth)).toEqual([1, 2, 3, 4]);
    expect((await world.runs()).at(-1)?.error).toContain('RUN_DEPTH');
    await world.cancel(id);
  });

  it.each([
    ['an output that does not fit its schema (54)', { outputSchemaJson: '{"type":"string"}' }, 'OUTPUT: '],
    [
      'a schema that refers to itself without end',
      { outputSchemaJson: '{"$dynamicRef":"#"}' },
      'schema: cannot be checked: ',
    ],
    ['a comparison of what are not numbers', { when: '{"path":"$.input.a","gt":1}' }, 'step one: PREDICATE_TYPE: '],
    ['a prompt that is blank', { prompt: '${$.input.none} ' }, 'step ask: PROMPT_EMPTY: '],
    ['an output that is too large', { large: 'x'.repeat(5_000) }, 'step one: OUTPUT_TOO_LARGE: '],
    ['a value that its prompt names too often', { prompt: '${$.input.a}'.repeat(2_000) }, 'step ask: TOO_LARGE: '],
    [
      'a value that its output names too often',
      { outputJson: JSON.stringify(Array.from({ length: 2_000 }, () => '${$.input.a}')) },
      'OUTPUT: the values of the expressions have more than 4096 bytes (limits.stepOutputMax)',
    ],
  ])('fails, and does not stay RUNNING, for %s', async (_, given, error) => {
    const {
      when = '',
      prompt = 'x',
      large = '',
      outputJson = '',
      outputSchemaJson = '',
    } = given as Record<string, string>;
    await world.put('flow', {
      steps: [
        noop('one', { whenJson: when, inputJson: JSON.stringify(large) }),
        { id: 'ask', type: 'agent', agent: 'helper', prompt },
      ],
      outputJson,
      outputSchemaJson,
    });
    const { run } = await world.run('flow', { a: 'text' });
    expect(run).toMatchObject({ status: 'FAILED', error: expect.stringContaining(error) });
    expect((await types(run?.id ?? '')).filter((type) => type.startsWith('run_'))).toEqual([
      'run_started',
      'run_failed',
    ]);
  });

  it('replies once to the message that began it, before its last event; a run that another one began never does', async () => {
    await world.put('leaf', { steps: [noop('one')], outputJson: '{"reply":"of the child"}' });
    await world.put('top', {
      steps: [{ id: 'down', type: 'workflow', workflow: 'leaf' }],
      outputJson: '{"reply":"hi"}',
    });
    await world.run('top');
    const [top, leaf] = await world.runs();
    expect((await types(top?.id ?? '')).slice(-2)).toEqual(['reply_sent', 'run_completed']);
    expect(await types(leaf?.id ?? '')).not.toContain('reply_sent');
  });

  it('says what of its reply cannot be sent, before its last event', async () => {
    await world.put('flow', { steps: [noop('one')], outputJson: '{"reply":"${$.input.reply}"}' });
    const part = async (reply: unknown) => {
      const { run } = await world.run('flow', { reply });
      return (await world.events(run?.id ?? '')).slice(3).map(({ type, message = '' }) => `${type} ${message}`.trim());
    };
    expect(await part(['hi', 1, 2])).toEqual(['reply_sent', 'reply_failed part 1; part 2', 'run_completed']);
    expect(await part(7)).toEqual(['reply_failed part 7', 'run_completed']);
    expect(await part(null)).toEqual(['run_completed']);
  });

  it('reads nothing but its own copy of the definition', async () => {
    await world.put('flow', { steps: [pause('one'), noop('two', { after: ['one'] })], outputJson: '"old"' });
    const id = await world.begin('flow');
    await world.settle();
    await world.put('flow', { steps: [noop('three')], outputJson: '"new"' });
    await world.resume(id, 'one');
    await world.settle();
    expect([(await world.get(id)).run?.outputJson, stepSummary(await world.get(id))]).toEqual([
      '"old"',
      { one: 'COMPLETED', two: 'COMPLETED' },
    ]);
  });

  it('of 200 steps, each of which waits for the one before, completes', async () => {
    const steps = Array.from({ length: 200 }, (_, index) =>
      noop(`s${index}`, {
        after: index === 0 ? [] : [`s${index - 1}`],
        inputJson: index === 0 ? '{"v":"${$.input}"}' : `{"v":"\${$.steps.s${index - 1}.output.v}"}`,
      }),
    );
    await world.put('long', { steps, outputJson: '"${$.steps.s199.output.v}"' });
    const { run } = await world.run('long', 'kept');
    expect(run).toMatchObject({ status: 'COMPLETED', outputJson: '"kept"' });
  });

  it('rests while its namespace is deleted, and continues once that is there again', async () => {
    await world.put('flow', { steps: [pause('one'), noop('two', { after: ['one'] })] });
    const id = await world.begin('flow');
    await world.settle();
    await world.resume(id, 'one');
    world.deleted.add('default');
    await world.pass(60);
    expect((await world.state(id)).status).toBe('RUNNING');
    expect(await refused(world.begin('flow'))).toBe('FAILED_PRECONDITION NAMESPACE_DELETED');
    world.deleted.clear();
    await world.pass(60);
    expect((await world.state(id)).status).toBe('COMPLETED');
  });

  it('asks an agent again whose turn the deletion of the namespace stopped, once that is there again', async () => {
    await world.put('flow', { steps: [{ id: 'ask', type: 'agent', agent: 'helper', prompt: '!hang' }] });
    const id = await world.begin('flow');
    await world.settle();
    const stop = async () => {
      const [step] = await world.steps(id);
      const report = { runId: id, stepId: 'ask', attempt: step?.attempt, turnId: step?.childTurnId, state: 'STOPPED' };
      const payload = { ...report, text: '', error: '' };
      await world.store.write((tx) =>
        queueItem(tx, world.bus, { kind: TURN_REPORT, key: step?.childTurnId ?? '', payload }),
      );
      await world.settle();
    };
    world.deleted.add('default');
    await stop();
    await world.pass(60);
    world.deleted.clear();
    await world.pass(60);
    expect(stepSummary(await world.get(id))).toEqual({ ask: 'WAITING_CHILD_SESSION 2' });
    await stop();
    expect((await world.state(id)).error).toContain('TURN_STOPPED');
  });

  it('goes with its workflow: active ones are cancelled, all are removed', async () => {
    const down = { id: 'down', type: 'workflow', workflow: 'leaf' };
    await world.put('leaf', { steps: [pause('one')] });
    await world.put('top', { steps: [down] });
    await world.run('top');
    await world.remove('top');
    await world.settle();
    expect((await world.runs()).map(({ workflow, status }) => [workflow, status])).toEqual([['leaf', 'CANCELLED']]);
    await world.remove('leaf');
    await world.settle();
    const left = await world.store.read(async (tx) => [
      await tx.workflowRuns.page('ofNamespace', { namespace: 'default' }, { limit: 10 }),
      await tx.workflowTallies.page('ofNamespace', { namespace: 'default' }, { limit: 10 }),
    ]);
    expect(left).toEqual([[], []]);
  });

  it('is removed with all that it kept once its time is over', async () => {
    await world.put('flow', { steps: [noop('one')] });
    const id = (await world.run('flow')).run?.id ?? '';
    await world.pass(86_000);
    expect((await world.state(id)).status).toBe('COMPLETED');
    await world.pass(400);
    expect(await refused(world.get(id))).toBe('NOT_FOUND RUN_NOT_FOUND');
    expect(await world.events(id)).toEqual([]);
  });
});
