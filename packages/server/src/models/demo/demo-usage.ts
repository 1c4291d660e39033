import { numberOrUndefined } from '../../base/index.ts';
import type { ReportedUsage } from '../attempt.ts';

/** `!usage JSON` under the names of a USAGE part; undefined when nothing is reported. */
export const readDemoUsage = (usage: Readonly<Record<string, unknown>> | undefined): ReportedUsage | undefined => {
  if (usage === undefined) return undefined;
  const cachedInputTokens = numberOrUndefined(usage['cached_input_tokens']);
  const cacheWriteTokens = numberOrUndefined(usage['cache_write_tokens']);
  const reasoningTokens =
    numberOrUndefined(usage['reasoning_tokens']) ?? numberOrUndefined(usage['reasoning_output_tokens']);
  const totalTokens = numberOrUndefined(usage['total_tokens']);
  return {
    inputTokens: numberOrUndefined(usage['input_tokens']) ?? 0,
    outputTokens: numberOrUndefined(usage['output_tokens']) ?? 0,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(totalTokens === undefined ? {} : { totalTokens }),
  };
};
