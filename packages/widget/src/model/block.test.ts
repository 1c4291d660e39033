import { expect, it } from 'vitest';
import { blocksOf } from './block.ts';
import { type ChatMessage, emptyConversation, withStored } from './conversation.ts';

const messageOf = (
  parts: readonly (readonly [type: string, content?: string, name?: string, payload?: object])[],
): ChatMessage => {
  const wire = parts.map(([type, content = '', name = '', payload = {}], index) => ({
    id: `${index}`,
    partType: `SESSION_MESSAGE_PART_TYPE_${type}`,
    content,
    name,
    payloadJson: JSON.stringify(payload),
  }));
  const [message] = withStored(emptyConversation, [{ id: 'm', parts: wire }]).messages;
  if (message === undefined) throw new Error('there is no message');
  return message;
};

const call = (id: string, name: string) => ['TOOL_CALL', '', name, { tool_call_id: id }] as const;
const result = (id: string, output: unknown, isError = false) =>
  ['TOOL_RESULT', '', '', { tool_call_id: id, output, is_error: isError }] as const;

it('shows text, reasoning, tools with what became of them, errors and summaries; not what only counts', () => {
  const message = messageOf([
    ['REASONING', 'Hm'],
    ['TEXT', '  \n'],
    call('a', 'look'),
    call('b', 'write'),
    call('c', 'send'),
    call('d', 'wait'),
    result('a', 'fine'),
    result('b', { error: 'no' }, true),
    result('c', { code: 'denied' }, true),
    ['USAGE'],
    ['COMPACTION', 'short'],
    ['TEXT', 'done'],
    ['ERROR', 'oh'],
  ]);
  expect(blocksOf(message)).toEqual([
    { kind: 'reasoning', key: '0', text: 'Hm' },
    { kind: 'tool', key: '2', tool: { name: 'look', state: 'done' } },
    { kind: 'tool', key: '3', tool: { name: 'write', state: 'failed' } },
    { kind: 'tool', key: '4', tool: { name: 'send', state: 'denied' } },
    { kind: 'tool', key: '5', tool: { name: 'wait', state: 'failed' } },
    { kind: 'note', key: '10' },
    { kind: 'text', key: '11', text: 'done' },
    { kind: 'error', key: '12', text: 'oh' },
  ]);
  expect(blocksOf({ ...message, isFinished: false })[4]).toMatchObject({ tool: { name: 'wait', state: 'running' } });
});

it('shows a request in the place of the tool that it is about, until it is answered', () => {
  const asked = [
    call('a', 'send'),
    ['REQUEST_PERMISSION', 'May I?', 'send', { request_id: 'r', tool_call_id: 'a' }] as const,
  ];
  const open = { ...messageOf(asked), isFinished: false };
  expect(blocksOf(open)).toMatchObject([
    { kind: 'request', request: { id: 'r', kind: 'permission', prompt: 'May I?', state: 'open' } },
  ]);
  const answer = ['PERMISSION_RESULT', '', '', { request_id: 'r', decision: 'PERMISSION_DECISION_DENY' }] as const;
  const answered = { ...messageOf([...asked, answer]), isFinished: false };
  expect(blocksOf(answered)).toMatchObject([{ kind: 'tool' }, { kind: 'request', request: { state: 'denied' } }]);
  expect(blocksOf(messageOf(asked))).toMatchObject([{ kind: 'tool' }, { request: { state: 'closed' } }]);
});

it('shows of a tool that only asks the question alone, with the answer that was chosen', () => {
  const options = [
    { id: 'y', name: 'Sure', decision: 'PERMISSION_DECISION_ALLOW' },
    { id: 'n', name: 'No', decision: 'PERMISSION_DECISION_DENY' },
  ];
  const payload = {
    request_id: 'r',
    kind: 'input',
    tool_call_id: 'a',
    options,
    schema: { type: 'string' },
    input: { x: 1 },
  };
  const answer = { request_id: 'r', decision: 'PERMISSION_DECISION_ALLOW', option_id: 'y' };
  const message = messageOf([
    call('a', 'ask_user'),
    ['REQUEST_PERMISSION', 'Which?', '', payload],
    ['PERMISSION_RESULT', '', '', answer],
  ]);
  expect(blocksOf(message)).toEqual([
    {
      kind: 'request',
      key: '1',
      request: {
        id: 'r',
        kind: 'input',
        prompt: 'Which?',
        action: '',
        input: { x: 1 },
        options: [
          { id: 'y', name: 'Sure', allows: true },
          { id: 'n', name: 'No', allows: false },
        ],
        schema: { type: 'string' },
        url: '',
        state: 'allowed',
        chosen: 'Sure',
      },
    },
  ]);
});

it('shows bytes as files, and what only has an address as a link', () => {
  const file = {
    id: '1',
    partType: 'SESSION_MESSAGE_PART_TYPE_IMAGE',
    object: { mediaType: 'image/png', sizeBytes: '5', filename: 'p.png' },
  };
  const link = { id: '2', partType: 'SESSION_MESSAGE_PART_TYPE_IMAGE', payloadJson: '{"url":"https://x.org/p.png"}' };
  const [message] = withStored(emptyConversation, [{ id: 'm', parts: [file, link] }]).messages;
  expect(message && blocksOf(message)).toEqual([
    { kind: 'file', key: '0', partId: '1', file: { mediaType: 'image/png', sizeBytes: 5, filename: 'p.png' } },
    { kind: 'link', key: '1', address: 'https://x.org/p.png' },
  ]);
});
