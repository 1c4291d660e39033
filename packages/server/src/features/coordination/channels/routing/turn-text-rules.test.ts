import { expect, it } from 'vitest';
import { type TurnStart, turnText } from './turn-text-rules.ts';

const start: TurnStart = {
  channel: 'ops',
  title: 'Operations',
  agent: 'helper',
  replyMode: 'tool',
  trigger: { id: 'm-9', authorKind: 'user', author: 'ann', content: '@helper\nlook' },
  before: undefined,
};
const message = (index: number, content: string) => ({ id: `m-${index}`, authorKind: 'user', author: 'bob', content });

it('says where the message comes from, how to answer, and what it says', () => {
  expect(turnText(start)).toBe(
    [
      'Message in channel ops (Operations). You are helper.',
      'Your final text is not shown in the channel. Call channel_publish to answer there, or channel_skip_reply when no answer is needed.',
      '',
      'Message m-9 of user ann:',
      '@helper\nlook',
    ].join('\n'),
  );
  const bare = turnText({ ...start, title: '', replyMode: 'none', trigger: { ...start.trigger, author: '' } });
  expect(bare).toContain('Message in channel ops. You are helper.\nYou cannot answer in the channel');
  expect(bare).toContain('Message m-9 of user (no name):');
  expect(turnText({ ...start, replyMode: 'auto', before: [] })).toContain('Your final text is published');
});

it('shows what was said before, a line for each message, and leaves out the oldest of too much', () => {
  const before = [message(1, 'one\ntwo'), { ...message(2, 'x'.repeat(2_100)), authorKind: 'agent' }];
  const lines = turnText({ ...start, before }).split('\n');
  expect(lines.slice(6)).toEqual([
    '',
    'Messages before it, oldest first:',
    'user:bob: one two',
    `agent:bob: ${'x'.repeat(2_000)}…`,
  ]);
  const many = Array.from({ length: 40 }, (_, index) => message(index, `${index} ${'é'.repeat(1_000)}`));
  const shown = turnText({ ...start, before: many })
    .split('\n')
    .filter((line) => line.startsWith('user:bob'));
  expect([shown.length, shown.at(-1)?.slice(0, 13)]).toEqual([16, 'user:bob: 39 ']);
});
