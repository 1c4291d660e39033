import type { ModelFacts, ModelsConfig, ModelTarget } from '../contract.ts';
import { type CatalogueEntry, SHIPPED_MODELS, type ShippedModel } from './shipped-models.ts';

const ALL_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const UNKNOWN_THINKING: Readonly<Record<string, ModelFacts['thinking']>> = { anthropic: 'adaptive', google: 'budget' };

/** Output cap of anthropic models that the catalogue does not know; the wire needs one. */
const DEFAULT_MAX_OUTPUT = 8192;

/** What a model that no one described is taken for: everything is sent, the provider decides. */
const unknownEntry = (type: string, defaultWindow: number): CatalogueEntry => ({
  window: defaultWindow,
  maxOutput: DEFAULT_MAX_OUTPUT,
  inputs: ['text', 'image'],
  tools: true,
  temperature: true,
  thinking: UNKNOWN_THINKING[type] ?? 'effort',
  efforts: ALL_EFFORTS,
  largestBudget: 24_576,
  canDisableThinking: true,
  known: false,
});

const shippedEntry = (type: string, model: string): CatalogueEntry | undefined => {
  let best: ShippedModel | undefined;
  for (const row of SHIPPED_MODELS) {
    const isMatch = row.type === type && model.startsWith(row.prefix);
    if (isMatch && row.prefix.length > (best?.prefix.length ?? -1)) best = row;
  }
  return best === undefined ? undefined : { ...best.facts, known: true };
};

/** Remembered lookups; models beyond this are computed again. */
const MAX_REMEMBERED = 1000;

/** Shipped facts with `models.catalog` merged over them. */
export class Catalogue {
  readonly #config: Pick<ModelsConfig, 'catalog' | 'defaultWindow' | 'prices' | 'providers'>;
  readonly #known = new Map<string, CatalogueEntry>();

  constructor(config: Pick<ModelsConfig, 'catalog' | 'defaultWindow' | 'prices' | 'providers'>) {
    this.#config = config;
  }

  entry(target: ModelTarget): CatalogueEntry {
    const key = `${target.provider}/${target.model}`;
    const remembered = this.#known.get(key);
    if (remembered !== undefined) return remembered;
    const entry = this.#lookUp(key, target);
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(key, entry);
    return entry;
  }

  #lookUp(key: string, target: ModelTarget): CatalogueEntry {
    const type = this.#config.providers[target.provider]?.type ?? target.provider;
    const base = shippedEntry(type, target.model) ?? unknownEntry(type, this.#config.defaultWindow);
    const override = this.#config.catalog[key];
    const entry = override === undefined ? base : { ...base, ...withoutUndefined(override), known: true };
    const prices = this.#config.prices[key];
    return prices === undefined ? entry : { ...entry, prices };
  }

  /** First model of a provider that the configuration or else the shipped rows name; for `models.default`. */
  firstModel(provider: string): string | undefined {
    const prefix = `${provider}/`;
    const configured = Object.keys(this.#config.catalog).find((key) => key.startsWith(prefix));
    if (configured !== undefined) return configured.slice(prefix.length);
    const type = this.#config.providers[provider]?.type ?? provider;
    return SHIPPED_MODELS.find((row) => row.type === type)?.prefix;
  }
}

const withoutUndefined = (facts: Partial<ModelFacts>): Partial<ModelFacts> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
