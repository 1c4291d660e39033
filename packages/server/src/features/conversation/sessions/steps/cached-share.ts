import type { RequestPiece, TurnUsage } from '../../../../runtime/contract.ts';

/**
 * Tokens of each piece that came from the provider's cache. Providers report one number for the whole request and keep its beginning, so
 * the reported tokens are taken from the front; counted tokens are stretched to those that the provider counted.
 */
export const cachedShare = (
  pieces: readonly Pick<RequestPiece, 'tokens'>[],
  usage: Pick<TurnUsage, 'inputTokens' | 'cachedInputTokens'> | undefined,
): readonly number[] => {
  const counted = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  const { inputTokens = 0, cachedInputTokens = 0 } = usage ?? {};
  let left = inputTokens === 0 ? 0 : (cachedInputTokens / inputTokens) * counted;
  return pieces.map(({ tokens }) => {
    const cached = Math.min(left, tokens);
    left -= cached;
    return Math.round(cached);
  });
};
