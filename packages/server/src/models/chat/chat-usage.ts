import { isRecord, numberOrUndefined } from '../../base/index.ts';
import type { ReportedUsage } from '../attempt.ts';

const detail = (value: unknown, name: string): number | undefined =>
  isRecord(value) ? numberOrUndefined(value[name]) : undefined;

/**
 * Usage of a chat-completions event in our meaning; undefined when it is not complete. Servers that leave reasoning out
 * of `completion_tokens` show it by a total that is larger by exactly that much: then it is added, once.
 */
export const readChatUsage = (usage: unknown): ReportedUsage | undefined => {
  if (!isRecord(usage)) return undefined;
  const inputTokens = numberOrUndefined(usage['prompt_tokens']);
  const completion = numberOrUndefined(usage['completion_tokens']);
  if (inputTokens === undefined || completion === undefined) return undefined;
  const totalTokens = numberOrUndefined(usage['total_tokens']);
  const reasoning =
    detail(usage['completion_tokens_details'], 'reasoning_tokens') ?? numberOrUndefined(usage['reasoning_tokens']);
  const cached =
    detail(usage['prompt_tokens_details'], 'cached_tokens') ??
    numberOrUndefined(usage['prompt_cache_hit_tokens']) ??
    numberOrUndefined(usage['cached_tokens']);
  const cacheWrite = detail(usage['prompt_tokens_details'], 'cache_write_tokens');
  const isApart = reasoning !== undefined && reasoning > 0 && totalTokens === inputTokens + completion + reasoning;
  return {
    inputTokens,
    outputTokens: isApart ? completion + reasoning : completion,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
    ...(totalTokens === undefined ? {} : { totalTokens }),
  };
};
