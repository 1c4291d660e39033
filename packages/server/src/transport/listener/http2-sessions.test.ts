import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock, silentLog } from '../../base/index.ts';
import { type Connection, ConnectionLimits } from './connection-limits.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { UntrustedRequests } from './untrusted-requests.ts';

/** What the care of connections looks at; `answers` says whether the peer still answers pings. */
class FakeSession extends EventEmitter {
  closed = false;
  destroyed = false;
  answers = true;
  announced: unknown[] = [];
  endedWith: number | undefined;
  pings = 0;

  ping(done: () => void): boolean {
    this.pings += 1;
    if (this.answers) done();
    return true;
  }

  close(): void {
    this.closed = true;
  }

  settings(values: unknown): void {
    this.announced.push(values);
  }

  destroy(_error?: Error, code?: number): void {
    this.endedWith = code;
    this.destroyed = true;
    this.emit('close');
  }
}

let clock: ManualClock;
let sessions: Http2Sessions;
let peer: FakeSession;
let session: ServerHttp2Session;
let limits: ConnectionLimits;
let connection: Connection | undefined;

beforeEach(() => {
  clock = new ManualClock();
  limits = new ConnectionLimits({
    ...{ connections: 10, connectionsPerAddress: 10 },
    countsAddresses: true,
    clock,
    log: silentLog,
  });
  connection = limits.admit('192.0.2.1');
  const requests = new UntrustedRequests(clock, () => undefined);
  sessions = new Http2Sessions({ clock, limits, requests, streams: 5000 });
  peer = new FakeSession();
  session = peer as unknown as ServerHttp2Session;
  if (connection !== undefined) sessions.add(session, connection);
});

describe('an HTTP/2 connection', () => {
  test('with streams is pinged every 30 s, one without is not', () => {
    clock.advance(30_000);
    expect(peer.pings).toBe(0);
    sessions.hold(session, 1);
    clock.advance(60_000);
    expect(peer.pings).toBe(2);
    sessions.hold(session, -1);
    clock.advance(60_000);
    expect(peer.pings).toBe(2);
  });

  test('whose peer answers no ping is ended at the next one', () => {
    sessions.hold(session, 1);
    peer.answers = false;
    clock.advance(30_000);
    expect(peer.destroyed).toBe(false);
    clock.advance(30_000);
    expect(peer.destroyed).toBe(true);
  });

  test('without streams or requests is closed after ten minutes', () => {
    clock.advance(9 * 60_000);
    sessions.touch(session);
    clock.advance(9 * 60_000);
    expect(peer.closed).toBe(false);
    clock.advance(2 * 60_000);
    expect(peer.closed).toBe(true);
  });

  test('is asked to go away after a day, however busy', () => {
    sessions.hold(session, 1);
    clock.advance(24 * 3_600_000);
    expect([peer.closed, peer.destroyed]).toEqual([true, false]);
  });

  test('is trusted with the first valid credential, and may then have all its streams', () => {
    expect(sessions.touch(session)).toBe('untrusted');
    sessions.trust(session);
    sessions.trust(session);
    expect([connection?.isTrusted, peer.announced]).toEqual([true, [{ maxConcurrentStreams: 5000 }]]);
    for (let requests = 0; requests < 1000; requests++) expect(sessions.touch(session)).toBe('trusted');
  });

  test('without a valid credential is told to calm down and ended after 300 requests at once', () => {
    for (let requests = 0; requests < 300; requests++) expect(sessions.touch(session)).toBe('untrusted');
    expect(sessions.touch(session)).toBe('cut');
    // ENHANCE_YOUR_CALM of RFC 9113, section 7.
    expect([peer.destroyed, peer.endedWith]).toEqual([true, 11]);
  });

  test('leaves no timer behind when it was the last', () => {
    peer.destroy();
    expect(clock.pendingTimers).toBe(0);
  });

  test('gets GOAWAY at shutdown', () => {
    sessions.goAway();
    expect(peer.closed).toBe(true);
    sessions.destroy();
    expect([peer.destroyed, clock.pendingTimers]).toEqual([true, 0]);
  });
});
