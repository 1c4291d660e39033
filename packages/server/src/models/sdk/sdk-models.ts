import type { LanguageModelV4 } from '@ai-sdk/provider';
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
  const { config, model, apiKey, fetch } = options;
  const settings = {
    apiKey,
    fetch,
    ...(config.baseUrl === undefined ? {} : { baseURL: config.baseUrl.replace(/\/$/, '') }),
    ...(config.headers === undefined ? {} : { headers: { ...config.headers } }),
  };
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
