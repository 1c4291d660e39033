/** The parts of an error in a log line. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Frames only: the text of an error is in `message`. */
  readonly stack: string;
  readonly cause?: DescribedError;
}

const MAX_MESSAGE_LENGTH = 500;
const MAX_CAUSES = 3;

/** Parsers quote what they could not parse, which may be a prompt, an answer or a secret. */
const withoutQuotes = (error: Error): string =>
  error instanceof SyntaxError ? error.message.replace(/["'`].*["'`]/gs, '…') : error.message;

/**
 * An error for the log: its kind, text, code, frames and causes. Everything else that libraries attach to errors is left
 * out: requests, headers, bodies.
 */
export const describeError = (error: unknown, causes = MAX_CAUSES): DescribedError => {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an error was thrown', stack: '' };
  const { code } = error as { readonly code?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return {
    type: error.name,
    message: withoutQuotes(error).slice(0, MAX_MESSAGE_LENGTH),
    ...(typeof code === 'string' ? { code } : {}),
    stack: frames.join('\n'),
    ...(error.cause === undefined || causes === 0 ? {} : { cause: describeError(error.cause, causes - 1) }),
  };
};
