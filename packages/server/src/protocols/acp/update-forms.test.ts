import { describe, expect, it } from 'vitest';
import { agentUpdate, permissionQuestion } from './update-forms.ts';

const chunk = (sessionUpdate: string, content: unknown) => agentUpdate({ sessionUpdate, content });
const call = (said: Readonly<Record<string, unknown>>) =>
  agentUpdate({ sessionUpdate: 'tool_call', toolCallId: 'c1', ...said });

describe('an update of an agent', () => {
  it.each([
    ['a text', { type: 'text', text: 'hello' }, 'hello'],
    ['a text without text', { type: 'text' }, ''],
    ['a link as its address', { type: 'resource_link', uri: 'file:///a.txt' }, 'file:///a.txt'],
    ['the text of a resource', { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }, 'inside'],
    ['nothing of a resource of bytes', { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==' } }, ''],
    ['nothing of an image', { type: 'image', data: 'AA==', mimeType: 'image/png' }, ''],
    ['nothing of what is no block', 'hello', ''],
  ])('shows %s', (_what, content, text) => {
    expect(chunk('agent_message_chunk', content)).toEqual({ kind: 'text', text });
    expect(chunk('agent_thought_chunk', content)).toEqual({ kind: 'reasoning', text });
  });

  it.each([
    ['of another version', { sessionUpdate: 'hologram' }],
    ['that is no object', 'agent_message_chunk'],
    ['that is null', null],
    ['about a tool call without an id', { sessionUpdate: 'tool_call', title: 'Read' }],
    ['about a tool call whose id is no text', { sessionUpdate: 'tool_call_update', toolCallId: 7 }],
    ['with a context below zero', { sessionUpdate: 'usage_update', used: -1 }],
    ['with a context that is no number', { sessionUpdate: 'usage_update', used: 'much' }],
    ['with a context that is no whole number', { sessionUpdate: 'usage_update', used: 1.5 }],
  ])('%s has no meaning', (_what, said) => expect(agentUpdate(said)).toBeUndefined());

  it('says how many tokens are in its context', () => {
    expect(agentUpdate({ sessionUpdate: 'usage_update', used: 0 })).toEqual({ kind: 'context', usedTokens: 0 });
    expect(agentUpdate({ sessionUpdate: 'usage_update', used: 1_200 })).toEqual({ kind: 'context', usedTokens: 1_200 });
  });
});

describe('a tool call of an agent', () => {
  it('says what it mentioned and nothing else', () => {
    expect(call({})).toEqual({ kind: 'tool', callId: 'c1' });
    expect(call({ name: '', title: 7, kind: null, status: '', rawInput: null, rawOutput: null, content: [] })).toEqual({
      kind: 'tool',
      callId: 'c1',
    });
    const said = { name: 'read_file', title: 'Read a.txt', kind: 'read', status: 'pending', rawInput: { path: 'a' } };
    expect(call(said)).toEqual({
      kind: 'tool',
      callId: 'c1',
      name: 'read_file',
      title: 'Read a.txt',
      toolKind: 'read',
      status: 'pending',
      input: { path: 'a' },
    });
  });

  it.each([
    [
      'its texts, one to a line, without those that are empty',
      {
        content: [
          { type: 'content', content: { type: 'text', text: 'one' } },
          { type: 'content', content: { type: 'image' } },
          { type: 'terminal', terminalId: 't1' },
          'no block',
          { type: 'content', content: { type: 'text', text: 'two' } },
        ],
        rawOutput: 'raw',
      },
      'one\ntwo',
    ],
    [
      'the new text of a changed file behind its path',
      { content: [{ type: 'diff', path: '/a.txt', oldText: 'x', newText: 'y' }] },
      '/a.txt\ny',
    ],
    ['its raw text', { content: [], rawOutput: 'raw' }, 'raw'],
    ['its raw value as JSON', { content: 'no list', rawOutput: { exit: 0 } }, '{"exit":0}'],
  ])('has as its output %s', (_what, said, output) => {
    expect(call(said)).toEqual({ kind: 'tool', callId: 'c1', output });
  });

  it('keeps no names and no input beyond their limits', () => {
    expect(call({ title: 'x'.repeat(201) })).toMatchObject({ title: 'x'.repeat(200) });
    // With its quotes this text is as long as the longest input that is kept.
    const longest = 'x'.repeat(262_142);
    expect(call({ rawInput: longest })).toMatchObject({ input: longest });
    expect(call({ rawInput: `${longest}x` })).toMatchObject({ input: { note: 'the input is too large to keep' } });
  });
});

describe('a question of an agent', () => {
  const toolCall = { toolCallId: 'c1', title: 'Deploy', kind: 'execute' };

  it('names its call and its choices', () => {
    const options = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      'no choice',
      { optionId: 'x'.repeat(300) },
    ];
    expect(permissionQuestion({ toolCall, options })).toEqual({
      tool: { kind: 'tool', callId: 'c1', title: 'Deploy', toolKind: 'execute' },
      choices: [
        { id: 'yes', name: 'Allow', kind: 'allow_once' },
        { id: 'x'.repeat(200), name: '', kind: '' },
      ],
    });
  });

  it('has at most 16 choices, and may have none', () => {
    const options = Array.from({ length: 20 }, (_, index) => ({ optionId: `o${index}` }));
    expect(
      permissionQuestion({ toolCall, options })
        ?.choices.map(({ id }) => id)
        .at(-1),
    ).toBe('o15');
    expect(permissionQuestion({ toolCall })?.choices).toEqual([]);
  });

  it.each([[null], ['Deploy?'], [{}], [{ toolCall: 'c1' }], [{ toolCall: { title: 'Deploy' } }]])(
    'about nothing is none: %j',
    (said) => expect(permissionQuestion(said)).toBeUndefined(),
  );
});
