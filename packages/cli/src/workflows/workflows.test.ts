import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost, NOW_MS } from '../testing/fake-host.ts';

const at = BigInt(NOW_MS - 60_000) * 1_000n;
const spec = {
  steps: [
    { id: 'ask', type: 'agent', agent: 'clerk' },
    { id: 'end', type: 'pause', after: ['ask'], whenJson: '{"all":[]}' },
    { id: 'sum', type: 'transform' },
  ],
};
const steps = [
  { stepId: 'ask', status: 'COMPLETED', attempt: 2, childSessionId: 's-1', outputJson: '{"text":"a\u001bb"}' },
  { stepId: 'end', status: 'SUSPENDED', attempt: 1, suspendJson: '{"prompt":"sure?"}' },
];
const run = (id: string, status = 'SUSPENDED') => ({
  id,
  workflow: 'refund',
  ns: 'default',
  status,
  createdAt: at,
  inputJson: '{}',
  specJson: JSON.stringify(spec),
});
const seen: object[] = [];
const handlers: FakeHandlers = {
  unary: {
    CreateRun: (request) => {
      seen.push(request);
      return { run: run('r-1', 'QUEUED') };
    },
    GetRun: ({ runId }: { runId: string }) => ({ run: run(runId), steps }),
    ListRuns: ({ ns, status }: { ns: string; status: string }) => ({
      runs:
        ns === 'default'
          ? [run('r-2'), run('r-1', 'FAILED')].filter((one) => status === '' || one.status === status)
          : [],
    }),
    ResumeRun: (request) => {
      seen.push(request);
      return { run: run('r-1') };
    },
    CancelRun: (request) => {
      seen.push(request);
      return { run: run('r-1', 'CANCELLED') };
    },
    ListPermissionRequests: () => ({ requests: [] }),
    ListResources: ({ ns, kind, recursive }: { ns: string; kind: string; recursive: boolean }) => {
      seen.push({ ns, kind, recursive });
      const names = ['refund', 'letter'];
      return { resources: names.map((name) => ({ metadata: { namespace: 'default', name } })) };
    },
    GetResource: ({ name }: { name: string }) => {
      const odd = { steps: [{ id: 'a', type: 'tool', tool: 'x\u001b[31m"<' }] };
      return { resource: { spec: { kind: { case: 'workflow', value: name === 'odd' ? odd : spec } } } };
    },
  },
  streams: {
    StreamRunEvents: () => [
      { id: 'a', type: 'step_started', stepId: 'ask', timestamp: at },
      { id: 'b', type: 'run_failed', message: 'no\u001b luck', timestamp: at },
    ],
  },
};
const svc = async (...words: string[]) => {
  const shell = fakeHost({ handlers, files: { '/work/in.json': { text: '{"a":1}', mode: 0o600 } } });
  return { exit: await shell.run(...words), out: shell.out(), err: shell.err() };
};
const workflow = (...words: string[]) => svc('workflow', ...words);

describe('svc workflow', () => {
  it('run begins a run with an input, and follows it to its end', async () => {
    expect((await workflow('run', 'refund', '--input', '{"a":1}')).out).toBe('workflow/refund started run r-1\n');
    expect((await workflow('run', 'refund', '--input-file', 'in.json', '-o', 'name')).out).toBe('run/r-1\n');
    expect(seen).toMatchObject([{ inputJson: '{"a":1}' }, { workflow: 'refund', inputJson: '{"a":1}' }]);
    const followed = await workflow('run', 'refund', '--follow');
    expect(followed.out).toMatch(/^2026-\S+ \S+ step started {2}ask\n2026-\S+ \S+ run failed {2}no\^\[ luck\n$/);
    expect([followed.exit, followed.err]).toEqual([exitCodes.refused, expect.stringContaining('run r-1 failed')]);
    expect((await workflow('run', 'refund', '--input', '1', '--input-file', 'x')).err).toContain('not both');
    expect((await workflow('run', 'refund', '--input-file', 'none')).err).toContain('there is no file none');
  });

  it('list and get show runs and their steps', async () => {
    expect((await workflow('list')).out).toMatch(
      /^RUN +WORKFLOW +STATE +AGE +RESULT\nr-2 +refund +SUSPENDED.*\nr-1 .*FAILED/,
    );
    expect((await workflow('runs', 'refund', '--status', 'FAILED', '-o', 'name')).out).toBe('run/r-1\n');
    expect((await workflow('list', '-n', 'acme')).err).toBe('no runs in namespace acme\n');
    const { out } = await workflow('get', 'refund', 'r-9');
    expect(out).toMatch(/^Run: +r-9\nWorkflow: refund\nStatus: +SUSPENDED\nInput: +\{\}\n\nSTEP +STATE +TRIES/);
    expect(out).toMatch(/ask +COMPLETED +2 +s-1 +\{"text":"a/);
    expect(JSON.parse((await workflow('show', 'refund', 'r-9', '-o', 'json')).out)).toMatchObject({
      run: { id: 'r-9' },
    });
  });

  it('resume and cancel say what they did', async () => {
    seen.length = 0;
    expect((await workflow('resume', 'refund', 'r-1', 'end', 'yes please')).out).toBe('run r-1 continues after end\n');
    await workflow('resume', 'refund', 'r-1', 'end', '{"a":1}');
    await workflow('resume', 'refund', 'r-1', 'end');
    expect((await workflow('cancel', 'refund', 'r-1', '--reason', 'late')).out).toBe('run r-1 is cancelled\n');
    expect(seen).toMatchObject([
      { resumeJson: '"yes please"', stepId: 'end' },
      { resumeJson: '{"a":1}' },
      { resumeJson: '' },
      { reason: 'late' },
    ]);
  });

  it('graph prints no control characters of a definition', async () => {
    expect((await workflow('graph', 'odd')).out).toBe('○ a  tool x^[[31m"<\n');
    expect((await workflow('graph', 'odd', '--mermaid')).out).toContain('["a<br/>tool x^[[31m#quot;#lt;"]');
  });

  it('graph draws the steps, with their states in a run', async () => {
    expect((await workflow('graph', 'refund')).out).toBe(
      [
        '○ ask  agent clerk',
        '○ sum  transform',
        '│',
        '▼',
        '○ end  pause        after ask  if its condition holds',
        '',
      ].join('\n'),
    );
    expect((await workflow('graph', 'refund', 'r-1')).out).toContain('● end  pause        SUSPENDED  after ask');
    expect((await workflow('graph', 'refund', 'r-1', '--mermaid')).out).toBe(
      [
        'flowchart TD',
        '  s0["ask<br/>agent clerk<br/>COMPLETED"]:::completed',
        '  s1["end<br/>pause<br/>SUSPENDED"]:::suspended',
        '  s2["sum<br/>transform"]',
        '  s0 -.-> s1',
        '  classDef completed fill:#d7f5dd,stroke:#2a8a43',
        '  classDef suspended fill:#fff3cd,stroke:#b58900',
        '',
      ].join('\n'),
    );
  });
});

describe('svc inbox', () => {
  it('shows steps of workflows that wait for a person', async () => {
    const { out, err } = await svc('inbox');
    expect(out).toMatch(/^RUN +WORKFLOW +STEP +QUESTION\nr-2 +refund +end +sure\?\n$/);
    expect(err).toBe('answer with: svc workflow resume WORKFLOW RUN STEP VALUE\n');
  });

  it.each([
    ['-A', { ns: '-', kind: 'Workflow', recursive: false }],
    ['--recursive', { ns: 'default', kind: 'Workflow', recursive: true }],
  ])('shows those of every namespace with a workflow once with %s', async (option, request) => {
    seen.length = 0;
    const { out, err } = await svc('inbox', option);
    expect(out).toMatch(/^RUN +NAMESPACE +WORKFLOW +STEP +QUESTION\nr-2 +default +refund +end +sure\?\n$/);
    expect(err).toBe('answer with: svc workflow resume WORKFLOW RUN STEP VALUE -n NAMESPACE\n');
    expect(seen).toEqual([request]);
  });

  it('shows none where only some requests are asked for', async () => {
    expect((await svc('inbox', '--kind', 'sign_in')).out).toBe('');
    expect((await svc('inbox', '--agent', 'clerk')).out).toBe('');
  });

  it('shows a timed wait that a person may end, and no other', async () => {
    const wait = (stepId: string, suspendJson: string) => ({
      stepId,
      status: 'SUSPENDED',
      waitUntilAt: at,
      suspendJson,
    });
    const waits = [wait('alone', '{"prompt":""}'), wait('early', '{"prompt":"","schema":{"type":"string"}}')];
    const shown = steps.splice(0, steps.length, ...(waits as never[]));
    const { out } = await svc('inbox');
    steps.splice(0, steps.length, ...shown);
    expect(out).toMatch(/^RUN +WORKFLOW +STEP +QUESTION\nr-2 +refund +early\b.*\n$/);
  });
});
