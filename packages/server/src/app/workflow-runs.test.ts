import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

interface Run {
  readonly run: { readonly id: string; readonly status: string; readonly outputJson: string; readonly error: string };
  readonly steps: readonly { readonly stepId: string; readonly status: string; readonly childSessionId: string }[];
}

const apply = (...documents: readonly object[]) =>
  rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: documents.map((item) => JSON.stringify(item)).join('\n---\n'),
  });
const workflow = (name: string, spec: object) => ({ kind: 'Workflow', metadata: { name, namespace: 'default' }, spec });
const begin = (name: string, request: object = {}) =>
  rest.ok<Run>(`POST /v1/ns/default/workflows/${name}/runs`, { waitSeconds: 20, ...request });
const show = (name: string, id: string) => rest.ok<Run>(`GET /v1/ns/default/workflows/${name}/runs/${id}`);

beforeAll(() => apply({ kind: 'Agent', metadata: { name: 'helper', namespace: 'default' }, spec: {} }));

describe('a workflow of the whole server', () => {
  it('asks agents and calls tools, completes with its output, and tells its events', async () => {
    await apply(
      workflow('flow', {
        steps: [
          { id: 'sum', type: 'tool', tool: 'calculate', input: { expression: '${$.input.a} + 1' } },
          {
            id: 'ask',
            type: 'agent',
            after: ['sum'],
            agent: 'helper',
            prompt: '!say The sum is ${$.steps.sum.output.text}',
          },
        ],
        output: { answer: '${$.steps.ask.output.text}' },
      }),
    );
    const { run, steps } = await begin('flow', { inputJson: '{"a":2}' });
    expect([run.status, run.error]).toEqual(['COMPLETED', '']);
    expect(JSON.parse(run.outputJson)).toEqual({ answer: expect.stringMatching(/^The sum is .*3/) });
    const session = steps.find(({ stepId }) => stepId === 'ask')?.childSessionId ?? '';
    const record = await rest.ok<{ resource: { metadata: { labels: object } } }>(
      `GET /v1/ns/default/resources/Session/${session}`,
    );
    expect(record.resource.metadata.labels).toMatchObject({
      'svc/message-source': 'workflow',
      'svc/workflow': 'flow',
      'svc/workflow-run': run.id,
      'svc/workflow-step': 'ask',
      'svc/workflow-attempt': '1',
    });
    const answer = await rest.fetch(`/v1/ns/default/workflows/flow/runs/${run.id}/stream`, {
      headers: { accept: 'text/event-stream' },
    });
    const trail = await rest.ok<{ entries: { kind: string; name?: string; causedBy?: string; id: string }[] }>(
      `GET /v1/ns/default/trails/${run.id}`,
    );
    const step = trail.entries.find(({ name }) => name === 'ask');
    expect(trail.entries.find(({ kind }) => kind === 'session_message')?.causedBy).toBe(step?.id);
    const types = [...(await answer.text()).matchAll(/"type":"(\w+)"/g)].map(([, type]) => type);
    expect([types[0], types.at(-1), types.length]).toEqual(['run_started', 'run_completed', 6]);
  });

  it('stops the turn of a step whose time is over, and those of a cancelled run and its child (50, 53)', async () => {
    const hang = { id: 'ask', type: 'agent', agent: 'helper', prompt: '!hold gate' };
    await apply(
      workflow('slow', { steps: [{ ...hang, timeout: '1s' }] }),
      workflow('leaf', { steps: [hang] }),
      workflow('top', { steps: [{ id: 'down', type: 'workflow', workflow: 'leaf' }] }),
    );
    const states = async (session: string) => {
      const { turns } = await rest.ok<{ turns: { state: string }[] }>(
        `GET /v1/ns/default/agents/helper/sessions/${session}/turns`,
      );
      return turns.map(({ state }) => state);
    };
    const late = await begin('slow');
    expect(late.run.error).toContain('TIMEOUT');
    await expect.poll(() => states(late.steps[0]?.childSessionId ?? '')).toEqual(['TURN_STATE_STOPPED']);
    const top = await begin('top', { waitSeconds: 0 });
    const leaf = async () => {
      const { runs } = await rest.ok<{ runs: { id: string; status: string }[] }>(
        'GET /v1/ns/default/workflows/leaf/runs',
      );
      return runs[0] ?? { id: '', status: '' };
    };
    await expect.poll(async () => (await leaf()).status).toBe('WAITING_CHILDREN');
    const { steps } = await show('leaf', (await leaf()).id);
    await expect.poll(() => states(steps[0]?.childSessionId ?? '')).toEqual(['TURN_STATE_RUNNING']);
    const cancelled = await rest.ok<Run>(`POST /v1/ns/default/workflows/top/runs/${top.run.id}:cancel`, {});
    expect(cancelled.run.status).toBe('CANCELLED');
    await expect.poll(async () => (await leaf()).status).toBe('CANCELLED');
    await expect.poll(() => states(steps[0]?.childSessionId ?? '')).toEqual(['TURN_STATE_STOPPED']);
  });

  it('is run by an agent that waits for its output, and cannot run itself for ever', async () => {
    const capabilities = { workflows: ['inspect', 'run'] };
    await apply(
      { kind: 'Agent', metadata: { name: 'boss', namespace: 'default' }, spec: { capabilities } },
      workflow('paced', {
        description: 'adds nothing',
        inputSchema: { type: 'object' },
        steps: [
          { id: 'rest', type: 'agent', agent: 'helper', prompt: '!delay 200\n!say rested' },
          { id: 'go', type: 'pause', prompt: 'go on?', after: ['rest'], when: { path: '$.input.ask', equals: true } },
        ],
        output: '${$.input.n}',
      }),
      workflow('loop', {
        steps: [
          { id: 'ask', type: 'agent', agent: 'boss', prompt: '!tool run_workflow {"name":"loop","wait_seconds":60}' },
        ],
      }),
    );
    const session = await rest.session('boss');
    /** The data of the newest tool result once the message is answered. */
    const say = async (message: string) => {
      await rest.send(session, message, { waitSeconds: 30 });
      const { messages } = await rest.ok<{ messages: { parts: { payloadJson?: string }[] }[] }>(`GET ${session}`);
      const payloads = messages.flatMap(({ parts }) => parts).map(({ payloadJson = '' }) => payloadJson || '{}');
      return payloads.map((text) => (JSON.parse(text) as { output?: object }).output).findLast((output) => output);
    };
    const done = await say('!tool run_workflow {"name":"paced","input":{"n":7},"wait_seconds":60}');
    expect(done).toMatchObject({ workflow: 'paced', status: 'COMPLETED', output: 7 });
    const asks = await say('!tool run_workflow {"name":"paced","input":{"ask":true},"wait_seconds":60}');
    expect(asks).toMatchObject({ status: 'SUSPENDED' });
    const { run_id: runId = '' } = (asks ?? {}) as { run_id?: string };
    expect(await say(`!tool get_workflow_run {"run_id":"${runId}"}`)).toEqual(asks);
    expect(await say('!tool list_workflows {}')).toContainEqual({
      name: 'paced',
      description: 'adds nothing',
      input_schema: { type: 'object' },
    });
    await begin('loop');
    const { runs } = await rest.ok<{ runs: object[] }>('GET /v1/ns/default/workflows/loop/runs');
    expect(runs).toHaveLength(8);
  });

  it('begins at the instants of a schedule', async () => {
    await apply(
      workflow('timed', {
        steps: [{ id: 'one', type: 'transform', input: '${$.input.n}' }],
        output: '${$.steps.one.output}',
      }),
      {
        kind: 'Schedule',
        metadata: { name: 'timed', namespace: 'default' },
        spec: { cron: '0 0 1 1 *', target: { workflow: 'timed' }, input: { n: 5 } },
      },
    );
    const { runId } = await rest.ok<{ runId: string }>('POST /v1/ns/default/schedules/timed:run', {});
    await expect
      .poll(async () => (await show('timed', runId)).run)
      .toMatchObject({ status: 'COMPLETED', outputJson: '5' });
    const shown = () =>
      rest.ok<{
        schedule: {
          status: { lastSessionId: string; recentEvents: { phase: string; outcome: string; detail: string }[] };
        };
      }>('GET /v1/ns/default/schedules/timed');
    await expect
      .poll(async () => (await shown()).schedule.status.recentEvents.at(-1))
      .toMatchObject({ phase: 'run', outcome: 'completed', detail: `run ${runId}` });
    expect((await shown()).schedule.status.lastSessionId).toBe(runId);
    const { entries } = await rest.ok<{ entries: { kind: string; id: string; name: string; causedBy?: string }[] }>(
      `GET /v1/ns/default/trails/${runId}`,
    );
    expect(entries.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'schedule_firing timed',
      'workflow_run timed',
      'run_step one',
    ]);
    expect(entries.map(({ causedBy = '' }) => causedBy)).toEqual(['', entries[0]?.id, runId]);
    const again = await rest.ok<{ entries: object[] }>(
      `GET /v1/ns/default/trails/${encodeURIComponent(entries[0]?.id ?? '')}`,
    );
    expect(again.entries).toEqual(entries);
  });
});
