import { EventEmitter } from 'node:events';
import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from './session.ts';
import { composed, statement } from './statement.ts';
import { ConnectionLost, NotRun, ServerError } from './storage-fault.ts';

/** The socket of a connection without a server. */
class FakeSocket extends EventEmitter {
  readonly sent: Buffer[] = [];

  write(bytes: Buffer): void {
    this.sent.push(bytes);
  }

  destroy(error?: Error): void {
    this.emit('error', error);
    this.emit('close');
  }
}

/** Messages of a server. */
const message = (type: string, ...contents: (Buffer | string | number)[]): Buffer => {
  const parts = contents.map((each) =>
    typeof each === 'number' ? Buffer.from([each >> 8, each & 255]) : Buffer.from(each),
  );
  const size = Buffer.alloc(4);
  size.writeInt32BE(4 + parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([Buffer.from(type), size, ...parts]);
};
const sized = (text: string | null): Buffer => {
  const size = Buffer.alloc(4);
  size.writeInt32BE(text === null ? -1 : Buffer.byteLength(text));
  return Buffer.concat([size, Buffer.from(text ?? '')]);
};
const column = (name: string, typeId: number): Buffer => {
  const rest = Buffer.alloc(18);
  rest.writeUInt32BE(typeId, 6);
  return Buffer.concat([Buffer.from(`${name}\0`), rest]);
};
const BOUND = message('2');
const READY = message('Z', 'T');
const columns = (...each: Buffer[]) => message('T', each.length, ...each);
const row = (...texts: (string | null)[]) => message('D', texts.length, ...texts.map(sized));
const complete = (tag: string) => message('C', `${tag}\0`);
const refusal = (code: string) => message('E', `SERROR\0C${code}\0Mrefused\0\0`);
const TEXT = 25;
const INT8 = 20;
const BOOL = 16;

const ROWS = statement<{ a: string; n: number; b: boolean }>('SELECT a, n, b FROM t');
const NOTHING = statement('DELETE FROM t');

const given = () => {
  const socket = new FakeSocket();
  const released: (boolean | undefined)[] = [];
  const client = Object.assign(new EventEmitter(), {
    connection: { stream: socket },
    release: (isBroken?: boolean) => released.push(isBroken),
  });
  const session = new Session(client as unknown as PoolClient, 8_000);
  const answer = (...messages: Buffer[]) => socket.emit('data', Buffer.concat(messages));
  /** What was sent since the last look, once the program has nothing else to do. */
  const sent = async (): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    return Buffer.concat(socket.sent.splice(0)).toString('latin1');
  };
  return { socket, released, session, answer, sent };
};

const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const count = (text: string, part: string): number => text.split(part).length - 1;
/** A Sync message. */
const SYNC = 'S\0\0\0\x04';
/** A Describe message. */
const DESCRIBE = 'D\0\0\0\x06P';

describe('a connection', () => {
  it('sends what one step asks as one piece, asks for columns once, and reads values wherever the wire cuts them', async () => {
    const { session, socket, answer, sent } = given();
    const asked = [session.rows(ROWS), session.run(NOTHING), session.rows(ROWS, ['é', null, 5])] as const;
    const first = await sent();
    expect([count(first, SYNC), count(first, 'SELECT a, n, b'), count(first, 'DELETE')]).toEqual([1, 1, 1]);
    const shape = columns(column('a', TEXT), column('n', INT8), column('b', BOOL));
    const answers = Buffer.concat([
      ...[message('1'), BOUND, shape, row('é😀', '-9007199254740991', 't'), row('', '0', null), complete('SELECT 2')],
      ...[message('1'), BOUND, message('n'), complete('DELETE 3')],
      ...[BOUND, shape, message('N', 'SWARNING\0\0'), row(null, '12', 'f'), complete('SELECT 1'), READY],
    ]);
    for (const byte of answers) socket.emit('data', Buffer.from([byte]));
    expect(await Promise.all(asked)).toEqual([
      [
        { a: 'é😀', n: -9_007_199_254_740_991, b: true },
        { a: '', n: 0, b: null },
      ],
      3,
      [{ a: null, n: 12, b: false }],
    ]);
    const again = session.rows(ROWS);
    const next = await sent();
    expect([count(next, 'SELECT'), count(next, DESCRIBE)]).toEqual([0, 0]);
    answer(BOUND, row('x', '1', 't'), complete('SELECT 1'), READY);
    expect(await again).toEqual([{ a: 'x', n: 1, b: true }]);
  });

  it('says of what stood behind a refused statement that it was not run, and prepares it again', async () => {
    const { session, answer, sent } = given();
    const asked = [session.run(NOTHING), session.rows(ROWS), session.command('COMMIT')].map(outcomeOf);
    await sent();
    answer(message('1'), BOUND, complete('DELETE 1'), refusal('40001'), READY);
    const [done, refused, behind] = await Promise.all(asked);
    expect([done, refused, behind]).toEqual([1, expect.any(ServerError), expect.any(NotRun)]);
    expect([(refused as ServerError).code, (behind as NotRun).cause]).toEqual(['40001', refused]);
    const again = session.rows(ROWS);
    expect(await sent()).toMatch(/C\0\0\0.Ssvc_.*SELECT a, n, b/s);
    answer(message('3'), message('1'), BOUND, columns(column('n', INT8)), row('7'), complete('SELECT 1'), READY);
    expect(await again).toEqual([{ n: 7 }]);
    expect(session.lost).toBeUndefined();
  });

  it('sends what takes back in a piece of its own', async () => {
    const { session, sent } = given();
    const asked = [session.run(NOTHING), session.command('ROLLBACK')].map(outcomeOf);
    expect(count(await sent(), SYNC)).toBe(2);
    expect(asked).toHaveLength(2);
  });

  it('leaves a snapshot with the next statement, or by itself', async () => {
    const { session, sent, answer } = given();
    session.leaveSnapshot();
    expect(await sent()).toBe('');
    const begun = session.command('BEGIN');
    expect(await sent()).toMatch(/svc ROLLBACK.*svc BEGIN/s);
    answer(message('1'), BOUND, message('n'), complete('ROLLBACK'));
    answer(message('1'), BOUND, message('n'), complete('BEGIN'), READY);
    expect(await begun).toBe('BEGIN');
    session.leaveSnapshot();
    const shared = session.queryShared(NOTHING, []);
    expect(count(await sent(), SYNC)).toBe(2);
    answer(BOUND, complete('ROLLBACK'), READY, BOUND, message('n'), complete('DELETE 1'), READY);
    expect((await shared).count).toBe(1);
    session.leaveSnapshot();
    const later = Promise.withResolvers<void>();
    setTimeout(later.resolve, 20);
    await later.promise;
    expect(count(await sent(), SYNC)).toBe(1);
  });

  it('takes shared statements back together when one is refused', async () => {
    const { session, answer, sent } = given();
    const asked = [session.queryShared(NOTHING, []), session.queryShared(ROWS, [])].map(outcomeOf);
    expect(count(await sent(), SYNC)).toBe(1);
    answer(message('1'), BOUND, complete('DELETE 1'), refusal('57014'), READY);
    expect(await Promise.all(asked)).toEqual([expect.any(NotRun), expect.any(ServerError)]);
    const apart = [session.queryShared(NOTHING, []), session.queryShared(ROWS, [], { isApart: true })].map(outcomeOf);
    expect(count(await sent(), SYNC)).toBe(2);
    expect(apart).toHaveLength(2);
  });

  it('sends long pieces in several, so that the server says something in between', async () => {
    const { session, sent } = given();
    const asked = Array.from({ length: 130 }, () => outcomeOf(session.run(NOTHING, ['x'.repeat(1_000)])));
    const bytes = await sent();
    expect([count(bytes, SYNC), bytes.length > 130_000, asked.length]).toEqual([3, true, 130]);
  });

  it('runs a script, and says what was wrong with it', async () => {
    const { session, answer, sent } = given();
    const good = session.script('CREATE TABLE a (); CREATE TABLE b ()');
    expect(await sent()).toContain('CREATE TABLE b');
    answer(complete('CREATE TABLE'), complete('CREATE TABLE'), READY);
    await good;
    const bad = outcomeOf(session.script('CREATE'));
    answer(refusal('42601'), READY);
    expect(await bad).toMatchObject({ code: '42601' });
    const cut = outcomeOf(session.script('SELECT'));
    answer(refusal('57P01'));
    expect(await cut).toBe(session.lost);
  });

  it.each([
    ['the server ends it', [refusal('57P01')]],
    ['it answers what cannot be read', [message('T', 9)]],
    ['it answers a message that there is not', [message('?')]],
  ])('is lost when %s, with everything under way', async (_title, answers) => {
    const { session, answer, sent, released } = given();
    const asked = [session.rows(ROWS), session.rows(composed<never>('SELECT 1'))].map(outcomeOf);
    await sent();
    answer(...answers);
    expect(session.lost).toBeInstanceOf(ConnectionLost);
    expect(await Promise.all(asked)).toEqual([session.lost, session.lost]);
    expect(await outcomeOf(session.rows(ROWS))).toBe(session.lost);
    session.release(false);
    expect(released).toEqual([true]);
  });

  it('tells who has it that it is lost, and nobody who gave it back', () => {
    const { session, socket, answer } = given();
    const told: string[] = [];
    session.whenLost(() => told.push('gave it back'));
    session.release(false);
    session.whenLost(() => told.push('has it'));
    answer(refusal('57P01'));
    socket.emit('close');
    expect(new Set(told)).toEqual(new Set(['has it']));
  });

  it('is lost when it is refused something that nobody asked for', () => {
    const { session, answer } = given();
    answer(refusal('53300'));
    expect(session.lost).toBeInstanceOf(ConnectionLost);
  });

  describe('whose server sends nothing', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    it('is given up only while it owes an answer and is not known to take long', async () => {
      const { session, sent } = given();
      vi.advanceTimersByTime(60_000);
      const asked = outcomeOf(session.rows(ROWS));
      await sent();
      session.isPatient = true;
      vi.advanceTimersByTime(60_000);
      await sent();
      expect(session.lost).toBeUndefined();
      session.isPatient = false;
      const more = outcomeOf(session.run(NOTHING));
      await sent();
      expect(session.lost).toBeUndefined();
      vi.advanceTimersByTime(8_000);
      await sent();
      expect([await asked, await more, session.wasSilent]).toEqual([session.lost, session.lost, true]);
    });

    it('is given up though more and more is asked of it', async () => {
      const { session, answer, sent } = given();
      const asked = [outcomeOf(session.run(NOTHING))];
      await sent();
      vi.advanceTimersByTime(7_000);
      answer(message('1'), BOUND, message('n'), complete('DELETE 1'), READY);
      for (let second = 0; second < 8; second++) {
        expect(session.lost).toBeUndefined();
        asked.push(outcomeOf(session.run(NOTHING)));
        await sent();
        vi.advanceTimersByTime(1_000);
      }
      await sent();
      expect([session.wasSilent, await Promise.all(asked)]).toEqual([true, [1, ...Array(8).fill(session.lost)]]);
    });

    it('is kept when the answer had come before this process got round to read it', async () => {
      const { session, answer, sent } = given();
      const asked = session.run(NOTHING);
      await sent();
      vi.advanceTimersByTime(8_000);
      answer(message('1'), BOUND, message('n'), complete('DELETE 1'), READY);
      await sent();
      expect([await asked, session.lost]).toEqual([1, undefined]);
    });
  });
});
