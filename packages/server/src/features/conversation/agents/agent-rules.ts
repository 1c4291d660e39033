import { clone, create } from '@bufbuild/protobuf';
import {
  type AgentRuntime,
  type AgentSpec,
  AgentSpecSchema,
  type Connection,
  type Model,
  ModelPolicySchema,
} from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';
import { isHttpUrl, isName } from '../../../resources/index.ts';
import type { PromptCheck } from '../../../runtime/contract.ts';

const EFFORTS: ReadonlySet<string> = new Set(['', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
const RUNTIMES: ReadonlySet<string> = new Set(['', 'llm', 'native', 'acp']);
const PERMISSION_KEYS: ReadonlySet<string> = new Set(['default', 'filesystemRead', 'filesystemWrite', 'terminal']);
const PERMISSIONS: ReadonlySet<string> = new Set(['allow', 'ask', 'deny']);
/** Most features, references, profiles, connections and variables of one agent: each is looked up, or compared with the others. */
const LIST_MAX = 1_000;

/** An agent's spec with absent values filled in: thinking is on when any of its options is set. */
export const fillAgentDefaults = (spec: AgentSpec): AgentSpec => {
  const { modelPolicy } = spec;
  if (modelPolicy?.profiles.some(({ model }) => wantsThinking(model)) !== true) return spec;
  const filled = clone(ModelPolicySchema, modelPolicy);
  for (const { model } of filled.profiles)
    if (model?.thinking !== undefined && wantsThinking(model)) model.thinking.enabled = true;
  return create(AgentSpecSchema, { ...spec, modelPolicy: filled });
};

const wantsThinking = (model: Model | undefined): boolean =>
  model?.thinking !== undefined &&
  model.thinking.enabled === undefined &&
  (model.thinking.budgetTokens !== undefined || model.thinking.effort !== '');

const MEMORY_OPTION = 'option.svc/memory';
/** Who may have a session run with another model, temperature or system prompt than the agent's. */
const OVERRIDES_OPTION = 'option.svc/overrides';
const OVERRIDERS: ReadonlySet<string> = new Set(['admin', 'operator']);
const MEMORY_MODES: ReadonlySet<string> = new Set(['shared', 'identity', 'off']);

/** Faults of the options in an agent's annotations: a mistyped one would show memory to others, or let others in. */
export const checkAgentOptions = (annotations: Readonly<Record<string, string>>): readonly FieldViolation[] => {
  const memory = annotations[MEMORY_OPTION];
  const overrides = annotations[OVERRIDES_OPTION];
  return [
    ...(memory === undefined || MEMORY_MODES.has(memory)
      ? []
      : [violation(`metadata.annotations[${MEMORY_OPTION}]`, 'must be shared, identity or off')]),
    ...(overrides === undefined || OVERRIDERS.has(overrides)
      ? []
      : [violation(`metadata.annotations[${OVERRIDES_OPTION}]`, 'must be admin or operator')]),
  ];
};

/** All faults of an agent's spec; references need not resolve. */
export const checkAgentSpec = (spec: AgentSpec, promptCheck: PromptCheck): readonly FieldViolation[] => [
  ...checkProfiles(spec),
  ...checkUnique(
    spec.features.map((feature) => feature.name),
    'spec.features',
    'name',
  ),
  ...spec.features.flatMap((feature, index) =>
    feature.name === '' ? [violation(`spec.features[${index}].name`, 'is required')] : [],
  ),
  ...checkUnique(spec.mcpServerRefs, 'spec.mcpServerRefs', ''),
  ...spec.mcpServerRefs.flatMap((name, index) =>
    isName('plain', name) ? [] : [violation(`spec.mcpServerRefs[${index}]`, 'is not the name of an MCP server')],
  ),
  ...checkConnections(spec.a2a?.connections ?? []),
  ...checkRuntime(spec.runtime),
  ...checkPrompt(spec.systemPrompt, 'spec.systemPrompt', promptCheck),
  ...checkPrompt(spec.postHistoryPrompt, 'spec.postHistoryPrompt', promptCheck),
];

const checkProfiles = (spec: AgentSpec): readonly FieldViolation[] => {
  const profiles = spec.modelPolicy?.profiles ?? [];
  const path = 'spec.modelPolicy.profiles';
  return [
    ...checkUnique(
      profiles.map((profile) => profile.name),
      path,
      'name',
    ),
    ...profiles.flatMap(({ model }, index) => checkModel(model, `${path}[${index}].model`)),
  ];
};

const checkModel = (model: Model | undefined, path: string): readonly FieldViolation[] => {
  const faults = model === undefined || model.name === '' ? [violation(`${path}.name`, 'is required')] : [];
  const temperature = model?.temperature;
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2))
    faults.push(violation(`${path}.temperature`, 'must lie between 0 and 2'));
  if (!EFFORTS.has(model?.thinking?.effort ?? ''))
    faults.push(violation(`${path}.thinking.effort`, `must be one of ${[...EFFORTS].filter(Boolean).join(', ')}`));
  return faults;
};

/** What is wrong with a list of names; '' as `member` where the entries are the names themselves. */
const checkUnique = (names: readonly string[], path: string, member: string): readonly FieldViolation[] => {
  if (names.length > LIST_MAX) return [violation(path, `must hold at most ${LIST_MAX} entries`)];
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [violation(`${path}[${index}]${member === '' ? '' : `.${member}`}`, `"${name.slice(0, 80)}" is there already`)],
  );
};

const checkConnections = (connections: readonly Connection[]): readonly FieldViolation[] => {
  const path = 'spec.a2a.connections';
  return [
    ...checkUnique(
      connections.map((connection) => connection.name),
      path,
      'name',
    ),
    ...connections.flatMap((connection, index) => {
      const at = `${path}[${index}]`;
      const { internal, external } = connection.target ?? {};
      return [
        ...(connection.name === '' ? [violation(`${at}.name`, 'is required')] : []),
        ...(internal !== undefined && external !== undefined
          ? [violation(`${at}.target`, 'internal and external exclude each other')]
          : []),
        ...checkCardUrl(external?.agentCardUrl ?? '', `${at}.target.external.agentCardUrl`),
      ];
    }),
  ];
};

/** A connection without an address is stored and unusable; a text that is not an address is a mistake of the writer. */
const checkCardUrl = (url: string, path: string): readonly FieldViolation[] =>
  url === '' || isHttpUrl(url) ? [] : [violation(path, 'must be an absolute http(s) URL')];

const checkRuntime = (runtime: AgentRuntime | undefined): readonly FieldViolation[] => {
  if (runtime === undefined) return [];
  const faults: FieldViolation[] = [];
  if (!RUNTIMES.has(runtime.kind)) faults.push(violation('spec.runtime.kind', 'must be llm, native, acp or empty'));
  const { acp } = runtime;
  if (runtime.kind === 'acp' && (acp === undefined || (acp.command === '' && acp.harnessRef === '')))
    faults.push(violation('spec.runtime.acp', 'command or harnessRef is required'));
  if (Object.keys(acp?.env ?? {}).length > LIST_MAX)
    faults.push(violation('spec.runtime.acp.env', `must hold at most ${LIST_MAX} entries`));
  for (const [key, value] of Object.entries(acp?.permissionPolicy ?? {})) {
    const at = `spec.runtime.acp.permissionPolicy[${key.slice(0, 40)}]`;
    if (!PERMISSION_KEYS.has(key)) faults.push(violation(at, `is not one of ${[...PERMISSION_KEYS].join(', ')}`));
    if (!PERMISSIONS.has(value)) faults.push(violation(at, 'must be allow, ask or deny'));
  }
  return faults;
};

const checkPrompt = (text: string, field: string, promptCheck: PromptCheck): readonly FieldViolation[] =>
  text === ''
    ? []
    : promptCheck(text).map((found) =>
        violation(field, `line ${found.line}, column ${found.column}: ${found.message}`, 'TEMPLATE_INVALID'),
      );

/** A spec in which nothing is set. */
export const emptyAgentSpec = (): AgentSpec => create(AgentSpecSchema);
