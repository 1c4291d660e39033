import { expect, it } from 'vitest';
import { storageFull } from '../../store/contracts/index.ts';
import { quietLog } from './quiet-log.ts';

it('leaves out what only repeats that the disk is full, and nothing else', () => {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log = quietLog({ debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') });
  const fault = storageFull(new Error('SQLITE_FULL'));
  log.warn('a periodic job failed', { job: 'audit-chain', reason: fault.message });
  log.warn('reconciling failed', { reason: String(fault) });
  log.warn('store unavailable, turn keeps trying', { reason: fault.reason });
  log.error('turn code threw', {}, fault);
  log.error("the server's disk is full: writes are refused until there is room again, reads continue");
  log.warn('a periodic job failed', { job: 'x', reason: 'the database could not write' });
  log.error('turn code threw', {}, new Error('another mistake'));
  log.info('request', { reason: fault.reason });
  log.debug('request', { reason: fault.reason });
  expect(lines).toEqual([
    "error the server's disk is full: writes are refused until there is room again, reads continue",
    'warn a periodic job failed',
    'error turn code threw',
    'info request',
    'debug request',
  ]);
});
