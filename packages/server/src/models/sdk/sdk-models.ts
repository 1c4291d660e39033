import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
import type { ProviderConfig } from '../contract.ts';

/** Provider types served by AI SDK packages. */
export type SdkType = 'openai' | 'anthropic' | 'google';

interface SdkModelOptions {
  readonly type: SdkType;
  readonly config: ProviderConfig;
  readonly model: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** A model of a provider package; the package is loaded with the first call of its type. */
export const loadSdkModel = async (options: SdkModelOptions): Promise<LanguageModelV4> => {
  const { config, model } = options;
  const settings = settingsOf(options);
  switch (options.type) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI(settings);
      return config.api === 'chat' ? provider.chat(model) : provider.responses(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(settings).languageModel(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle(settings).languageModel(model);
    }
  }
};

/** The embedding model of Google's package, which is loaded with its first request. */
export const loadSdkEmbedding = async (options: Omit<SdkModelOptions, 'type'>): Promise<EmbeddingModelV4> => {
  const { createGoogle } = await import('@ai-sdk/google');
  return createGoogle(settingsOf(options)).embeddingModel(options.model);
};

const settingsOf = ({ config, apiKey, fetch }: Omit<SdkModelOptions, 'type' | 'model'>) => ({
  apiKey,
  fetch,
  ...(config.baseUrl === undefined ? {} : { baseURL: config.baseUrl.replace(/\/$/, '') }),
  ...(config.headers === undefined ? {} : { headers: { ...config.headers } }),
});
