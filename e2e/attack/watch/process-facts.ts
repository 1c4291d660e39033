import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const KIB = 1024;
const NANOS_PER_MS = 1_000_000;

/** Resident memory of a process in bytes. Throws when the process is gone. */
export const residentBytes = (pid: number): number => {
  if (!existsSync('/proc/self/status'))
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * KIB;
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (match === null) throw new Error(`process ${pid} has no memory: it ended`);
  return Number(match[1]) * KIB;
};

/**
 * Milliseconds in which a thread was ready to run while the kernel gave every processor to others, since the thread began;
 * `thread` is a process id (its main thread) or `self` for the thread that asks. 0 where the
 * system does not count it.
 */
export const waitedForProcessorMs = (thread: number | 'self'): number => {
  const file = thread === 'self' ? '/proc/thread-self/schedstat' : `/proc/${thread}/task/${thread}/schedstat`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Not Linux, or the process has ended: the next question to it fails and says so.
    return 0;
  }
  const [, waitedNanos = '0'] = text.split(' ');
  return Number(waitedNanos) / NANOS_PER_MS;
};
