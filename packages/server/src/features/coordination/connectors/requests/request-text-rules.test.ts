import { describe, expect, it } from 'vitest';
import type { PermissionData } from '../../../../runtime/contract.ts';
import { answerInText, requestOptions, requestText } from './request-text-rules.ts';

const option = (id: string, name: string, allow: boolean) => ({ id, name, allow, remember: false });
const permission = {
  prompt: ' May it run? ',
  options: [option('once', 'Allow once', true), option('no', 'Deny', false)],
} as Pick<PermissionData, 'prompt' | 'options'>;
const input = (
  schema?: PermissionData['schema'],
  options = [option('answer', 'Answer', true), option('decline', 'Decline', false)],
) => ({
  kind: 'input' as const,
  prompt: 'Which?',
  options,
  ...(schema === undefined ? {} : { schema }),
});
const signIn = { ...input(), kind: 'sign_in' as const, url: 'https://sign.in' };
const property = (schema: object) => ({ type: 'object', properties: { value: schema } });

describe('the text of a request', () => {
  it('has numbered options, or says what to answer', () => {
    expect(requestText(permission)).toBe('May it run?\n\n1. Allow once\n2. Deny\n\nAnswer with a number.');
    expect(requestText(signIn)).toBe('Which?\n\nSign in at https://sign.in or answer "decline".');
    expect(requestText({ ...input(), kind: 'sign_in' })).toContain('Sign in at  or');
    expect(requestText(input())).toBe('Which?\n\nAnswer with a message, or with "decline".');
    const form = { type: 'object', properties: { a: {}, b: {} } };
    expect(requestText(input(form))).toBe(
      `Which?\n\nAnswer with JSON that fits ${JSON.stringify(form)}, or with "decline".`,
    );
    expect(requestText(input({ enum: ['red'] }))).toBe('Which?\n\n1. red\n\nAnswer with a number, or with "decline".');
    expect(requestOptions(signIn)).toEqual([]);
    expect(requestOptions(input(form))).toEqual([]);
  });
});

describe('an answer in a text', () => {
  it('chooses an option by its number or its name', () => {
    for (const text of ['1', '#1', ' 1. ', '1)', 'allow ONCE'])
      expect(answerInText(permission, text)).toEqual({ optionId: 'once', allow: true });
    expect(answerInText(permission, '2')).toEqual({ optionId: 'no', allow: false });
    for (const text of ['0', '3', 'yes please', '', '1 or 2']) expect(answerInText(permission, text)).toBeUndefined();
  });

  it('is the one plain value that is asked for', () => {
    const value = (schema: PermissionData['schema'], text: string) => answerInText(input(schema), text)?.value;
    expect(value(undefined, ' as it is ')).toBe('as it is');
    expect(value({ type: 'integer' }, '7')).toBe(7);
    expect(value({ type: 'boolean' }, 'Yes')).toBe(true);
    expect(value({ type: 'boolean' }, 'no')).toBe(false);
    expect(value({ enum: ['red', 'blue'] }, '2')).toBe('blue');
    expect(value({ enum: ['red', 'blue'] }, 'green')).toBeUndefined();
    expect(value(property({ type: 'string' }), 'x')).toEqual({ value: 'x' });
    expect(value(property({ type: 'number' }), '1.5')).toEqual({ value: 1.5 });
    expect(answerInText(input(), '')).toBeUndefined();
  });

  it('is JSON where more is asked for', () => {
    for (const schema of [
      property({ type: 'array' }),
      { type: 'object' },
      property({}),
      { enum: [1, 2] },
      { type: 'object', properties: { a: 1 } },
    ]) {
      expect(answerInText(input(schema), '{"a":1}')).toEqual({ optionId: 'answer', allow: true, value: { a: 1 } });
      expect(answerInText(input(schema), 'no JSON')).toBeUndefined();
    }
  });

  it('declines what can be declined, and never says that someone signed in', () => {
    expect(answerInText(input(), 'DECLINE')).toEqual({ optionId: 'decline', allow: false });
    expect(answerInText(signIn, 'decline')).toEqual({ optionId: 'decline', allow: false });
    expect(answerInText(signIn, 'done')).toBeUndefined();
    expect(answerInText(input(undefined, []), 'decline')).toBeUndefined();
    expect(answerInText(input(undefined, []), 'x')).toBeUndefined();
  });
});
