/**
 * sdk: drivers on AI SDK provider packages, used at the provider level: options, prompt, answer, and the fetch
 * that keeps connections and failures ours. Packages load with their first call. Created by the driver table.
 */
export { SdkDriver } from './sdk-driver.ts';
export { SdkFetch } from './sdk-fetch.ts';
export { loadSdkEmbedding } from './sdk-models.ts';
