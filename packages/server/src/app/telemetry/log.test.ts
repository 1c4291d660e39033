import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../base/index.ts';
import { createLog } from './log.ts';

describe('createLog', () => {
  it('writes one JSON line with message and fields, and nothing below its level', () => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) });
    log.debug('hidden');
    log.info('turn ended', { turn: 't1', state: 'COMPLETED' });
    log.error('failed', { turn: 't2' }, new Error('why'));
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'turn ended', turn: 't1', state: 'COMPLETED' });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ msg: 'failed', err: { message: 'why' } });
  });

  it.each(['json', 'text'] as const)(
    'writes nothing at the level silent, and %s lines at the level that is set then',
    (format) => {
      const lines: string[] = [];
      const log = createLog({ level: 'silent', format, write: (line) => lines.push(line) });
      log.error('hidden', {}, new Error('why'));
      log.setLevel('info');
      log.debug('hidden');
      log.info('shown');
      log.setLevel('silent');
      log.error('hidden');
      expect(lines.map((line) => /hidden|shown/.exec(line)?.[0])).toEqual(['shown']);
    },
  );

  it.each(['json', 'text'] as const)(
    'hands over lines as values, %s or not: those of its level, and from info on also what it does not write',
    (format) => {
      const kept: LogEntry[] = [];
      const log = createLog({ level: 'info', format, write: () => undefined, keep: (line) => kept.push(line) });
      log.debug('hidden');
      log.warn('store away', { tries: 2 });
      log.setLevel('silent');
      log.error('failed', {}, new Error('why'));
      log.setLevel('debug');
      log.debug('detail');
      expect(kept.map(({ atMs, ...line }) => line)).toMatchObject([
        { level: 'warn', message: 'store away', fields: { tries: 2 } },
        { level: 'error', message: 'failed', fields: { err: { message: 'why' } } },
        { level: 'debug', message: 'detail', fields: {} },
      ]);
      expect(kept.every(({ atMs }) => Number.isSafeInteger(atMs) && atMs > 1_700_000_000_000)).toBe(true);
    },
  );

  it('writes readable lines for a terminal, errors with their stack', () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', format: 'text', write: (line) => lines.push(line) });
    log.info('hidden');
    log.warn('store away', { tries: 2, gone: undefined });
    log.error('failed', {}, new Error('why'));
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} warn {2}store away tries=2\n$/);
    expect(lines[2]).toContain('Error: why');
  });
});
