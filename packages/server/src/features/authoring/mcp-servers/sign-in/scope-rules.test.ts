import { expect, it } from 'vitest';
import { coversScopes, joinScopes } from './scope-rules.ts';

it('joins scopes, each once', () => {
  expect(joinScopes('', 'read write', 'write  admin')).toBe('read write admin');
  expect(joinScopes('', '')).toBe('');
});

it('says whether scopes are covered by others', () => {
  expect(coversScopes('read write', 'write')).toBe(true);
  expect(coversScopes('read', '')).toBe(true);
  expect(coversScopes('', '')).toBe(true);
  expect(coversScopes('read', 'read write')).toBe(false);
  expect(coversScopes('', 'read')).toBe(false);
});
