import { describe, expect, it } from 'vitest';
import { findMentions, isMentioned } from './mention-rules.ts';
import { judgeSubscriptions, type RoutedMessage } from './routing-rules.ts';

const mentions = (content: string, name = 'bot'): boolean => isMentioned(findMentions(content), name);

describe('mentions', () => {
  it.each([
    '@bot',
    '@bot.',
    '@bot...',
    '@bot:',
    '@bot,',
    '(@bot)',
    'cc:@bot',
    '_@bot_',
    "@bot's",
    'hi @bot!',
    '@bot-',
    '@bot_',
    '<@bot>',
    '<@bot|Bot>',
    '<@bot|@other>',
    'ping\n@bot please',
    '„@bot“',
    '@bot and @other',
    '*@bot*',
    '.@bot',
  ])('are found in %j', (content) => {
    expect(mentions(content)).toBe(true);
  });

  it.each([
    'bot',
    'a@bot.com',
    '@@bot',
    '@bot-helper',
    '@bot.helper',
    '@bot:prod',
    '@botПривет',
    '@BOT',
    '/@bot',
    '\\@bot',
    '@',
    '@ bot',
    '<@bot',
    '<@bot-helper>',
    '<@Bot>',
    'я@bot',
    '٣@bot',
    '@bots',
    '',
  ])('are not found in %j', (content) => {
    expect(mentions(content)).toBe(false);
  });

  it('are read in one pass, however many brackets stay open', () => {
    const open = '<@a|'.repeat(250_000);
    expect(findMentions(open).names).toEqual([]);
    expect(findMentions(`<@bot|${open}> ${open}`).names).toEqual(['bot']);
  });

  it('compare composed text', () => {
    expect(mentions('@cafe\u0301 now', 'caf\u00e9')).toBe(true);
    expect(mentions('@𝒷ot', '𝒷ot')).toBe(true);
  });

  it('take names with punctuation of their own', () => {
    expect(mentions('@bot.v2.', 'bot.v2')).toBe(true);
    expect(mentions('@team:bot', 'team:bot')).toBe(true);
    expect(mentions('anything', '')).toBe(false);
  });
});

describe('routing', () => {
  const message = (more: Partial<RoutedMessage> = {}): RoutedMessage => ({
    ...{ content: 'hello', authorKind: 'user', author: 'ann', subscriptionNames: [] },
    ...more,
  });
  const candidate = (
    name: string,
    trigger: string,
    more: { agent?: string; enabled?: boolean; metadata?: Record<string, string> } = {},
  ) => ({
    name,
    spec: { agent: 'bot', trigger, metadata: {}, ...more },
  });
  const routed = (sent: RoutedMessage, ...candidates: ReturnType<typeof candidate>[]): string[] =>
    judgeSubscriptions(sent, candidates, 2)
      .filter(({ word }) => word === 'called')
      .map(({ subscription }) => subscription.name);
  const words = (sent: RoutedMessage, ...candidates: ReturnType<typeof candidate>[]): Record<string, string> =>
    Object.fromEntries(
      judgeSubscriptions(sent, candidates, 2).map(({ subscription, word }) => [subscription.name, word]),
    );

  it('goes to every matching subscription in the order of names', () => {
    const all = [candidate('c', 'all'), candidate('b', 'all'), candidate('a', 'all', { agent: 'other' })];
    expect(routed(message(), ...all)).toEqual(['a', 'b', 'c']);
  });

  it('takes a mention of the agent or of the subscription, once however often it is mentioned', () => {
    const sub = candidate('desk', 'mention');
    expect(routed(message({ content: '@bot @bot @desk' }), sub)).toEqual(['desk']);
    expect(routed(message({ content: 'hey @desk' }), sub)).toEqual(['desk']);
    expect(routed(message(), sub)).toEqual([]);
  });

  it('reaches manual subscriptions only when named, and naming others is harmless', () => {
    const subs = [candidate('m', 'manual'), candidate('n', 'manual'), candidate('o', 'mention')];
    expect(routed(message({ subscriptionNames: ['n', 'o', 'unknown'] }), ...subs)).toEqual(['n']);
    const own = message({ authorKind: 'agent', author: 'bot', subscriptionNames: ['m'] });
    expect(routed(own, ...subs)).toEqual(['m']);
  });

  it('skips the own agent, but neither a user of its name nor another agent', () => {
    const subs = [candidate('a', 'all'), candidate('m', 'mention')];
    const content = '@bot';
    expect(routed(message({ content, authorKind: 'agent', author: 'bot' }), ...subs)).toEqual([]);
    expect(routed(message({ content, authorKind: 'user', author: 'bot' }), ...subs)).toEqual(['a', 'm']);
    expect(routed(message({ content, authorKind: 'agent', author: 'other' }), ...subs)).toEqual(['a', 'm']);
  });

  it('never reaches routed, disabled and switched off ones', () => {
    const subs = [candidate('r', 'routed'), candidate('d', 'disabled'), candidate('e', 'all', { enabled: false })];
    expect(routed(message({ content: '@bot', subscriptionNames: ['r', 'd', 'e'] }), ...subs)).toEqual([]);
  });

  it('says what keeps each subscription from calling its agent', () => {
    const subs = [
      candidate('all', 'all'),
      candidate('asked', 'manual'),
      candidate('heard', 'mention'),
      candidate('off', 'all', { enabled: false }),
      candidate('outside', 'routed'),
      candidate('over', 'disabled'),
    ];
    expect(words(message(), ...subs)).toEqual({
      all: 'called',
      asked: 'not_named',
      heard: 'not_mentioned',
      off: 'disabled',
      outside: 'routed_only',
      over: 'disabled',
    });
    const own = message({ authorKind: 'agent', author: 'bot', content: '@bot', subscriptionNames: ['asked'] });
    expect(words(own, ...subs)).toMatchObject({ all: 'own_message', asked: 'called', heard: 'own_message' });
    const taking = candidate('takes', 'all', { metadata: { agentMessages: 'route' } });
    const published = message({ authorKind: 'agent', author: 'other', hops: 2 });
    expect(words(published, taking, candidate('all', 'all'))).toEqual({ all: 'agent_messages_off', takes: 'called' });
    expect(words({ ...published, hops: 3 }, taking)).toEqual({ takes: 'hops_exceeded' });
  });

  it('takes what agents publish only where a subscription asks for it, and only so many in a row', () => {
    const asks = candidate('a', 'all', { metadata: { agentMessages: 'route' } });
    const subs = [asks, candidate('b', 'all'), candidate('c', 'mention', { metadata: { agentMessages: 'yes' } })];
    const published = { authorKind: 'agent', author: 'other', content: '@bot' };
    expect(routed(message({ ...published, hops: 1 }), ...subs)).toEqual(['a']);
    expect(routed(message({ ...published, hops: 2 }), ...subs)).toEqual(['a']);
    expect(routed(message({ ...published, hops: 3 }), ...subs)).toEqual([]);
    expect(routed(message({ ...published, author: 'bot', hops: 1 }), ...subs)).toEqual([]);
  });
});
