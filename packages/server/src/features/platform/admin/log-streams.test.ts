import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type LogLine, StreamLogsRequestSchema } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { LineBroadcast, type LogEntry } from '../../../base/index.ts';
import { callContext, TestStream } from '../../testing/index.ts';
import { LogStreams } from './log-streams.ts';

let lines: LineBroadcast;
let logs: LogStreams;
let starts = 0;

const opened = (events = 100): LogStreams => {
  starts += 1;
  const ids = { next: () => `00000000-0000-7000-8000-00000000000${starts}` };
  return new LogStreams({ lines, ids, limits: { events, bytes: 100_000 } });
};

beforeEach(() => {
  lines = new LineBroadcast();
  logs = opened();
});

const write = (message: string, level: LogEntry['level'] = 'info', fields: object = {}): void =>
  lines.send({ atMs: 1_000, level, message, fields });

const follow = (request: MessageInitShape<typeof StreamLogsRequestSchema> = {}, of = logs): TestStream<LogLine> =>
  new TestStream((sink, signal) =>
    of.stream(create(StreamLogsRequestSchema, request), { ...callContext('AdminService/StreamLogs'), signal }, sink),
  );

const messages = ({ received }: TestStream<LogLine>): readonly string[] => received.map(({ message }) => message);

describe('StreamLogs', () => {
  it('sends the kept lines in order, then each as it is written', async () => {
    write('first', 'warn', { tries: 2, err: { message: 'gone' } });
    const stream = follow();
    await expect.poll(() => messages(stream)).toEqual(['first']);
    write('second');
    expect(messages(stream)).toEqual(['first', 'second']);
    expect(stream.received[0]).toMatchObject({
      timestamp: 1_000_000n,
      level: 'warn',
      fieldsJson: '{"tries":2,"err":{"message":"gone"}}',
    });
    expect(await stream.stop()).toBe('ok');
  });

  it('continues behind a line that the caller has, and begins at the oldest for one that is no longer known', async () => {
    for (const text of ['a', 'b', 'c']) write(text);
    const whole = follow();
    await expect.poll(() => messages(whole)).toEqual(['a', 'b', 'c']);
    const rest = follow({ after: whole.ids[1] ?? '' });
    const ofAnotherProcess = follow({ after: whole.ids[1] ?? '' }, opened());
    await expect.poll(() => messages(rest)).toEqual(['c']);
    write('d');
    await expect.poll(() => messages(ofAnotherProcess)).toEqual(['d']);
    expect(messages(rest)).toEqual(['c', 'd']);
    await Promise.all([whole.stop(), rest.stop(), ofAnotherProcess.stop()]);
  });

  it('keeps the newest 1,000 lines', async () => {
    for (let number = 1; number <= 1_001; number += 1) write(`line ${number}`);
    const stream = follow({ contains: '' });
    await expect.poll(() => stream.received.length).toBe(1_000);
    expect(messages(stream)[0]).toBe('line 2');
    await stream.stop();
  });

  it('leaves out lines below the level, lines without the text, and with "live" everything before', async () => {
    write('quiet', 'debug');
    write('Turn failed', 'error', { turn: 't-1' });
    const streams = [
      follow({ level: 'warn' }),
      follow({ contains: 'TURN' }),
      follow({ contains: 't-1' }),
      follow({ after: 'live' }),
    ];
    await expect
      .poll(() => streams.slice(0, 3).map(messages))
      .toEqual([['Turn failed'], ['Turn failed'], ['Turn failed']]);
    write('turned', 'info');
    expect(streams.map(messages)).toEqual([['Turn failed'], ['Turn failed', 'turned'], ['Turn failed'], ['turned']]);
    await Promise.all(streams.map((stream) => stream.stop()));
  });

  it('ends after the kept lines where no more are asked for', async () => {
    for (const text of ['a', 'b', 'c']) write(text);
    const kept = follow({ keptOnly: true });
    expect([await kept.ended, messages(kept)]).toEqual(['ok', ['a', 'b', 'c']]);
    const none = follow({ keptOnly: true, contains: 'nothing' });
    expect([await none.ended, messages(none)]).toEqual(['ok', []]);
    const newest = follow({ keptOnly: true, tail: 0 });
    expect([await newest.ended, messages(newest)]).toEqual(['ok', []]);
  });

  it('begins with so many of the newest lines that match, or with those since a time, and follows', async () => {
    write('Turn failed', 'error');
    write('turned');
    lines.send({ atMs: 2_000, level: 'info', message: 'turn later', fields: {} });
    write('other', 'debug');
    const [last, two, many, recent, both] = [
      follow({ tail: 1 }),
      follow({ tail: 2, contains: 'turn' }),
      follow({ tail: 9, level: 'error' }),
      follow({ since: 2_000_000n }),
      follow({ tail: 0 }),
    ];
    await expect
      .poll(() => [last, two, many, recent].map(messages))
      .toEqual([['other'], ['turned', 'turn later'], ['Turn failed'], ['turn later', 'other']]);
    write('turn again', 'error');
    expect([last, two, many, recent, both].map((stream) => messages(stream).at(-1))).toEqual(
      Array.from({ length: 5 }, () => 'turn again'),
    );
    expect(messages(both)).toEqual(['turn again']);
    await Promise.all([last, two, many, recent, both].map((stream) => stream.stop()));
  });

  it('refuses a number of lines below none', async () => {
    expect(await follow({ tail: -1 }).ended).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'tail: must not be negative',
    });
  });

  it('refuses a level that is none', async () => {
    expect(await follow({ level: 'loud' }).ended).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'level: must be one of debug, info, warn, error',
    });
  });

  it('lets kept lines wait for a slow reader, and ends its stream when too many new ones wait', async () => {
    const small = opened(3);
    for (const text of ['a', 'b', 'c', 'd', 'e']) write(text);
    const stream = follow({}, small);
    stream.isLagging = true;
    await expect.poll(() => messages(stream)).toEqual(['a']);
    stream.catchUp();
    await expect.poll(() => messages(stream)).toEqual(['a', 'b', 'c', 'd', 'e']);
    stream.isLagging = true;
    for (const text of ['f', 'g', 'h', 'i', 'j']) write(text);
    stream.catchUp();
    expect(await stream.ended).toMatchObject({ reason: 'SLOW_CONSUMER' });
  });
});
