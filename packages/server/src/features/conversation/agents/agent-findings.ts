import { toJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import type { AcpRuntime, AgentSpec, Connection, Feature, Model } from '@svc/api/resources';
import {
  type Finding,
  isSecretReference,
  parseJsonMap,
  recordKey,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';
import { adviceFor } from '../../../resources/manifest/index.ts';
import type { ReadTx } from '../../../store/contracts/index.ts';
import { type Ancestry, findMcpServer, isSandboxUsable, isSecretVisible, isSkillVisible } from './reference-lookup.ts';

type Reads = Pick<ReadTx, 'resources'>;

/** What agents need to know of models; app answers from the model registry. */
interface AgentModels {
  readonly defaultTarget: { readonly provider: string; readonly model: string };
  hasProvider(provider: string): boolean;
  /** Names of the configured providers. */
  readonly providerNames: readonly string[];
  /** Facts of the catalogue; `known` false = defaults. */
  facts(target: { readonly provider: string; readonly model: string }): {
    readonly inputs: readonly string[];
    readonly tools: boolean;
    readonly temperature: boolean;
    readonly thinking: string;
    readonly known: boolean;
  };
}

export interface AgentDependencies {
  readonly models: AgentModels;
  /** Readable problems of capability lists, [] for none. */
  readonly capabilityProblems: (capabilities: Readonly<Record<string, readonly unknown[]>>) => readonly string[];
  /** True for a toolset whose backend is configured. */
  readonly isToolsetAvailable: (name: string) => boolean;
  /** True for an entry of `acp.harnesses`. */
  readonly hasHarness: (name: string) => boolean;
}

export interface AgentFacts {
  readonly namespace: string;
  readonly spec: AgentSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ancestors: readonly string[];
}

export interface AgentJudgement {
  readonly findings: readonly Finding[];
  /** Why turns are refused, '' when they are not. */
  readonly notReady: string;
  readonly isDegraded: boolean;
}

/** Reason of condition Ready False when turns are refused; a degraded agent, which is not ready either, still runs turns. */
export const REQUIREMENT_MISSING = 'RequirementMissing';

/** Annotations of an agent made from a template: its name, and its generation and uid then. */
export const TEMPLATE_ANNOTATION = 'svc/template';
export const TEMPLATE_VERSION_ANNOTATION = 'svc/template-version';
export const TEMPLATE_UID_ANNOTATION = 'svc/template-uid';

/** Everything that can be found out about an agent, apart from its own fields. */
export const judgeAgent = async (
  reads: Reads,
  facts: AgentFacts,
  dependencies: AgentDependencies,
): Promise<AgentJudgement> => {
  const ancestry: Ancestry = { own: facts.namespace, ancestors: facts.ancestors };
  const { spec } = facts;
  const unresolved = await unresolvedReferences(reads, spec, ancestry);
  const acp = await acpProblem(reads, spec, { ancestry, dependencies });
  const features = await missingFeatures(reads, spec, { ancestry, dependencies });
  const capabilities = dependencies.capabilityProblems(plainCapabilities(spec));
  const providers = missingProviders(spec, dependencies.models);
  const required = features.filter(({ feature }) => feature.required);
  const counted: readonly Finding[] = [
    finding('ReferencesResolved', [...unresolved, ...acp], ['Resolved', 'Unresolved']),
    finding('FeaturesAvailable', features.map(featureText), ['Available', 'Unavailable']),
    finding('CapabilitiesKnown', capabilities, ['Known', 'Unknown']),
    finding('ModelsAvailable', providers, ['Available', 'ProviderMissing']),
  ];
  const notReady = [...required.map((missing) => `feature ${featureText(missing)} is not available`), ...acp].join(
    '; ',
  );
  const shown = [
    finding('ModelOptions', leftOutOptions(spec, dependencies.models), ['Applied', 'LeftOut']),
    ...(await templateFinding(reads, facts.annotations)),
  ];
  const ready: Finding =
    notReady === ''
      ? { type: 'Ready', status: 'True', reason: 'Ready' }
      : { type: 'Ready', status: 'False', reason: REQUIREMENT_MISSING, message: notReady };
  return {
    findings: [ready, ...counted, ...shown],
    notReady,
    isDegraded: counted.some((item) => item.status === 'False'),
  };
};

const finding = (type: string, problems: readonly string[], reasons: readonly [string, string]): Finding =>
  problems.length === 0
    ? { type, status: 'True', reason: reasons[0] }
    : { type, status: 'False', reason: reasons[1], message: problems.join('; ') };

const unresolvedReferences = async (reads: Reads, spec: AgentSpec, ancestry: Ancestry): Promise<readonly string[]> => {
  const problems: string[] = [];
  for (const name of spec.mcpServerRefs)
    if ((await findMcpServer(reads, name, ancestry)) === undefined) problems.push(`MCP server ${name} not found`);
  for (const connection of spec.a2a?.connections ?? []) {
    const problem = await connectionProblem(reads, connection, ancestry);
    if (problem !== undefined) problems.push(`connection ${connection.name}: ${problem}`);
  }
  problems.push(...(await environmentProblems(reads, spec, ancestry)));
  return problems;
};

const connectionProblem = async (
  reads: Reads,
  connection: Connection,
  ancestry: Ancestry,
): Promise<string | undefined> => {
  const { internal, external } = connection.target ?? {};
  if (internal === undefined && external === undefined) return 'has no target';
  if (internal !== undefined) {
    const namespace = internal.namespace === '' ? ancestry.own : internal.namespace;
    const found = await reads.resources.get(recordKey('Agent', namespace, internal.agent));
    if (found === undefined) return 'agent not found';
  }
  if (external?.agentCardUrl === '') return 'has no agent card URL';
  const { kind = '', secretRef = '' } = connection.auth ?? {};
  if (kind === '' || kind === 'none') return undefined;
  if (kind !== 'bearer') return 'unknown auth kind';
  if (secretRef === '') return 'bearer needs a secret';
  return (await isSecretVisible(reads, secretRef, ancestry)) ? undefined : 'secret not found';
};

/** Variables of the harness whose secrets do not resolve; turns begin all the same and fail where they are used. */
const environmentProblems = async (reads: Reads, spec: AgentSpec, ancestry: Ancestry): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const [name, value] of Object.entries(harnessOf(spec)?.env ?? {}))
    if (isSecretReference(value) && !(await isSecretVisible(reads, value, ancestry))) missing.push(name);
  return missing.map((name) => `variable ${name}: secret not found`);
};

/** What an agent says about its harness; undefined for one that has none. */
export const harnessOf = ({ runtime }: AgentSpec): AcpRuntime | undefined =>
  runtime?.kind === 'acp' ? runtime.acp : undefined;

interface Context {
  readonly ancestry: Ancestry;
  readonly dependencies: AgentDependencies;
}

const acpProblem = async (reads: Reads, spec: AgentSpec, context: Context): Promise<readonly string[]> => {
  const acp = harnessOf(spec);
  if (acp === undefined) return [];
  const problems: string[] = [];
  if (!(await isSandboxUsable(reads, acp.sandboxPolicyRef, context.ancestry)))
    problems.push(`sandbox policy ${acp.sandboxPolicyRef || 'default'} not usable`);
  if (acp.harnessRef !== '' && !context.dependencies.hasHarness(acp.harnessRef))
    problems.push(`harness ${acp.harnessRef} not found`);
  return problems;
};

interface MissingFeature {
  readonly feature: Feature;
  /** Why it is missing although it was found; '' when it was not. */
  readonly because: string;
}

const missingFeatures = async (reads: Reads, spec: AgentSpec, context: Context): Promise<readonly MissingFeature[]> => {
  const missing: MissingFeature[] = [];
  for (const feature of spec.features) {
    const because = await featureProblem(reads, { spec, feature }, context);
    if (because !== undefined) missing.push({ feature, because });
  }
  return missing;
};

const featureText = ({ feature: { name }, because }: MissingFeature): string =>
  because === '' ? name : `${name} (${because})`;

/** Undefined for a feature that is available, else why it is not, as far as that is known. */
const featureProblem = async (
  reads: Reads,
  wanted: { readonly spec: AgentSpec; readonly feature: Feature },
  context: Context,
): Promise<string | undefined> => {
  const { spec, feature } = wanted;
  switch (feature.type) {
    case '':
    case 'toolset':
      return unless(context.dependencies.isToolsetAvailable(feature.name));
    case 'model':
      return unless(
        modelOffers(defaultModel(spec, context.dependencies.models), feature.name, context.dependencies.models),
      );
    case 'mcp':
      return spec.mcpServerRefs.includes(feature.name) ? serverProblem(reads, feature.name, context) : '';
    case 'skill':
      return unless(await isSkillVisible(reads, feature.name, context.ancestry));
    case 'sandbox':
      return unless(await isSandboxUsable(reads, feature.name, context.ancestry));
    case 'knob':
      return unless(isKnob(feature.name));
    default:
      return '';
  }
};

const unless = (isAvailable: boolean): '' | undefined => (isAvailable ? undefined : '');

/** Servers that could not be reached at the last attempt offer nothing. */
const serverProblem = async (reads: Reads, name: string, { ancestry }: Context): Promise<string | undefined> => {
  const server = await findMcpServer(reads, name, ancestry);
  if (server?.isEnabled !== true) return '';
  return server.isReachable ? undefined : 'the MCP server cannot be reached';
};

const KNOBS: ReadonlySet<string> = new Set(['parallel_tools=off', 'compaction=off', 'reasoning=hide']);

/** True for the switches that may narrow a turn. */
const isKnob = (name: string): boolean => KNOBS.has(name) || /^max_steps=[1-9]\d{0,5}$/.test(name);

const target = (model: Model, models: AgentModels) => ({
  provider: model.provider === '' ? models.defaultTarget.provider : model.provider,
  model: model.name,
});

const defaultModel = (spec: AgentSpec, models: AgentModels): { readonly provider: string; readonly model: string } => {
  const profiles = spec.modelPolicy?.profiles ?? [];
  const { model } = profiles.find((profile) => profile.name === 'default') ?? profiles[0] ?? {};
  return model === undefined ? models.defaultTarget : target(model, models);
};

const modelOffers = (
  wanted: { readonly provider: string; readonly model: string },
  ability: string,
  models: AgentModels,
): boolean => {
  const facts = models.facts(wanted);
  if (ability === 'vision') return facts.inputs.includes('image');
  if (ability === 'audio') return facts.inputs.includes('audio');
  if (ability === 'tools') return facts.tools;
  return ability === 'thinking' && facts.thinking !== 'none';
};

const missingProviders = (spec: AgentSpec, models: AgentModels): readonly string[] => {
  const named = (spec.modelPolicy?.profiles ?? []).map((profile) => profile.model?.provider ?? '');
  const missing = named.filter((provider) => provider !== '' && !models.hasProvider(provider));
  const unknown = [...new Set(missing)].map(
    (provider) => `provider ${provider} is not configured${adviceFor(provider, models.providerNames)}`,
  );
  return [...unknown, ...namesWithoutProvider(spec, models)];
};

/** Models without a provider go to the default one; the demo provider would answer in the place of any model. */
const namesWithoutProvider = (spec: AgentSpec, models: AgentModels): readonly string[] => {
  const { provider: own, model: known } = models.defaultTarget;
  if (own !== DEMO) return [];
  return (spec.modelPolicy?.profiles ?? []).flatMap(({ model }) => {
    if (model === undefined || model.provider !== '' || model.name === '') return [];
    if (model.name === known || models.facts({ provider: own, model: model.name }).known) return [];
    const [provider = '', ...rest] = model.name.split('/');
    const isQualified = rest.length > 0 && models.hasProvider(provider);
    const advice = isQualified
      ? `did you mean provider ${provider}, name ${rest.join('/')}`
      : `name a provider that has it (${models.providerNames.join(', ')})`;
    return [`model ${model.name} names no provider, and the default provider ${own} does not know it: ${advice}`];
  });
};

const DEMO = 'demo';

const leftOutOptions = (spec: AgentSpec, models: AgentModels): readonly string[] =>
  (spec.modelPolicy?.profiles ?? []).flatMap(({ name, model }) => {
    if (model === undefined) return [];
    const facts = models.facts(target(model, models));
    if (!facts.known) return [];
    return [
      ...(model.temperature !== undefined && !facts.temperature ? [`${name}: temperature`] : []),
      ...(model.thinking?.enabled === true && facts.thinking === 'none' ? [`${name}: thinking`] : []),
    ];
  });

const plainCapabilities = (spec: AgentSpec): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    Object.entries(spec.capabilities).map(([name, list]) => [
      name,
      toJson(ListValueSchema, list) as readonly unknown[],
    ]),
  );

const templateFinding = async (
  reads: Reads,
  annotations: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> => {
  const name = annotations[TEMPLATE_ANNOTATION];
  if (name === undefined) return [];
  const type = 'TemplateCurrent';
  const template = await reads.resources.get(recordKey('Template', SYSTEM_NAMESPACE, name));
  if (template === undefined || !isAgentTemplate(template.spec))
    return [{ type, status: 'False', reason: 'Deleted', message: `template ${name} does not exist` }];
  // Agents of a release before have no uid: of those only the generation can be compared.
  const uid = annotations[TEMPLATE_UID_ANNOTATION] ?? template.uid;
  if (uid !== template.uid)
    return [{ type, status: 'False', reason: 'NewerVersion', message: `template ${name} was deleted and made again` }];
  const isCurrent = String(template.generation) === annotations[TEMPLATE_VERSION_ANNOTATION];
  if (isCurrent) return [{ type, status: 'True', reason: 'Current' }];
  return [{ type, status: 'False', reason: 'NewerVersion', message: `template ${name} has changed` }];
};

/** True for the stored spec of a template of agents. */
export const isAgentTemplate = (specText: string): boolean => {
  const kind = parseJsonMap(specText)?.['kind'] ?? '';
  return kind === '' || kind === 'Agent';
};
