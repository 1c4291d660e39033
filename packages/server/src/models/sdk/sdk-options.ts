import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { CatalogueEntry } from '../catalogue/index.ts';
import type { ModelRequest, ProviderConfig } from '../contract.ts';
import { effortOrDefault, planThinking, supportedEffort, type ThinkingPlan } from '../thinking-rules.ts';
import type { SdkType } from './sdk-models.ts';
import { sdkPrompt } from './sdk-prompt.ts';

type WarnFn = (option: string, text: string) => void;

/** Options of one provider as its package takes them. */
type Options = SharedV4ProviderOptions[string];

interface ThinkingWire {
  readonly options: Options;
  /** Tokens that thinking adds to the output cap (anthropic budgets). */
  readonly extraTokens?: number;
  /** Temperature cannot be sent together with this. */
  readonly dropsTemperature?: boolean;
}

interface ThinkingContext {
  readonly plan: ThinkingPlan;
  readonly facts: CatalogueEntry;
  readonly warn: WarnFn;
  readonly api: ProviderConfig['api'];
}

const NOTHING: ThinkingWire = { options: {} };

const openaiThinking = ({ plan, facts, warn, api }: ThinkingContext): ThinkingWire => {
  if (plan.kind === 'unset') return NOTHING;
  if (plan.kind === 'off') {
    if (facts.canDisableThinking && facts.efforts.includes('none')) {
      return { options: { reasoningEffort: 'none', forceReasoning: true } };
    }
    warn('thinking.enabled', "the model's thinking cannot be turned off");
    return NOTHING;
  }
  const summary = api === 'chat' ? {} : { reasoningSummary: plan.isExplicit ? 'auto' : null };
  return { options: { reasoningEffort: effortOrDefault(plan.effort, facts), forceReasoning: true, ...summary } };
};

const anthropicThinking = ({ plan, facts, warn }: ThinkingContext): ThinkingWire => {
  if (plan.kind === 'unset') return NOTHING;
  if (plan.kind === 'off') {
    if (facts.canDisableThinking) return { options: { thinking: { type: 'disabled' } } };
    warn('thinking.enabled', "the model's thinking cannot be turned off");
    return NOTHING;
  }
  if (facts.thinking === 'budget') {
    const budgetTokens = Math.max(1024, plan.budgetTokens);
    return {
      options: { thinking: { type: 'enabled', budgetTokens } },
      extraTokens: budgetTokens,
      dropsTemperature: true,
    };
  }
  const effort = plan.effort === undefined ? {} : { effort: anthropicEffort(plan.effort, facts) };
  return { options: { thinking: { type: 'adaptive' }, ...effort }, dropsTemperature: true };
};

/** Anthropic knows no effort below low. */
const anthropicEffort = (effort: string, facts: CatalogueEntry): string =>
  effort === 'minimal' || effort === 'none' ? 'low' : (supportedEffort(effort, facts.efforts) ?? effort);

const googleThinking = ({ plan, facts, warn }: ThinkingContext): ThinkingWire => {
  if (plan.kind === 'unset') return NOTHING;
  const thoughts = plan.kind === 'on' && plan.isExplicit ? { includeThoughts: true } : {};
  if (facts.thinking === 'budget') {
    if (plan.kind === 'on') {
      return { options: { thinkingConfig: { thinkingBudget: plan.budgetTokens, ...thoughts } } };
    }
    if (facts.canDisableThinking) return { options: { thinkingConfig: { thinkingBudget: 0 } } };
    warn('thinking.enabled', "the model's thinking cannot be turned off; it was set to the least");
    return { options: { thinkingConfig: { thinkingBudget: 128 } } };
  }
  const level =
    plan.kind === 'off'
      ? supportedEffort('minimal', facts.efforts)
      : plan.effort === undefined
        ? undefined
        : supportedEffort(plan.effort === 'max' ? 'xhigh' : plan.effort, facts.efforts);
  return { options: { thinkingConfig: { ...(level === undefined ? {} : { thinkingLevel: level }), ...thoughts } } };
};

const THINKING: Readonly<Record<SdkType, (context: ThinkingContext) => ThinkingWire>> = {
  openai: openaiThinking,
  anthropic: anthropicThinking,
  google: googleThinking,
};

const thinkingWire = (type: SdkType, request: ModelRequest, context: ThinkingContext): ThinkingWire => {
  if (context.facts.thinking !== 'none') return THINKING[type](context);
  if (request.thinking !== undefined && context.plan.kind === 'on')
    context.warn('thinking', 'the model does not think');
  return NOTHING;
};

/** Output cap without the thinking budget, which the package adds. */
const outputCap = (type: SdkType, request: ModelRequest, facts: CatalogueEntry): number | undefined => {
  if (request.maxOutputTokens !== undefined) return request.maxOutputTokens;
  return facts.known || type === 'anthropic' ? facts.maxOutput : undefined;
};

/** The cap as the package takes it: it adds what thinking may use. */
const outputTokens = (
  type: SdkType,
  request: ModelRequest,
  { facts, extra }: { readonly facts: CatalogueEntry; readonly extra: number },
): number | undefined => {
  const cap = outputCap(type, request, facts);
  const isDefaultCap = request.maxOutputTokens === undefined && facts.known;
  const own = cap === undefined || !isDefaultCap ? cap : cap - extra;
  if (request.outputLimit === undefined) return own;
  return Math.min(own ?? Number.POSITIVE_INFINITY, request.outputLimit - extra);
};

/** Thinking is turned off where the tokens that it may use leave no room for an answer within the request's limit. */
const thinkingWithin = (
  type: SdkType,
  request: ModelRequest,
  { facts, warn, api }: Omit<ThinkingContext, 'plan'>,
): ThinkingWire => {
  const wire = thinkingWire(type, request, { plan: planThinking(request.thinking, facts), facts, warn, api });
  if (request.outputLimit === undefined || (wire.extraTokens ?? 0) < request.outputLimit) return wire;
  warn('thinking', 'the quota of money leaves no room for it');
  return thinkingWire(type, request, { plan: planThinking({ enabled: false }, facts), facts, warn, api });
};

const isTemperatureSent = (
  request: ModelRequest,
  facts: CatalogueEntry,
  options: { readonly dropped: boolean; readonly warn: WarnFn },
): boolean => {
  if (request.temperature === undefined) return false;
  if (!facts.temperature) options.warn('temperature', 'the model has a fixed temperature');
  else if (options.dropped) options.warn('temperature', 'the model takes no temperature while it thinks');
  return facts.temperature && !options.dropped;
};

interface SdkOptionsInput {
  readonly type: SdkType;
  readonly api: ProviderConfig['api'];
  readonly request: ModelRequest;
  readonly facts: CatalogueEntry;
  readonly warn: WarnFn;
}

/** Call options with everything offered. */
export const sdkCallOptions = (input: SdkOptionsInput): LanguageModelV4CallOptions => {
  const { type, request, facts, warn, api } = input;
  const thinking = thinkingWithin(type, request, { facts, warn, api });
  const hasTemperature = isTemperatureSent(request, facts, { dropped: thinking.dropsTemperature === true, warn });
  if (request.tools.length > 0 && !facts.tools) warn('tools', 'the model takes no tools');
  const maxOutputTokens = outputTokens(type, request, { facts, extra: thinking.extraTokens ?? 0 });
  const own = type === 'openai' ? { store: false, ...thinking.options } : thinking.options;
  return {
    prompt: sdkPrompt(type, request.messages),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(hasTemperature && request.temperature !== undefined ? { temperature: request.temperature } : {}),
    ...(request.tools.length > 0 && facts.tools ? { tools: request.tools.map(sdkTool) } : {}),
    providerOptions: { [type]: own },
    ...(request.traceHeaders === undefined ? {} : { headers: { ...request.traceHeaders } }),
  };
};

const sdkTool = (tool: ModelRequest['tools'][number]) => ({
  type: 'function' as const,
  name: tool.name,
  description: tool.description,
  inputSchema: { ...tool.inputSchema },
});
