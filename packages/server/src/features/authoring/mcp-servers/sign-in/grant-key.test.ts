import { expect, it } from 'vitest';
import { asksForMore, isAnsweredBy, questionKey } from './grant-key.ts';

const KEY = { namespace: 'acme', serverUid: 'u1', identity: 'anna' };
const HASH = 'a'.repeat(64);

it('a question for further scopes is answered by a later sign-in only', () => {
  const plain = questionKey(KEY, HASH);
  const more = questionKey(KEY, HASH, 1);
  const task = `${more}/mcp-task/t`;
  const answers = (epoch: number) => [plain, more, task].map((key) => isAnsweredBy({ key: KEY, epoch }, key));
  expect(answers(1)).toEqual([true, false, false]);
  expect(answers(2)).toEqual([true, true, true]);
  expect([plain, more, task].map(asksForMore)).toEqual([false, true, true]);
  expect(asksForMore(`${plain}/mcp-task/more-1`)).toBe(false);
});

it('a question of another person, or of none, is not answered', () => {
  const other = questionKey({ ...KEY, identity: 'ben' }, HASH);
  expect(isAnsweredBy({ key: KEY, epoch: 1 }, other)).toBe(false);
  expect(isAnsweredBy({ key: KEY, epoch: 1 }, undefined)).toBe(false);
});
