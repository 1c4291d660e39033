import { create } from '@bufbuild/protobuf';
import { SessionMessagePartSchema, SessionMessagePartType } from '@svc/api/data';
import { expect, it } from 'vitest';
import { replyText, withReplyText } from './reply-text.ts';

const { TEXT, TOOL_CALL, TOOL_RESULT, FILE } = SessionMessagePartType;

const part = (partType: SessionMessagePartType, content = '') =>
  create(SessionMessagePartSchema, { partType, content });

const reply = [
  part(TEXT, 'I look it up.'),
  part(TOOL_CALL),
  part(TOOL_RESULT, '4'),
  part(TEXT, 'It is '),
  part(FILE),
  part(TEXT, 'four.'),
];

const brief = (parts: ReturnType<typeof withReplyText>): unknown[] =>
  parts.map(({ partType, content }) => [partType, content]);

it('is what was said after the last tool call', () => {
  expect(replyText(reply)).toBe('It is four.');
  expect(replyText([part(TEXT, 'a')])).toBe('a');
  expect(replyText([part(TEXT, 'a'), part(TOOL_CALL)])).toBe('');
});

it('is replaced without touching the rest', () => {
  expect(brief(withReplyText(reply, 'Four!'))).toEqual([
    [TEXT, 'I look it up.'],
    [TOOL_CALL, ''],
    [TOOL_RESULT, '4'],
    [TEXT, 'Four!'],
    [FILE, ''],
  ]);
});

it('is added where nothing was said', () => {
  expect(brief(withReplyText([part(TOOL_CALL)], 'Hello'))).toEqual([
    [TOOL_CALL, ''],
    [TEXT, 'Hello'],
  ]);
});
