import { isSvcError } from '@svc/client/plain';

/** A failure as the chat shows it. */
export interface Problem {
  /** What it is for the reader, which decides on the words. */
  readonly kind: 'unreachable' | 'access' | 'gone' | 'too-large' | 'busy' | 'other';
  /** What the server says. */
  readonly message: string;
  /** To be quoted to the operator; '' where no server answered. */
  readonly requestId: string;
  /** Refused fields by their path, with the reason. */
  readonly fields: ReadonlyMap<string, string>;
}

const KINDS: Readonly<Record<string, Problem['kind']>> = {
  UNAVAILABLE: 'unreachable',
  DEADLINE_EXCEEDED: 'unreachable',
  UNAUTHENTICATED: 'access',
  PERMISSION_DENIED: 'access',
  NOT_FOUND: 'gone',
};

const REASONS: Readonly<Record<string, Problem['kind']>> = {
  TOO_LARGE: 'too-large',
  QUEUE_FULL: 'busy',
  SESSION_BUSY: 'busy',
};

/** The problem that an error stands for. */
export const problemOf = (error: unknown): Problem => {
  if (!isSvcError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'other', message, requestId: '', fields: new Map() };
  }
  const kind = REASONS[error.reason] ?? KINDS[error.code] ?? 'other';
  const fields = new Map(error.violations.map(({ field, description }) => [field, description]));
  return { kind, message: error.message, requestId: error.requestId, fields };
};
