import { describe, expect, it } from 'vitest';
import { isConfigurationVariable } from '../../app/config/index.ts';
import { envAllowance } from './env-allowance-rules.ts';

const allows = (patterns: readonly string[], name: string): boolean =>
  envAllowance(patterns, isConfigurationVariable)(name);

describe('a variable of a connector class', () => {
  it.each([
    [['*'], 'CHAT_KEY'],
    [['CONNECTOR_*', 'SVC_CONNECTOR_*'], 'CONNECTOR_CHAT'],
    [['CONNECTOR_*', 'SVC_CONNECTOR_*'], 'SVC_CONNECTOR_CHAT'],
    [['*_BOT_*'], 'MY_BOT_KEY'],
    [['CHAT_KEY'], 'CHAT_KEY'],
  ])('is allowed by %j: %s', (patterns, name) => {
    expect(allows(patterns, name)).toBe(true);
  });

  it.each([
    [[], 'CHAT_KEY'],
    [['CONNECTOR_*'], 'MY_CONNECTOR_CHAT'],
    [['CHAT_KEY'], 'CHAT_KEYS'],
    [['CHAT.KEY'], 'CHAT_KEY'],
    [['*'], 'CHAT-KEY'],
    [['*'], '1ST'],
    [['*'], ''],
    [['*'], 'OPENAI_API_KEY'],
    [['*'], 'ANTHROPIC_API_KEY'],
    [['*'], 'GOOGLE_GENERATIVE_AI_API_KEY'],
    [['*'], 'SVC_SECRETS_KEY'],
    [['SVC_*'], 'SVC_TOKEN'],
  ])('is refused by %j: %s', (patterns, name) => {
    expect(allows(patterns, name)).toBe(false);
  });
});
