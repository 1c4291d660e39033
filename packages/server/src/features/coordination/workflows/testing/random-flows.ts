import type { MessageInitShape } from '@bufbuild/protobuf';
import type { WorkflowSpecSchema } from '@svc/api/resources';
import type { JsonData } from '../../../../resources/index.ts';

type Spec = MessageInitShape<typeof WorkflowSpecSchema>;
type Step = NonNullable<Spec['steps']>[number];

/** How a step of a random workflow ends, as a direct interpreter says; NONE = it never begins. */
export interface ModelStep {
  readonly id: string;
  readonly after: readonly string[];
  readonly status: 'COMPLETED' | 'SKIPPED' | 'FAILED' | 'NONE';
  /** Absent where the step has no output, or one that tells the time. */
  readonly output?: { readonly v: number };
  /** What a person answers. */
  readonly resume?: string;
}

export interface RandomFlow {
  readonly spec: Spec;
  readonly steps: readonly ModelStep[];
  readonly status: 'COMPLETED' | 'FAILED';
  /** Of a run that completes, as its definition puts it together. */
  readonly output: Readonly<Record<string, JsonData>>;
}

/** The workflows that random ones begin: one answers its input, the other always fails. */
export const childFlows: Readonly<Record<string, Spec>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the expressions of workflows look like this
  leaf: { steps: [{ id: 'x', type: 'transform' }], outputJson: '"${$.input}"' },
  broken: { steps: [{ id: 'x', type: 'transform' }], outputJson: '1', outputSchemaJson: 'false' },
};

/** A step that is being drawn. */
interface Draft {
  readonly id: string;
  readonly after: readonly string[];
  /** Numbers of the steps that it waits for, null for those without one. */
  readonly from: readonly (number | null)[];
  readonly v: number;
  readonly isFailing: boolean;
}

/** What a type of step is written as, and what it answers. */
interface Drawn {
  readonly step: Step;
  readonly output?: { readonly v: number };
  readonly resume?: string;
  /** Steps of the type can be made to fail. */
  readonly canFail: boolean;
}

const path = (id: string, rest = 'output.v'): string => `$.steps.${id}.${rest}`;

/** A step that answers its input. */
const echoing = ({ after, from, v }: Draft) => ({
  inputJson: JSON.stringify({ v, from: after.map((id) => `\${${path(id)}}`) }),
  output: { v, from: [...from] },
});

const TYPES: readonly ((draft: Draft) => Drawn)[] = [
  (draft) => {
    const { inputJson, output } = echoing(draft);
    return { step: { type: 'transform', inputJson }, output, canFail: false };
  },
  (draft) => {
    const { inputJson, output } = echoing(draft);
    const workflow = draft.isFailing ? 'broken' : 'leaf';
    return { step: { type: 'workflow', workflow, inputJson }, output, canFail: true };
  },
  (draft) => {
    const { inputJson, output } = echoing(draft);
    const tool = draft.isFailing ? 'list_files' : 'read_file';
    return { step: { type: 'tool', tool, inputJson, output: { format: 'json' } }, output, canFail: true };
  },
  ({ after, from, v, isFailing }) => {
    const seen = after.map((id) => `<\${${path(id)}}>`).join('');
    const prompt = isFailing ? '!fail' : `!say {"v":${v},"seen":"${seen}"}`;
    const output = { v, seen: from.map((one) => `<${one ?? ''}>`).join('') };
    return { step: { type: 'agent', agent: 'helper', prompt, output: { format: 'json' } }, output, canFail: true };
  },
  // Its answer fits at the second attempt.
  ({ id, v, isFailing }) => {
    const prompt = isFailing ? '!fail' : `!say so: {"v":${v},"a":\${${path(id, 'attempt')}}}`;
    const output = { format: 'json', schemaJson: '{"properties":{"a":{"minimum":2}}}' };
    const step = { type: 'agent', agent: 'helper', prompt, output, retry: { maxAttempts: 2 } };
    return { step, output: { v, a: 2 } as { v: number }, canFail: true };
  },
  ({ v }) => ({
    step: { type: 'pause', prompt: 'x' },
    output: { v },
    resume: JSON.stringify({ v }),
    canFail: false,
  }),
  () => ({ step: { type: 'wait', waitDuration: '5s' }, canFail: false }),
];

/** A random workflow, and what a direct interpreter makes of it; `random` answers numbers from 0 to 1. */
export const randomFlow = (random: () => number): RandomFlow => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const steps: Step[] = [];
  const model = new Map<string, ModelStep>();
  for (let index = 0; index < 2 + below(7); index++) {
    const id = `s${index}`;
    const after = [...model.keys()].filter(() => below(3) === 0);
    const upstream = after.map((name) => model.get(name) as ModelStep);
    const from = upstream.map((step) => step.output?.v ?? null);
    const draft = { id, after, from, v: below(10), isFailing: below(20) === 0 };
    const { step, canFail, ...drawn } = (TYPES[below(TYPES.length)] as (typeof TYPES)[number])(draft);
    const limit = below(12);
    const [first] = after;
    const condition = first !== undefined && below(2) === 0 ? { path: path(first), lt: limit } : undefined;
    const isChosen = condition === undefined || (from[0] !== null && (from[0] as number) < limit);
    steps.push({ ...step, id, after, whenJson: condition === undefined ? '' : JSON.stringify(condition) });
    const ends = isChosen ? (draft.isFailing && canFail ? 'FAILED' : 'COMPLETED') : 'SKIPPED';
    const isReached = upstream.every(({ status }) => status === 'COMPLETED' || status === 'SKIPPED');
    const status = isReached ? ends : 'NONE';
    model.set(id, { id, after, status, ...(status === 'COMPLETED' ? drawn : {}) });
  }
  const all = [...model.values()];
  const shown = all.filter(({ status, output }) => output !== undefined || status !== 'COMPLETED');
  return {
    spec: {
      steps,
      concurrency: below(4),
      outputJson: JSON.stringify(Object.fromEntries(shown.map(({ id }) => [id, `\${${path(id, 'output')}}`]))),
    },
    steps: all,
    status: all.some(({ status }) => status === 'FAILED') ? 'FAILED' : 'COMPLETED',
    output: Object.fromEntries(shown.map(({ id, output }) => [id, output ?? null])) as RandomFlow['output'],
  };
};
