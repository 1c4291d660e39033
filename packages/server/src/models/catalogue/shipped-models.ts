import type { ModelFacts } from '../contract.ts';

/** Facts of a model plus what only drivers need. */
export interface CatalogueEntry extends ModelFacts {
  /** What efforts xhigh and max mean in tokens for budget models. */
  readonly largestBudget: number;
  /** Thinking can be switched off for the model. */
  readonly canDisableThinking: boolean;
}

/** One shipped row: a provider type, the beginning of the model names it describes, and the facts. */
export interface ShippedModel {
  readonly type: string;
  /** Longest matching beginning wins, so `gpt-4o` does not describe `gpt-4o-mini` when that has its own row. */
  readonly prefix: string;
  readonly facts: Omit<CatalogueEntry, 'known'>;
}

/**
 * Data only: common models and what they take. The first row of a type is its default model. Facts are those
 * the vendors publish; `models.catalog` corrects or adds to them without a release.
 */
const TEXT_IMAGE_FILE = ['text', 'image', 'file'] as const;
const EVERY_INPUT = ['text', 'image', 'audio', 'video', 'file'] as const;

type Facts = ShippedModel['facts'];

const openai = (prefix: string, facts: Partial<Facts>): ShippedModel => ({
  type: 'openai',
  prefix,
  facts: {
    window: 400_000,
    maxOutput: 128_000,
    inputs: TEXT_IMAGE_FILE,
    tools: true,
    temperature: false,
    thinking: 'effort',
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    largestBudget: 32_768,
    canDisableThinking: true,
    ...facts,
  },
});

const plainOpenai = (prefix: string, window: number, maxOutput: number): ShippedModel =>
  openai(prefix, { window, maxOutput, temperature: true, thinking: 'none', efforts: [] });

const claude = (prefix: string, facts: Partial<Facts>): ShippedModel => ({
  type: 'anthropic',
  prefix,
  facts: {
    window: 200_000,
    maxOutput: 64_000,
    inputs: TEXT_IMAGE_FILE,
    tools: true,
    temperature: true,
    thinking: 'budget',
    efforts: [],
    largestBudget: 32_000,
    canDisableThinking: true,
    ...facts,
  },
});

const adaptiveClaude = (prefix: string, facts: Partial<Facts> = {}): ShippedModel =>
  claude(prefix, {
    window: 1_000_000,
    maxOutput: 128_000,
    temperature: false,
    thinking: 'adaptive',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    ...facts,
  });

const gemini = (prefix: string, facts: Partial<Facts>): ShippedModel => ({
  type: 'google',
  prefix,
  facts: {
    window: 1_048_576,
    maxOutput: 65_536,
    inputs: EVERY_INPUT,
    tools: true,
    temperature: true,
    thinking: 'effort',
    efforts: ['minimal', 'low', 'medium', 'high'],
    largestBudget: 32_768,
    canDisableThinking: false,
    ...facts,
  },
});

const demo = (prefix: string, window: number, maxOutput: number): ShippedModel => ({
  type: 'demo',
  prefix,
  facts: {
    window,
    maxOutput,
    inputs: EVERY_INPUT,
    tools: true,
    temperature: true,
    thinking: 'budget',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    largestBudget: 32_768,
    canDisableThinking: true,
  },
});

export const SHIPPED_MODELS: readonly ShippedModel[] = [
  demo('echo', 128_000, 128_000),
  demo('small', 2000, 200),
  demo('', 128_000, 128_000),
  openai('gpt-5.1', { efforts: ['none', 'low', 'medium', 'high'] }),
  openai('gpt-5', { efforts: ['minimal', 'low', 'medium', 'high'], canDisableThinking: false }),
  openai('gpt-5.2', {}),
  openai('gpt-5-chat', { window: 128_000, maxOutput: 16_384, temperature: true, thinking: 'none', efforts: [] }),
  openai('o1', { window: 200_000, maxOutput: 100_000, efforts: ['low', 'medium', 'high'], canDisableThinking: false }),
  openai('o3', { window: 200_000, maxOutput: 100_000, efforts: ['low', 'medium', 'high'], canDisableThinking: false }),
  openai('o4-mini', {
    window: 200_000,
    maxOutput: 100_000,
    efforts: ['low', 'medium', 'high'],
    canDisableThinking: false,
  }),
  plainOpenai('gpt-4.1', 1_047_576, 32_768),
  plainOpenai('gpt-4o', 128_000, 16_384),
  plainOpenai('gpt-4-turbo', 128_000, 4096),
  plainOpenai('gpt-3.5-turbo', 16_385, 4096),
  claude('claude-sonnet-4-5', {}),
  claude('claude-haiku-4-5', {}),
  claude('claude-opus-4-5', {}),
  claude('claude-opus-4-1', { maxOutput: 32_000, largestBudget: 24_000 }),
  claude('claude-opus-4', { maxOutput: 32_000, largestBudget: 24_000 }),
  claude('claude-sonnet-4', {}),
  claude('claude-3-haiku', { maxOutput: 4096, thinking: 'none' }),
  adaptiveClaude('claude-opus-4-6', { temperature: true, efforts: ['low', 'medium', 'high', 'max'] }),
  adaptiveClaude('claude-sonnet-4-6', { temperature: true, efforts: ['low', 'medium', 'high', 'max'] }),
  adaptiveClaude('claude-opus-4-7'),
  adaptiveClaude('claude-opus-4-8'),
  adaptiveClaude('claude-sonnet-5'),
  adaptiveClaude('claude-sonnet-5-5', { canDisableThinking: false }),
  adaptiveClaude('claude-opus-5'),
  adaptiveClaude('claude-opus-5-5', { canDisableThinking: false }),
  adaptiveClaude('claude-haiku-5-5'),
  adaptiveClaude('claude-fable-5', { canDisableThinking: false }),
  gemini('gemini-2.5-flash', { thinking: 'budget', efforts: [], largestBudget: 24_576, canDisableThinking: true }),
  gemini('gemini-2.5-flash-lite', { thinking: 'budget', efforts: [], largestBudget: 24_576, canDisableThinking: true }),
  gemini('gemini-2.5-pro', { thinking: 'budget', efforts: [] }),
  gemini('gemini-2.0-flash', { maxOutput: 8192, thinking: 'none', efforts: [] }),
  gemini('gemini-3-pro', { efforts: ['low', 'high'] }),
  gemini('gemini-3', {}),
  gemini('gemini-4', {}),
];
