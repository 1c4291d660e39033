import type { ReportedUsage } from '../attempt.ts';

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** `!usage JSON` under the names of a USAGE part; undefined when nothing is reported. */
export const readDemoUsage = (usage: Readonly<Record<string, unknown>> | undefined): ReportedUsage | undefined => {
  if (usage === undefined) return undefined;
  const cachedInputTokens = numberOf(usage['cached_input_tokens']);
  const cacheWriteTokens = numberOf(usage['cache_write_tokens']);
  const reasoningTokens = numberOf(usage['reasoning_tokens']) ?? numberOf(usage['reasoning_output_tokens']);
  const totalTokens = numberOf(usage['total_tokens']);
  return {
    inputTokens: numberOf(usage['input_tokens']) ?? 0,
    outputTokens: numberOf(usage['output_tokens']) ?? 0,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(totalTokens === undefined ? {} : { totalTokens }),
  };
};
