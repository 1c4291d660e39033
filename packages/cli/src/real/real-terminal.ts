import process from 'node:process';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { interrupt, type LineTerminal } from '../world.ts';

type Answer = string | undefined | typeof interrupt;

/** Lines of this process's terminal. A question has the next line; without one the listener has it, else it waits. */
export const openRealTerminal = (): LineTerminal => {
  const lines: Interface = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: true,
    historySize: 500,
  });
  const waiting: Answer[] = [];
  let asking: ((answer: Answer) => void) | undefined;
  let ears: Parameters<LineTerminal['listen']>[0] | undefined;
  let isEnded = false;
  const deliver = (answer: Answer): void => {
    if (asking !== undefined) {
      const answered = asking;
      asking = undefined;
      answered(answer);
    } else if (answer === interrupt) ears?.onInterrupt();
    else if (answer !== undefined && ears !== undefined) ears.onLine(answer);
    else waiting.push(answer);
  };
  lines.on('line', deliver);
  lines.on('SIGINT', () => {
    if (asking !== undefined) process.stdout.write('\n');
    deliver(interrupt);
  });
  lines.on('close', () => {
    isEnded = true;
    if (asking !== undefined) process.stdout.write('\n');
    deliver(undefined);
  });
  return {
    ask: (prompt) => {
      if (waiting.length > 0) return Promise.resolve(waiting.shift());
      if (isEnded) return Promise.resolve(undefined);
      lines.setPrompt(prompt);
      lines.prompt();
      return new Promise((resolve) => {
        asking = resolve;
      });
    },
    listen: (given) => {
      ears = given;
      return () => {
        ears = undefined;
      };
    },
    close: () => {
      asking = undefined;
      lines.close();
    },
  };
};

/** One line that is not shown while it is typed; the prompt goes to standard error. Undefined at Ctrl-C or the end. */
export const askHiddenAtTerminal = (prompt: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
    process.stderr.write(prompt);
    const answer = (text: string | undefined): void => {
      process.stderr.write('\n');
      lines.removeAllListeners('close');
      lines.close();
      resolve(text);
    };
    lines.once('line', answer);
    lines.once('SIGINT', () => answer(undefined));
    lines.once('close', () => answer(undefined));
  });
