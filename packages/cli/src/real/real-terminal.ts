import process from 'node:process';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { interrupt, type LineTerminal } from '../host.ts';
import { TypedBelow } from './typed-below.ts';

type Answer = string | undefined | typeof interrupt;

/** Where readline shows what is typed; while it is muted, TypedBelow shows it. */
const echoOutput = (isMuted: () => boolean): NodeJS.WritableStream => {
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isMuted()) process.stdout.write(chunk);
      done();
    },
  });
  process.stdout.on('resize', () => output.emit('resize'));
  return Object.defineProperty(output, 'columns', { get: () => process.stdout.columns });
};

/**
 * Lines of this process's terminal. The next line goes to a question, else to the listener, else it waits. While there is a
 * listener and no question, what is typed appears below what is printed.
 */
export const openRealTerminal = (): LineTerminal => {
  const write = (text: string): void => void process.stdout.write(text);
  const below = new TypedBelow({ write, columns: () => process.stdout.columns });
  const isApart = (): boolean => ears !== undefined && asking === undefined;
  const lines: Interface = createInterface({
    input: process.stdin,
    output: echoOutput(isApart),
    terminal: true,
    historySize: 500,
  });
  const showTyped = (): void => {
    if (isApart()) below.type(lines.line);
  };
  process.stdin.on('keypress', showTyped);
  const waiting: Answer[] = [];
  let asking: ((answer: Answer) => void) | undefined;
  let ears: Parameters<LineTerminal['listen']>[0] | undefined;
  let isEnded = false;
  const deliver = (answer: Answer): void => {
    if (isApart()) below.type('');
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
    process.stdin.off('keypress', showTyped);
    deliver(undefined);
  });
  return {
    ask: (prompt) => {
      if (waiting.length > 0) return Promise.resolve(waiting.shift());
      if (isEnded) return Promise.resolve(undefined);
      below.end();
      return new Promise((resolve) => {
        asking = resolve;
        // What was typed meanwhile is no longer on a row that readline knows.
        Object.assign(lines, { prevRows: 0 });
        lines.setPrompt(prompt);
        lines.prompt(true);
      });
    },
    listen: (given) => {
      ears = given;
      return () => {
        below.end();
        ears = undefined;
      };
    },
    print: (text, print) => (isApart() ? below.print(text, print) : print(text)),
    close: () => {
      asking = undefined;
      lines.close();
    },
  };
};

/** Reads one line without echo; the prompt goes to standard error. Undefined at Ctrl-C or the end of input. */
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
