import type { JsonData } from '../canonical-json.ts';
import { isJsonMap } from '../canonical-json.ts';
import {
  DEPLOYMENT_ROOTS,
  type ExpressionPath,
  hasExpressions,
  LATER_ROOTS,
  renderText,
} from '../expressions/index.ts';
import type { FindingReport } from './manifest-finding.ts';
import {
  type ManifestNode,
  type MapNode,
  memberNode,
  type Position,
  type ScalarNode,
  textOf,
} from './manifest-node.ts';

const OWN_ROOTS: ReadonlySet<string> = new Set(['vars']);
const PASSED_ROOTS: ReadonlySet<string> = new Set([...LATER_ROOTS, ...DEPLOYMENT_ROOTS]);
const TEMPLATES: ReadonlySet<string> = new Set(['Template', 'AgentTemplate']);
const PROMPTS: ReadonlySet<string> = new Set([
  'systemPrompt',
  'system_prompt',
  'postHistoryPrompt',
  'post_history_prompt',
]);

/** A single value that is not text, and how it was written: `1.50` is inserted into texts so, and is a number if it is the whole value. */
export class WrittenValue {
  readonly value: number | boolean | string | null;
  readonly text: string;

  constructor(value: number | boolean | string | null, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** What `vars.*` may contain. */
export type VariableData = JsonData | WrittenValue | readonly VariableData[] | Variables;

/** Values of `vars.*` by their names. */
export interface Variables {
  readonly [name: string]: VariableData;
}

/**
 * The render phase: replaces `{{ vars.* }}` in the texts of a document; expressions of later phases stay. A text that is a
 * single expression takes the type of its value. Keys are not rendered, and values are never read as YAML.
 */
export const renderVariables = (node: ManifestNode, vars: Variables, report: FindingReport): ManifestNode => {
  const kind = node.form === 'map' ? textOf(memberNode(node, 'kind')) : '';
  const walk = (inner: ManifestNode, path: string, isRead: boolean): ManifestNode => {
    if (inner.form === 'list')
      return { ...inner, items: inner.items.map((item, index) => walk(item, `${path}[${index}]`, isRead)) };
    if (inner.form === 'scalar') return renderScalar(inner, { path, vars, keepsRaw: isRead }, report);
    const members = inner.members.map((member) => {
      const isLater = isRead || isReadLater(kind, path, member.name);
      return { ...member, node: walk(member.node, path === '' ? member.name : `${path}.${member.name}`, isLater) };
    });
    return { ...inner, members };
  };
  return walk(node, '', false);
};

/** True for texts that a later phase reads too, so that raw blocks stay closed for it. */
const isReadLater = (kind: string, path: string, name: string): boolean =>
  TEMPLATES.has(kind) ? path === '' && name === 'spec' : kind === 'Agent' && path === 'spec' && PROMPTS.has(name);

const renderScalar = (
  node: ScalarNode,
  place: { readonly path: string; readonly vars: Variables; readonly keepsRaw: boolean },
  report: FindingReport,
): ManifestNode => {
  if (typeof node.value !== 'string' || !hasExpressions(node.value)) return node;
  const { path, vars, keepsRaw } = place;
  const at = ([, ...names]: ExpressionPath): VariableData | undefined =>
    names.reduce<VariableData | undefined>(
      (value, name) => (isVariables(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      vars,
    );
  const resolve = (variable: ExpressionPath): JsonData | undefined => {
    const found = at(variable);
    return found === undefined ? undefined : jsonOf(found);
  };
  const written = (variable: ExpressionPath): string | undefined => {
    const found = at(variable);
    return found instanceof WrittenValue ? found.text : undefined;
  };
  const { value, problems } = renderText(node.value, {
    owns: OWN_ROOTS,
    passes: PASSED_ROOTS,
    keepsRaw,
    resolve,
    written,
  });
  for (const { message } of problems) report.add(node.at, path, { text: message, reason: 'VARIABLE' });
  return nodeOf(value, node.at);
};

const isVariables = (value: VariableData | undefined): value is Variables =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenValue);

const jsonOf = (value: VariableData): JsonData => {
  if (value instanceof WrittenValue) return value.value;
  if (Array.isArray(value)) return value.map((item: VariableData) => jsonOf(item));
  if (!isVariables(value)) return value as JsonData;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, jsonOf(item)]));
};

/** A JSON value as a node at one position. */
const nodeOf = (value: JsonData, at: Position): ManifestNode => {
  if (Array.isArray(value)) return { form: 'list', items: value.map((item: JsonData) => nodeOf(item, at)), at };
  if (isJsonMap(value)) {
    const members = Object.entries(value).map(([name, item]) => ({ name, node: nodeOf(item, at), at }));
    return { form: 'map', members, at } satisfies MapNode;
  }
  return { form: 'scalar', value: value as ScalarNode['value'], at };
};
