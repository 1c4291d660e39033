import { type ErrorCode, errorCodes, SvcError } from '../error.ts';
import { type ErrorDetails, noDetails, readJsonDetails } from './error-details.ts';
import { isRecord } from './json-value.ts';

/** The HTTP status and headers of an error. */
interface AnswerFacts {
  readonly status: number;
  readonly requestId: string;
}

const isCode = (text: string): text is ErrorCode => (errorCodes as readonly string[]).includes(text);

/** For answers of a proxy in between, which say nothing except a status. */
const codeOfStatus = (status: number): ErrorCode => {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'UNIMPLEMENTED';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'UNAVAILABLE';
  return status >= 400 && status < 500 ? 'INTERNAL' : 'UNKNOWN';
};

/** The error of a Connect unary answer: `{code, message, details}`. The reader of binary details is loaded only here. */
export const connectError = async (body: string, facts: AnswerFacts): Promise<SvcError> => {
  const parsed = parseObject(body);
  // Refusals before routing, such as sizes, have the REST form on every protocol.
  if (isRecord(parsed?.['error'])) return errorOfObject(parsed['error'], facts);
  const word = typeof parsed?.['code'] === 'string' ? parsed['code'].toUpperCase() : '';
  const code = word === 'CANCELED' ? 'CANCELLED' : word;
  if (parsed === undefined || !isCode(code)) return foreignError(facts);
  const { readConnectDetails } = await import('./binary-details.ts');
  return build({ code, message: parsed['message'], details: readConnectDetails(parsed['details']) }, facts);
};

/** The error of a REST answer or of the last line of a stream: `{error: {status, message, details}}`. */
export const restError = (body: string, facts: AnswerFacts): SvcError => {
  const error = parseObject(body)?.['error'];
  return isRecord(error) ? errorOfObject(error, facts) : foreignError(facts);
};

/** As `restError`, of the object under `error`. */
export const errorOfObject = (error: Readonly<Record<string, unknown>>, facts: AnswerFacts): SvcError => {
  const status = typeof error['status'] === 'string' ? error['status'] : '';
  const code = isCode(status) ? status : 'UNKNOWN';
  return build({ code, message: error['message'], details: readJsonDetails(error['details']) }, facts);
};

const build = (
  read: { readonly code: ErrorCode; readonly message: unknown; readonly details: ErrorDetails },
  facts: AnswerFacts,
): SvcError => {
  const { reason, metadata, violations, retryAfterMs } = read.details;
  return new SvcError({
    code: read.code,
    reason,
    message: typeof read.message === 'string' && read.message !== '' ? read.message : read.code,
    metadata,
    violations,
    requestId: facts.requestId,
    httpStatus: facts.status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};

const foreignError = (facts: AnswerFacts): SvcError =>
  build(
    {
      code: codeOfStatus(facts.status),
      message: `the answer with HTTP status ${facts.status} is not from an svc server`,
      details: noDetails(),
    },
    facts,
  );

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
