import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { harmless, paintPhase, type Style, styleFor } from '../terminal/index.ts';

export interface GraphOptions extends GlobalOptions {
  readonly mermaid?: boolean;
}

/** A step as both pictures show it. */
interface DrawnStep {
  readonly id: string;
  /** What it does, such as `agent clerk`. */
  readonly about: string;
  readonly after: readonly string[];
  readonly isConditional: boolean;
  /** '' where no run is shown, or the step has not begun. */
  readonly status: string;
  /** Steps in the longest way to it. */
  readonly level: number;
}

/** `svc workflow graph WORKFLOW [RUN]`: the steps and what they wait for, with their states in a run; for people, or as Mermaid. */
export const showGraph = async (
  host: Host,
  { workflow, runId }: { readonly workflow: string; readonly runId: string | undefined },
  options: GraphOptions,
): Promise<void> => {
  const { call, target } = await openPlain(host, options);
  const ns = target.namespace;
  let spec: JsonObject;
  let states = new Map<string, string>();
  if (runId === undefined) {
    const { resource } = await call('ResourceService/GetResource', { ns, kind: 'Workflow', name: workflow });
    spec = mapOf(mapOf(mapOf(resource)['spec'])['workflow']);
  } else {
    const { run, steps } = await call('WorkflowService/GetRun', { ns, workflow, runId });
    spec = mapOf(JSON.parse(textOf(mapOf(run)['specJson']) || '{}') as JsonObject);
    states = new Map(mapsOf(steps).map((step) => [textOf(step['stepId']), textOf(step['status'])]));
  }
  const steps = drawn(mapsOf(spec['steps']), states);
  const style = styleFor(host.stdout, host.environment, options.color);
  host.stdout.write(options.mermaid === true ? mermaid(steps) : picture(steps, style));
};

const drawn = (steps: readonly JsonObject[], states: ReadonlyMap<string, string>): readonly DrawnStep[] => {
  const afterOf = (step: JsonObject): readonly string[] =>
    Array.isArray(step['after']) ? step['after'].map((id) => textOf(id)) : [];
  const levels = new Map<string, number>();
  // Each round moves every step below those that it waits for; definitions have no cycles, and one would end with the rounds.
  for (let round = 0; round < steps.length; round++)
    for (const step of steps)
      levels.set(textOf(step['id']), Math.max(0, ...afterOf(step).map((id) => (levels.get(id) ?? 0) + 1)));
  return steps.map((step) => {
    const id = textOf(step['id']);
    const type = textOf(step['type']);
    const about = `${type} ${textOf(step['agent']) || textOf(step['tool']) || textOf(step['workflow'])}`.trim();
    const isConditional = textOf(step['whenJson']) !== '';
    return { id, about, after: afterOf(step), isConditional, status: states.get(id) ?? '', level: levels.get(id) ?? 0 };
  });
};

/** The steps from top to bottom, in levels: a step is below everything that it waits for. */
const picture = (steps: readonly DrawnStep[], style: Style): string => {
  const width = Math.max(0, ...steps.map(({ id }) => id.length));
  const aboutWidth = Math.max(0, ...steps.map(({ about }) => about.length));
  const levels = [...new Set(steps.map(({ level }) => level))].toSorted((left, right) => left - right);
  const line = ({ id, about, status, after, isConditional }: DrawnStep): string => {
    const waits = after.length === 0 ? '' : `after ${after.join(', ')}`;
    const state = status === '' ? '' : paintPhase(style, status);
    const facts = [about.padEnd(aboutWidth), state, waits, isConditional ? 'if its condition holds' : ''];
    return `${status === '' ? '○' : '●'} ${style.bold(id.padEnd(width))}  ${facts.filter(Boolean).join('  ')}`.trimEnd();
  };
  const block = (level: number): string =>
    steps
      .filter((step) => step.level === level)
      .map((step) => `${line({ ...step, id: harmless(step.id), about: harmless(step.about) })}\n`)
      .join('');
  return levels.map(block).join('│\n▼\n');
};

const CLASSES: Readonly<Record<string, string>> = {
  COMPLETED: 'fill:#d7f5dd,stroke:#2a8a43',
  FAILED: 'fill:#fbd9d9,stroke:#b3261e',
  CANCELLED: 'fill:#eeeeee,stroke:#777777',
  SKIPPED: 'fill:#ffffff,stroke:#aaaaaa,stroke-dasharray:4',
  SUSPENDED: 'fill:#fff3cd,stroke:#b58900',
};
const LIVE = 'fill:#dbeafe,stroke:#1d4ed8';

/** A Mermaid flowchart. Steps have names of their own there, because ids may be words of the language. */
const mermaid = (steps: readonly DrawnStep[]): string => {
  const names = new Map(steps.map(({ id }, index) => [id, `s${index}`]));
  const quoted = (text: string): string => harmless(text).replaceAll('"', '#quot;').replaceAll('<', '#lt;');
  const used = new Set<string>();
  const nodes = steps.map(({ id, about, status }) => {
    if (status !== '') used.add(status);
    const shown = [id, about, status].filter(Boolean).map(quoted).join('<br/>');
    return `  ${names.get(id)}["${shown}"]${status === '' ? '' : `:::${status.toLowerCase()}`}`;
  });
  const edges = steps.flatMap(({ id, after, isConditional }) =>
    after.map((other) => `  ${names.get(other)} ${isConditional ? '-.->' : '-->'} ${names.get(id)}`),
  );
  const classes = [...used].map((status) => `  classDef ${status.toLowerCase()} ${CLASSES[status] ?? LIVE}`);
  return `${['flowchart TD', ...nodes, ...edges, ...classes].join('\n')}\n`;
};
