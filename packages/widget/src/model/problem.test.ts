import { SvcError } from '@svc/client/plain';
import { expect, it } from 'vitest';
import { englishTexts } from '../texts.ts';
import { problemText } from '../view/problem-text.ts';
import { problemOf } from './problem.ts';

it.each([
  ['UNAVAILABLE', 'INTERRUPTED', 'The server cannot be reached.'],
  ['DEADLINE_EXCEEDED', 'DEADLINE', 'The server cannot be reached.'],
  [
    'UNAUTHENTICATED',
    'CREDENTIALS_EXPIRED',
    'You no longer have access to this conversation. Reload the page to continue.',
  ],
  ['PERMISSION_DENIED', 'SCOPE', 'You no longer have access to this conversation. Reload the page to continue.'],
  ['NOT_FOUND', 'SESSION_NOT_FOUND', 'This conversation does not exist any more.'],
  ['RESOURCE_EXHAUSTED', 'TOO_LARGE', 'That is too large to send. The limit is 5 MB for one message.'],
  ['RESOURCE_EXHAUSTED', 'QUEUE_FULL', 'Too many messages are waiting. Try again in a moment.'],
  ['RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', 'what the server says'],
] as const)('words %s %s for the reader', (code, reason, text) => {
  const problem = problemOf(new SvcError({ code, reason, message: 'what the server says', requestId: 'q1' }));
  expect(problemText(englishTexts, problem)).toBe(text);
  expect(problem.requestId).toBe('q1');
});

it('names the fields that were refused', () => {
  const violations = [{ field: 'answerJson.city', description: 'is too short', reason: '' }];
  const error = new SvcError({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', message: 'no', violations });
  expect([...problemOf(error).fields]).toEqual([['answerJson.city', 'is too short']]);
});

it('words what is no answer of a server', () => {
  expect(problemOf(new TypeError('odd'))).toMatchObject({ kind: 'other', message: 'odd', requestId: '' });
  expect(problemText(englishTexts, problemOf(''))).toBe('Something went wrong.');
});
