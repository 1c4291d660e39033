import type { ExpressionPath } from './expression-syntax.ts';

/** Roots that are known when a replica is rendered. */
export const DEPLOYMENT_ROOTS: ReadonlySet<string> = new Set(['namespace', 'deployment', 'template']);

/** Roots of the turn phase, passed through by every earlier one; `namespace` belongs to the first phase. */
export const LATER_ROOTS: ReadonlySet<string> = new Set([
  'now',
  'date',
  'agent',
  'session',
  'channel',
  'sender',
  'model',
]);

const SCALARS: ReadonlySet<string> = new Set([
  'namespace.name',
  'namespace.leaf',
  'namespace.parent',
  'deployment.name',
  'deployment.namespace',
  'template.name',
]);
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations']);

/** True for a variable of a deployment; labels and annotations need a key, whose dots belong to it. */
export const isDeploymentPath = (path: ExpressionPath): boolean => {
  const [root = '', member = '', ...key] = path;
  if (!DEPLOYMENT_ROOTS.has(root)) return false;
  return MAPS.has(member) ? key.length > 0 : SCALARS.has(path.join('.'));
};

const PROMPTS: ReadonlySet<string> = new Set(['systemPrompt', 'postHistoryPrompt']);

/** True for texts that the turn phase renders as well. */
export const isPrompt = (kind: string, path: readonly (string | number)[]): boolean =>
  kind === 'Agent' && path.length === 1 && PROMPTS.has(String(path[0]));
