import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { WorkflowSpecSchema, type WorkflowStepSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { parseExpressionText, parsePath } from './path-expressions.ts';
import { checkPredicate } from './predicate-rules.ts';
import { isInstant, stepSeconds } from './step-rules.ts';
import { toolGrant } from './tool-grant.ts';
import { checkWorkflow, fillWorkflowDefaults, unorderedUses } from './workflow-rules.ts';

type Step = MessageInitShape<typeof WorkflowStepSchema>;
const limits = { definitionBytes: 256 * 1024, steps: 200 };
const agentStep: Step = { id: 'ask', type: 'agent', agent: 'helper', prompt: 'Hello' };
const spec = (steps: readonly Step[], rest: object = {}) => create(WorkflowSpecSchema, { steps: [...steps], ...rest });
const faults = (steps: readonly Step[], rest: object = {}): string[] =>
  checkWorkflow(fillWorkflowDefaults(spec(steps, rest)), limits).map((fault) => `${fault.field}: ${fault.description}`);
const fields = (steps: readonly Step[], rest: object = {}): string[] =>
  checkWorkflow(fillWorkflowDefaults(spec(steps, rest)), limits).map((fault) => fault.field);

describe('a workflow', () => {
  it('is accepted with every type of step, diamonds and expressions', () => {
    const steps: Step[] = [
      { id: 'start', type: 'transform', inputJson: '{"a":"${$.input.x[0]}","b":"$${literal","c":[1,"${$.state}"]}' },
      {
        ...agentStep,
        after: ['start'],
        prompt: 'Say ${$.steps.start.output["a b"]} for ${$.run.id}',
        output: { format: 'json', schemaJson: '{"type":"object"}' },
        retry: {},
        timeout: '90',
      },
      { id: 'tool', type: 'tool', tool: 'current_time', after: ['start'], timeout: '5m', whenJson: '{"all":[]}' },
      { id: 'sub', type: 'workflow', workflow: 'other', after: ['ask', 'tool'] },
      { id: 'hold', type: 'pause', prompt: 'ok?', resumeSchemaJson: 'true', after: ['sub'] },
      { id: 'later', type: 'wait', waitUntil: '2026-02-28T23:59:59.5+02:00', waitDuration: '1d', after: ['hold'] },
    ];
    const rest = {
      inputSchemaJson: '{}',
      outputSchemaJson: '{"$ref":"#/$defs/a","$defs":{"a":{}}}',
      outputJson: '"${$.steps.hold.resume}"',
    };
    expect(faults(steps, rest)).toEqual([]);
    expect(unorderedUses(spec(steps, rest))).toEqual([]);
  });

  it.each<readonly [string, Step, readonly string[]]>([
    ['an id', { ...agentStep, id: '9x' }, ['id']],
    ['a type', { id: 'a', type: 'loop' }, ['type']],
    ['an agent and a prompt', { id: 'a', type: 'agent', prompt: ' ' }, ['agent', 'prompt']],
    ['a tool', { id: 'a', type: 'tool' }, ['tool']],
    ['a workflow', { id: 'a', type: 'workflow' }, ['workflow']],
    ['a prompt of a pause', { id: 'a', type: 'pause' }, ['prompt']],
    ['something to wait for', { id: 'a', type: 'wait' }, ['']],
    [
      'no foreign members',
      { id: 'a', type: 'transform', tool: 'x', retry: {}, timeout: '1' },
      ['tool', 'retry', 'timeout'],
    ],
    ['JSON as input', { ...agentStep, inputJson: '{' }, ['inputJson']],
    [
      'a schema that compiles',
      { id: 'a', type: 'pause', prompt: 'x', resumeSchemaJson: '{"type":7}' },
      ['resumeSchemaJson'],
    ],
    ['a schema that is one', { id: 'a', type: 'pause', prompt: 'x', resumeSchemaJson: '[]' }, ['resumeSchemaJson']],
    ['a schema in JSON', { id: 'a', type: 'pause', prompt: 'x', resumeSchemaJson: 'no' }, ['resumeSchemaJson']],
    [
      'no remote schema',
      { id: 'a', type: 'pause', prompt: 'x', resumeSchemaJson: '{"$ref":"http://x/y"}' },
      ['resumeSchemaJson'],
    ],
    ['a known format', { ...agentStep, output: { format: 'xml' } }, ['output.format']],
    ['json for a schema', { ...agentStep, output: { schemaJson: '{}' } }, ['output.schemaJson']],
    ['a duration', { ...agentStep, timeout: '0s' }, ['timeout']],
    ['a duration of a year', { id: 'a', type: 'wait', waitDuration: '366d' }, ['waitDuration']],
    ['an offset', { id: 'a', type: 'wait', waitUntil: '2026-01-01T00:00:00' }, ['waitUntil']],
    ['another step to wait for', { ...agentStep, after: ['ask', 'none'] }, ['after[0]', 'after[1]']],
    ['JSON as condition', { ...agentStep, whenJson: '{' }, ['whenJson']],
    ['a predicate', { ...agentStep, whenJson: '{"path":"$.steps.none.output","equals":1}' }, ['whenJson']],
    ['an expression that ends', { ...agentStep, prompt: 'a ${$.input' }, ['prompt']],
    [
      'an existing step in an expression',
      { ...agentStep, inputJson: '{"a":["${$.steps.none.output}"]}' },
      ['inputJson'],
    ],
    ['few attempts', { ...agentStep, retry: { maxAttempts: 101 } }, ['retry.maxAttempts']],
    ['a multiplier', { ...agentStep, retry: { multiplier: 0.5 } }, ['retry.multiplier']],
    ['waits that grow', { ...agentStep, retry: { initialBackoffSeconds: 31n } }, ['retry.initialBackoffSeconds']],
    [
      'waits that are positive',
      { ...agentStep, retry: { initialBackoffSeconds: -1n } },
      ['retry.initialBackoffSeconds'],
    ],
    [
      'waits within a year',
      { ...agentStep, retry: { initialBackoffSeconds: 1n, maxBackoffSeconds: 99_999_999n } },
      ['retry.maxBackoffSeconds'],
    ],
  ])('needs %s', (_what, step, expected) => {
    expect(fields([step])).toEqual(
      expected.map((field) => (field === '' ? 'spec.steps[0]' : `spec.steps[0].${field}`)),
    );
  });

  it('shows every fault at once, each with the word of the chapter', () => {
    const found = checkWorkflow(
      spec(
        [
          { id: '', type: '' },
          { ...agentStep, after: ['x'] },
        ],
        { outputJson: '{' },
      ),
      limits,
    );
    expect(found.map((fault) => fault.field)).toEqual([
      'spec.steps[0].id',
      'spec.steps[0].type',
      'spec.steps[1].after[0]',
      'spec.outputJson',
    ]);
    expect(new Set(found.map((fault) => fault.reason))).toEqual(new Set(['WORKFLOW_INVALID']));
  });

  it('has 1 to 200 steps, unique ids and a size', () => {
    expect(fields([])).toEqual(['spec.steps']);
    expect(fields([agentStep, agentStep])).toEqual(['spec.steps[1].id']);
    const many = Array.from({ length: 201 }, (_, index) => ({ ...agentStep, id: `s${index}` }));
    expect(fields(many)).toEqual(['spec.steps']);
    expect(fields(many.map((step) => ({ ...step, type: 'loop' })))).toEqual(['spec.steps']);
    expect(fields([agentStep], { description: 'x'.repeat(300_000) })).toEqual(['spec']);
    expect(fields([agentStep], { inputSchemaJson: 'x', outputSchemaJson: '7', outputJson: '"${$.nope}"' })).toEqual([
      'spec.inputSchemaJson',
      'spec.outputSchemaJson',
      'spec.outputJson',
    ]);
  });

  it('may not have schemas that a library of JSON Schema would judge by promise', () => {
    const found = checkWorkflow(spec([agentStep], { inputSchemaJson: '{"$async":true,"type":"string"}' }), limits);
    expect(found.map(({ field, description }) => `${field} ${description}`)).toEqual([
      'spec.inputSchemaJson is not a usable JSON Schema: $async is not supported',
    ]);
  });

  it('has schemas that know nothing of each other', () => {
    const schema = (type: string) => `{"$defs":{"x":{"$id":"https://example.com/x","type":"${type}"}}}`;
    const other = '{"$ref":"https://example.com/x"}';
    expect(fields([agentStep], { inputSchemaJson: schema('string'), outputSchemaJson: schema('number') })).toEqual([]);
    expect(fields([agentStep], { inputSchemaJson: schema('string'), outputSchemaJson: other })).toEqual([
      'spec.outputSchemaJson',
    ]);
  });

  it('names every cycle of its steps', () => {
    const step = (id: string, ...after: string[]) => ({ ...agentStep, id, after });
    expect(faults([step('a', 'b'), step('b', 'a'), step('x', 'c', 'a'), step('c', 'd'), step('d', 'c')])).toEqual([
      'spec.steps: cycle: a -> b -> a',
      'spec.steps: cycle: c -> d -> c',
    ]);
  });

  it('names the cycle of its steps', () => {
    const steps = [
      { ...agentStep, id: 'a', after: ['c'] },
      { ...agentStep, id: 'b', after: ['a'] },
      { ...agentStep, id: 'c', after: ['b'] },
      { ...agentStep, id: 'd', after: ['c', 'a'] },
    ];
    expect(faults(steps)).toEqual(['spec.steps: cycle: a -> c -> b -> a']);
  });

  it('keeps what a retry policy says and fills in the rest', () => {
    const [filled] = fillWorkflowDefaults(spec([{ ...agentStep, retry: { maxAttempts: 7 } }])).steps;
    expect(filled?.retry).toMatchObject({
      maxAttempts: 7,
      initialBackoffSeconds: 1n,
      maxBackoffSeconds: 30n,
      multiplier: 2,
    });
    expect(fillWorkflowDefaults(spec([agentStep])).steps[0]?.retry).toBeUndefined();
  });

  it('tells which results are read without waiting for them', () => {
    const steps: Step[] = [
      agentStep,
      { id: 'b', type: 'transform', inputJson: '"${$.steps.ask.output} ${$.steps.b.output}"' },
      { id: 'c', type: 'transform', after: ['ask'], whenJson: '{"path":"$.steps.ask.output","exists":true}' },
    ];
    expect(unorderedUses(spec(steps))).toEqual([
      'step b reads ask without waiting for it',
      'step b reads b without waiting for it',
    ]);
  });
});

it.each([`mcp_${'_'.repeat(100_000)}`, `server/${'_'.repeat(100_000)}`])(
  'a tool whose name no tool can have is not searched for (%#)',
  async (name) => {
    let reads = 0;
    const get = async () => {
      reads += 1;
      return undefined;
    };
    const isGranted = await toolGrant({ ancestorsOf: () => [] })({ resources: { get } } as never, 'default', name);
    expect([isGranted, reads]).toEqual([false, 0]);
  },
);

describe('a predicate', () => {
  it.each([
    '{"all":[]}',
    '{"any":[{"path":"$.input","exists":true},{"not":{"path":"$.input.a","in":[1]}}]}',
    '{"path":"$.input.a","gt":1}',
    '{"path":"$.input.a","lte":1.5}',
    '{"path":"$.input.a","gte":1}',
    '{"path":"$.input.a","lt":1}',
    '{"path":"$.input.a","notEquals":null}',
    '{"path":"$.input.a","contains":"x"}',
  ])('%s is one', (text) => {
    expect(checkPredicate(JSON.parse(text) as never).problems).toEqual([]);
  });

  it.each([
    '7',
    '{}',
    '{"all":7}',
    '{"all":null}',
    '{"path":"$.input","in":null}',
    '{"all":[7]}',
    '{"not":null}',
    '{"all":[],"any":[]}',
    '{"path":"$.a"}',
    '{"path":"$.input","exists":1}',
    '{"path":"$.input","in":1}',
    '{"path":"$.input","gt":"1"}',
    '{"path":"$.input","equals":1,"gt":1}',
    '{"path":"input","equals":1}',
    '{"path":7,"equals":1}',
    '{"path":"$.input","toString":1}',
    `${'{"not":'.repeat(40)}{}${'}'.repeat(40)}`,
  ])('%s is none', (text) => {
    expect(checkPredicate(JSON.parse(text) as never).problems).toHaveLength(1);
  });
});

describe('expressions', () => {
  it.each<readonly [string, unknown]>([
    ['$.input', ['input']],
    ['$.steps.a-b.output["x y"][0]', ['steps', 'a-b', 'output', 'x y', 0]],
    ['$', undefined],
    ['$.', undefined],
    ['$.a[01]', undefined],
    ['$.a["\\q"]', undefined],
    ['$.a b', undefined],
    ['a', undefined],
  ])('read the path %s', (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });

  it('keep literals, and braces that a quoted key holds', () => {
    expect(parseExpressionText('a $${x} ${$.input["}"]} $ {')).toEqual({
      parts: [{ literal: 'a ${x} ' }, { path: ['input', '}'] }, { literal: ' $ {' }],
      problem: '',
    });
    expect(parseExpressionText('${x}').problem).toContain('character 1');
  });

  it.each(['$.run.other', '$.run', '$.steps[0].output', '$.steps.ask', '$.steps.ask.secret', '$.other'])(
    '%s names nothing a workflow has',
    (path) => {
      expect(fields([{ ...agentStep, prompt: `x \${${path}}` }])).toEqual(['spec.steps[0].prompt']);
    },
  );
});

describe('times', () => {
  it.each<readonly [string, number | undefined]>([
    ['90', 90],
    ['2h', 7_200],
    ['365d', 31_536_000],
    ['1w', undefined],
    ['-1s', undefined],
  ])('%s lasts %s seconds', (text, seconds) => {
    expect(stepSeconds(text)).toBe(seconds);
  });

  it.each<readonly [string, boolean]>([
    ['2024-02-29T00:00:00Z', true],
    ['2025-02-29T00:00:00Z', false],
    ['2025-01-01 00:00:00Z', false],
    ['2025-01-01T24:00:00Z', false],
  ])('%s is an instant: %s', (text, expected) => {
    expect(isInstant(text)).toBe(expected);
  });
});
