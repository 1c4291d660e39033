import type { Log, LogFields } from '../../base/index.ts';
import { describeError } from './described-error.ts';

export interface LogOptions {
  readonly level: string;
  /** `text` is one readable line, for terminals. */
  readonly format: 'json' | 'text';
  readonly write: (line: string) => void;
}

const clockTime = (): string => new Date().toISOString().slice(11, 23);

const textLine = (level: string, message: string, fields: LogFields | undefined): string => {
  const facts = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
  return `${clockTime()} ${level.padEnd(5)} ${message}${facts.map(([key, value]) => ` ${key}=${String(value)}`).join('')}\n`;
};

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const textLog = (options: LogOptions): Log => {
  const least = LEVELS.indexOf(options.level as (typeof LEVELS)[number]);
  const line = (level: (typeof LEVELS)[number]) => (message: string, fields?: LogFields, error?: unknown) => {
    if (LEVELS.indexOf(level) < least) return;
    options.write(textLine(level, message, fields));
    if (!(error instanceof Error)) return;
    const { type, message: text, stack } = describeError(error);
    options.write(`  ${type}: ${text}\n${stack === '' ? '' : `${stack}\n`}`);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
};

/** ISO time of lines, made once per millisecond. */
const lineTime = (): (() => string) => {
  let atMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
};

const jsonLog = (options: LogOptions): Log => {
  const least = LEVELS.indexOf(options.level as (typeof LEVELS)[number]);
  const time = lineTime();
  const line = (level: (typeof LEVELS)[number]) => {
    const isHidden = LEVELS.indexOf(level) < least;
    return (message: string, fields?: LogFields, error?: unknown): void => {
      if (isHidden) return;
      const facts = error === undefined ? fields : { ...fields, err: describeError(error) };
      const rest = facts === undefined ? '{}' : JSON.stringify(facts);
      const end = rest === '{}' ? '}' : `,${rest.slice(1)}`;
      options.write(`{"level":"${level}","time":"${time()}","msg":${JSON.stringify(message)}${end}\n`);
    };
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
};

/** The product's Log as JSON lines, or as readable ones on a terminal (PL-15). A line costs about a microsecond. */
export const createLog = (options: LogOptions): Log =>
  options.format === 'text' ? textLog(options) : jsonLog(options);
