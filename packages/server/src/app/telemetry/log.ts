import type { Log, LogEntry, LogFields } from '../../base/index.ts';
import { describeError } from './described-error.ts';

interface LogOptions {
  /** Least level that is written. */
  readonly level: (typeof LEVELS)[number];
  /** `text` is one readable line, for terminals. */
  readonly format: 'json' | 'text';
  readonly write: (line: string) => void;
  /** Gets every line of its level and of `info` and above, whether it is written or not, as values. */
  readonly keep?: (line: LogEntry) => void;
}

const clockTime = (): string => new Date().toISOString().slice(11, 23);

const textLine = (level: string, message: string, fields: LogFields | undefined): string => {
  const facts = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
  return `${clockTime()} ${level.padEnd(5)} ${message}${facts.map(([key, value]) => ` ${key}=${String(value)}`).join('')}\n`;
};

/** A log whose level may change at run time. */
interface AdjustableLog extends Log {
  setLevel(level: LogOptions['level']): void;
}

/** In rising order; nothing is logged at the last one. */
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LineLevel = Exclude<(typeof LEVELS)[number], 'silent'>;

const rankOf = (level: LogOptions['level']): number => LEVELS.indexOf(level);

/** Lines of this level and above are kept for readers of the log whatever is written. */
const ALWAYS_KEPT = rankOf('info');

const textLog = (options: LogOptions): AdjustableLog => {
  let least = rankOf(options.level);
  const line = (level: LineLevel) => (message: string, fields?: LogFields, error?: unknown) => {
    const rank = rankOf(level);
    if (rank >= Math.min(least, ALWAYS_KEPT))
      options.keep?.(entryOf(level, message, error === undefined ? fields : { ...fields, err: describeError(error) }));
    if (rank < least) return;
    options.write(textLine(level, message, fields));
    if (!(error instanceof Error)) return;
    const { type, message: text, stack } = describeError(error);
    options.write(`  ${type}: ${text}\n${stack === '' ? '' : `${stack}\n`}`);
  };
  const setLevel = (level: LogOptions['level']): void => {
    least = rankOf(level);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), setLevel };
};

/** ISO time of lines, formatted once per millisecond. */
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

const jsonLog = (options: LogOptions): AdjustableLog => {
  let least = rankOf(options.level);
  const time = lineTime();
  const line = (level: LineLevel) => {
    const rank = rankOf(level);
    return (message: string, fields?: LogFields, error?: unknown): void => {
      if (rank < Math.min(least, ALWAYS_KEPT)) return;
      const facts = error === undefined ? fields : { ...fields, err: describeError(error) };
      options.keep?.(entryOf(level, message, facts));
      if (rank < least) return;
      const rest = facts === undefined ? '{}' : JSON.stringify(facts);
      const end = rest === '{}' ? '}' : `,${rest.slice(1)}`;
      options.write(`{"level":"${level}","time":"${time()}","msg":${JSON.stringify(message)}${end}\n`);
    };
  };
  const setLevel = (level: LogOptions['level']): void => {
    least = rankOf(level);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), setLevel };
};

const entryOf = (level: LineLevel, message: string, fields: object = {}): LogEntry => ({
  atMs: Date.now(),
  level,
  message,
  fields,
});

/** The product's Log as JSON lines, or as readable ones on a terminal. A line costs about a microsecond. */
export const createLog = (options: LogOptions): AdjustableLog =>
  options.format === 'text' ? textLog(options) : jsonLog(options);
