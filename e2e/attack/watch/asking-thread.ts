import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { waitedForProcessorMs } from './process-facts.ts';

/** What the thread of a stall watch is started with. */
export interface AskingTask {
  readonly url: string;
  readonly pid: number;
}

/** What it has seen when the test stops it. */
export interface Answers {
  /** Answers so far; a watch without any saw nothing. */
  readonly count: number;
  /** Longest wait for an answer, by the clock. */
  readonly slowestMs: number;
  /** Longest wait for an answer without the time in which server or watch had no processor. */
  readonly stallMs: number;
  /** Questions that got no answer with status 200. */
  readonly failed: number;
}

const PAUSE_MS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const ask = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    });
    request.once('error', () => resolve(false));
  });

/** Asks one question after the other until a message says stop. */
const watch = async ({ url, pid }: AskingTask): Promise<Answers> => {
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  const seen = { count: 0, slowestMs: 0, stallMs: 0, failed: 0 };
  while (!isOver) {
    const begunMs = performance.now();
    const waitedBefore = waitedForProcessorMs(pid) + waitedForProcessorMs('self');
    if (await ask(url)) seen.count += 1;
    else seen.failed += 1;
    const tookMs = performance.now() - begunMs;
    const waitedMs = waitedForProcessorMs(pid) + waitedForProcessorMs('self') - waitedBefore;
    seen.slowestMs = Math.max(seen.slowestMs, tookMs);
    seen.stallMs = Math.max(seen.stallMs, tookMs - waitedMs);
    if (seen.count + seen.failed === 1) parentPort?.postMessage('begun');
    await pause(PAUSE_MS);
  }
  agent.destroy();
  return seen;
};

parentPort?.postMessage(await watch(workerData as AskingTask));
