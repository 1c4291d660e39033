import { pino } from 'pino';
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

/** Binds the product's Log to pino, or to readable lines on a terminal (PL-15). */
export const createLog = (options: LogOptions): Log => {
  if (options.format === 'text') return textLog(options);
  const logger = pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: options.write },
  );
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields, error) =>
      logger.error({ ...fields, ...(error === undefined ? {} : { err: describeError(error) }) }, message),
  };
};
