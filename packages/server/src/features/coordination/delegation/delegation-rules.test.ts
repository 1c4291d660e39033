import { describe, expect, it } from 'vitest';
import {
  asRead,
  type Delegation,
  depthLimit,
  freeAlias,
  nextRound,
  UNREAD,
  undelivered,
  waitingFor,
  waitSeconds,
  withRemote,
  withSent,
} from './delegation-rules.ts';

const EMPTY: Delegation = {
  connection: 'clerk',
  namespace: 'team',
  agent: 'clerk',
  openedBy: 'call',
  causeTurnId: '',
  rounds: 0,
  sent: [],
};
const work = (turnId: string, senderTurnId = 'sender', readBy = '') => ({
  key: `key of ${turnId}`,
  turnId,
  senderTurnId,
  readBy,
  readIn: '',
});

describe('conversations with other agents', () => {
  it('get the lowest number that is free', () => {
    expect(freeAlias('clerk', [])).toBe('clerk-1');
    expect(freeAlias('clerk', ['clerk-1', 'clerk-3', 'other'])).toBe('clerk-2');
  });

  it('are as deep as the connection says, within what the server allows', () => {
    expect([depthLimit(0, 8), depthLimit(2, 8), depthLimit(20, 8), depthLimit(0, 3)]).toEqual([5, 2, 8, 3]);
  });

  it('are waited for as long as the call says, else the connection, else five minutes, a day at most', () => {
    expect([waitSeconds(10, 20), waitSeconds(0, 20), waitSeconds(0, 0), waitSeconds(0, 900_000)]).toEqual([
      10, 20, 300, 86_400,
    ]);
  });

  it('count what was sent since the last message from outside', () => {
    const first = nextRound(EMPTY, { turnId: 'a', firstTurnId: undefined, isReply: false });
    expect(first).toEqual({ causeTurnId: 'a', rounds: 1 });
    const again = { ...EMPTY, ...first };
    expect(nextRound(again, { turnId: 'a', firstTurnId: undefined, isReply: false }).rounds).toBe(2);
    expect(nextRound(again, { turnId: 'b', firstTurnId: undefined, isReply: true })).toEqual({
      causeTurnId: 'a',
      rounds: 2,
    });
    expect(nextRound(again, { turnId: 'b', firstTurnId: undefined, isReply: false }).rounds).toBe(1);
    expect(nextRound(again, { turnId: 'b', firstTurnId: 'a', isReply: true }).rounds).toBe(2);
    expect(nextRound(EMPTY, { turnId: 'b', firstTurnId: undefined, isReply: true }).causeTurnId).toBe('b');
  });

  it('keep what is unread and what the calls of the sending turn may ask for again', () => {
    const sent = [work('1', 'old', 'message'), work('2', 'old'), work('3', 'new', 'call')];
    expect(withSent({ ...EMPTY, sent }, work('4', 'new')).map(({ turnId }) => turnId)).toEqual(['2', '3', '4']);
  });

  it('give a reply to one call only', () => {
    const sent = [work('1'), work('2')];
    const read = asRead({ ...EMPTY, sent }, ['1'], { readBy: 'call a', readIn: 'reader' });
    expect(waitingFor(read, 'call a').map(({ turnId }) => turnId)).toEqual(['1', '2']);
    expect(waitingFor(read, 'call b').map(({ turnId }) => turnId)).toEqual(['2']);
  });

  it('know the replies that a turn took and did not pass on', () => {
    const sent = [work('1'), work('2'), work('3'), work('4', 'sender', 'call c')];
    const first = asRead({ ...EMPTY, sent }, ['1'], { readBy: 'call a', readIn: 'reader' });
    const read = asRead(first, ['2'], { readBy: 'call b', readIn: 'reader' });
    const lost = (turnId: string) => undelivered(read, turnId, new Set(['call a'])).map((each) => each.turnId);
    expect([lost('reader'), lost('other')]).toEqual([['2'], []]);
    expect(asRead(read, ['2'], UNREAD).sent[1]).toEqual(work('2'));
  });

  it('note what is known of the work of agents elsewhere, and of no other', () => {
    const far = (turnId: string) => ({
      ...work(turnId),
      remote: { state: 'open', text: 'working', taskId: '' } as const,
    });
    const noted = withRemote({ ...EMPTY, sent: [far('1'), far('2'), work('3')] }, ['1', '3'], { taskId: 't' });
    expect(noted.sent.map(({ remote }) => remote?.taskId)).toEqual(['t', '', undefined]);
  });
});
