import { type FieldViolation, invalidFields } from '../../../base/index.ts';
import type { PeerPart, PeerPush, PeerTask, PeerTaskState } from '../../../protocols/a2a/contract.ts';

/** Where the states of tasks are sent, what waits to be sent, and when that is given up. Pure. */

/** Addresses of one task. */
export const MAX_PUSHES = 10;
/** States of one task that wait for one address; of more, the oldest one is dropped. */
const MAX_WAITING = 50;
/** An address that has not taken anything for so long gets nothing any more. */
const PATIENCE_MICROS = 86_400_000_000;

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 300_000;

const URL_CHARS = 2_048;
const TOKEN_CHARS = 2_048;
const CREDENTIALS_CHARS = 8_192;
const SCHEME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;
const ID = /^[\w.:~-]{1,128}$/;
/** What a header may hold. */
const VISIBLE = /^[\t\x20-\x7e]*$/;

/** A state that is to be sent. */
export interface PushNote {
  /** Tells the receiver whether it had this one before. */
  readonly id: string;
  readonly state: PeerTaskState;
  /** What goes with a state that does not last: the question. */
  readonly statusParts: readonly PeerPart[];
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** Body of a row of `task_pushes`. */
export interface PushRecord {
  readonly url: string;
  readonly scheme: string;
  readonly form: PeerPush['form'];
  /** The newest state that was noted. */
  readonly state: PeerTaskState;
  readonly waiting: readonly PushNote[];
  /** Failures in a row, and since when (steady micros); 0 = none. */
  readonly failures: number;
  readonly failingSince: number;
}

/** Credentials of an address, stored sealed. */
export interface PushSecrets {
  readonly token: string;
  readonly credentials: string;
}

/** Throws INVALID_ARGUMENT that names the fields. */
export const requirePush = (push: PeerPush): void => {
  const violations = [
    ...(push.id === '' || ID.test(push.id) ? [] : [problem('id', 'must have 1 to 128 letters, digits and -._~:')]),
    ...urlProblems(push.url),
    ...textProblems('token', push.token, TOKEN_CHARS),
    ...textProblems('authentication.credentials', push.credentials, CREDENTIALS_CHARS),
    ...(push.scheme === '' || SCHEME.test(push.scheme)
      ? []
      : [problem('authentication.scheme', 'must be the name of a scheme, such as Bearer')]),
    ...(push.scheme === '' && push.credentials !== '' ? [problem('authentication.scheme', 'is required')] : []),
  ];
  if (violations.length > 0) throw invalidFields(violations);
};

const problem = (field: string, description: string): FieldViolation => ({
  field,
  description,
  reason: 'FIELD_INVALID',
});

const textProblems = (field: string, text: string, max: number): readonly FieldViolation[] => {
  if (text.length > max) return [problem(field, `must have at most ${max} characters`)];
  return VISIBLE.test(text) ? [] : [problem(field, 'must have visible ASCII characters only')];
};

const urlProblems = (text: string): readonly FieldViolation[] => {
  const url = text.length > URL_CHARS ? null : URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isWeb)
    return [problem('url', `must be an https or http address of at most ${URL_CHARS} characters`)];
  return url.username === '' && url.password === '' ? [] : [problem('url', 'must not contain a user or a password')];
};

/** With the state added to what waits; undefined when the task has that state already. */
export const withNote = (record: PushRecord, note: PushNote): PushRecord | undefined =>
  record.state === note.state
    ? undefined
    : { ...record, state: note.state, waiting: [...record.waiting, note].slice(-MAX_WAITING) };

/** The address took the state. */
export const withoutNote = (record: PushRecord, id: string): PushRecord => ({
  ...record,
  waiting: record.waiting.filter((note) => note.id !== id),
  failures: 0,
  failingSince: 0,
});

/** The address did not take the state; undefined once it has had its time. */
export const afterFailure = (record: PushRecord, now: number): PushRecord | undefined => {
  const failingSince = record.failingSince === 0 ? now : record.failingSince;
  if (now - failingSince >= PATIENCE_MICROS) return undefined;
  return { ...record, failures: record.failures + 1, failingSince };
};

/** How long to wait after so many failures in a row. */
export const retryDelayMs = (failures: number): number =>
  Math.min(MIN_DELAY_MS * 2 ** Math.min(failures - 1, 16), MAX_DELAY_MS);

const LASTING: ReadonlySet<PeerTaskState> = new Set(['completed', 'failed', 'canceled']);

/** The task as it was in that state; artifacts belong to its end. */
export const taskAt = (task: PeerTask, { state, statusParts, atMs }: PushNote): PeerTask =>
  LASTING.has(state) ? { ...task, state, atMs } : { ...task, state, statusParts, atMs, artifacts: [] };

/** Headers of a request that sends a state. */
export const pushHeaders = (
  { scheme }: Pick<PushRecord, 'scheme'>,
  { token, credentials }: PushSecrets,
  facts: { readonly noteId: string; readonly contentType: string },
): Readonly<Record<string, string>> => ({
  'content-type': facts.contentType,
  'idempotency-key': facts.noteId,
  ...(token === '' ? {} : { 'x-a2a-notification-token': token }),
  ...(scheme === '' || credentials === '' ? {} : { authorization: `${scheme} ${credentials}` }),
});
