import { beforeEach, describe, expect, test } from 'vitest';
import { type Log, ManualClock } from '../../base/index.ts';
import { type Connection, ConnectionLimits } from './connection-limits.ts';

let clock: ManualClock;
let warnings: unknown[];
const log: Pick<Log, 'warn'> = { warn: (...line) => void warnings.push(line) };

beforeEach(() => {
  clock = new ManualClock();
  warnings = [];
});

const limits = (more: { connections?: number; connectionsPerAddress?: number; countsAddresses?: boolean } = {}) =>
  new ConnectionLimits({ connections: 6, connectionsPerAddress: 2, countsAddresses: true, clock, log, ...more });

/** Lets in `count` connections of an address, all of which must be let in. */
const letIn = (of: ConnectionLimits, address: string, count: number): readonly Connection[] =>
  Array.from({ length: count }, () => {
    const connection = of.admit(address);
    if (connection === undefined) throw new Error(`${address} was refused`);
    return connection;
  });

describe('connections', () => {
  test('are refused above the limit of all until one ends', () => {
    const all = limits({ countsAddresses: false });
    const [first] = letIn(all, '192.0.2.1', 6);
    expect(all.admit('192.0.2.1')).toBeUndefined();
    if (first !== undefined) all.release(first);
    expect(all.admit('192.0.2.1')).toBeDefined();
  });

  test('of one address are refused above its limit, others are not', () => {
    const all = limits();
    letIn(all, '192.0.2.1', 2);
    expect(all.admit('192.0.2.1')).toBeUndefined();
    expect(all.admit('::ffff:192.0.2.1')).toBeUndefined();
    letIn(all, '192.0.2.2', 2);
  });

  test('of one IPv6 network of 64 bits count together', () => {
    const all = limits();
    letIn(all, '2001:db8:0:1::1', 1);
    letIn(all, '2001:db8:0:1:ffff::2', 1);
    expect(all.admit('2001:db8:0:1::3')).toBeUndefined();
    letIn(all, '2001:db8:0:2::1', 2);
  });

  test('do not count for their address once a credential was valid, nor after their end', () => {
    const all = limits();
    const [trusted, ended] = letIn(all, '192.0.2.1', 2);
    if (trusted === undefined || ended === undefined) throw new Error('refused');
    all.trust(trusted);
    all.trust(trusted);
    letIn(all, '192.0.2.1', 1);
    expect(all.admit('192.0.2.1')).toBeUndefined();
    all.release(ended);
    letIn(all, '192.0.2.1', 1);
    all.release(trusted);
    expect([all.admit('192.0.2.1'), all.open]).toEqual([undefined, 2]);
  });

  test('of an address of which one was cut off are let in slowly for ten seconds', () => {
    const all = limits({ connections: 1000, connectionsPerAddress: 1000 });
    const [cut] = letIn(all, '192.0.2.1', 1);
    if (cut !== undefined) all.noteCut(cut);
    letIn(all, '192.0.2.1', 10);
    expect(all.admit('192.0.2.1')).toBeUndefined();
    letIn(all, '192.0.2.2', 100);
    clock.advance(1000);
    letIn(all, '192.0.2.1', 1);
    clock.advance(9000);
    letIn(all, '192.0.2.1', 100);
  });

  test('that are refused are logged with their number, once in ten seconds', () => {
    const all = limits({ connections: 1 });
    letIn(all, '192.0.2.1', 1);
    for (let tries = 0; tries < 5; tries++) all.admit('192.0.2.1');
    clock.advance(10_000);
    all.admit('192.0.2.1');
    const line = (refused: number) => ['connections are refused', { limit: 'limits.connections', refused, open: 1 }];
    expect(warnings).toEqual([line(1), line(5)]);
  });
});
