/** The values of a turn that prompts may name. Plain text only: nothing here is rendered again. */
export interface TurnValues {
  readonly nowMicros: number;
  readonly agent: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly session: { readonly id: string; readonly labels: Readonly<Record<string, string>> };
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly channel: string;
  readonly sender: string;
  readonly model: string;
}

const timestamp = (values: TurnValues): string => new Date(values.nowMicros / 1000).toISOString();

const SCALARS: ReadonlyMap<string, (values: TurnValues) => string> = new Map([
  ['now', (values: TurnValues) => `${timestamp(values).slice(0, 19)}Z`],
  ['date', (values) => timestamp(values).slice(0, 10)],
  ['agent.name', (values) => values.agent.name],
  ['agent.namespace', (values) => values.agent.namespace],
  ['session.id', (values) => values.session.id],
  ['channel.name', (values) => values.channel],
  ['sender.name', (values) => values.sender],
  ['model.name', (values) => values.model],
]);

const LABELS: ReadonlyMap<string, (values: TurnValues) => Readonly<Record<string, string>>> = new Map([
  ['agent.labels', (values: TurnValues) => values.agent.labels],
  ['session.labels', (values) => values.session.labels],
  ['namespace.labels', (values) => values.namespaceLabels],
]);

/** True for a path that the language knows; labels need a key, whose dots belong to it. */
export const isKnownPath = (path: readonly string[]): boolean =>
  SCALARS.has(path.join('.')) || (path.length > 2 && LABELS.has(path.slice(0, 2).join('.')));

/** Value of a known path; a missing label is ''. */
export const variableValue = (path: readonly string[], values: TurnValues): string => {
  const scalar = SCALARS.get(path.join('.'));
  if (scalar !== undefined) return scalar(values);
  const labels = LABELS.get(path.slice(0, 2).join('.'))?.(values) ?? {};
  const key = path.slice(2).join('.');
  return Object.hasOwn(labels, key) ? (labels[key] ?? '') : '';
};
