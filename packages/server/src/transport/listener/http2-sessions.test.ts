import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { Http2Sessions } from './http2-sessions.ts';

/** What the care of connections looks at; `answers` says whether the peer still answers pings. */
class FakeSession extends EventEmitter {
  closed = false;
  destroyed = false;
  answers = true;
  pings = 0;

  ping(done: () => void): boolean {
    this.pings += 1;
    if (this.answers) done();
    return true;
  }

  close(): void {
    this.closed = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

let clock: ManualClock;
let sessions: Http2Sessions;
let peer: FakeSession;
let session: ServerHttp2Session;

beforeEach(() => {
  clock = new ManualClock();
  sessions = new Http2Sessions(clock);
  peer = new FakeSession();
  session = peer as unknown as ServerHttp2Session;
  sessions.add(session);
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
