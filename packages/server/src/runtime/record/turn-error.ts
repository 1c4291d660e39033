import type { FaultCode } from '../../base/index.ts';
import type { ModelErrorClass } from '../../models/contract.ts';
import { PART, type Part } from './contract.ts';

/** Every class a FAILED turn can carry. */
export type TurnErrorClass =
  | ModelErrorClass
  | 'quota_exceeded'
  | 'step_limit'
  | 'turn_tokens'
  | 'turn_timeout'
  | 'attempts_exhausted'
  | 'agent_gone'
  | 'agent_not_ready'
  | 'sandbox_failed'
  | 'sandbox_quota'
  | 'harness_lost'
  | 'internal';

interface ClassFacts {
  readonly code: FaultCode;
  readonly retryable: boolean;
  /** Another profile may be tried while no token was shown. */
  readonly failOver: boolean;
}

const facts = (code: FaultCode, retryable: boolean, failOver = false): ClassFacts => ({ code, retryable, failOver });

const CLASSES: Readonly<Record<TurnErrorClass, ClassFacts>> = {
  provider_auth: facts('FAILED_PRECONDITION', false, true),
  provider_rate_limited: facts('RESOURCE_EXHAUSTED', true, true),
  provider_unavailable: facts('UNAVAILABLE', true, true),
  provider_timeout: facts('DEADLINE_EXCEEDED', true, true),
  provider_stream: facts('UNAVAILABLE', true, true),
  provider_invalid_request: facts('INVALID_ARGUMENT', false),
  content_filter: facts('FAILED_PRECONDITION', false),
  context_overflow: facts('OUT_OF_RANGE', false),
  quota_exceeded: facts('RESOURCE_EXHAUSTED', true),
  step_limit: facts('RESOURCE_EXHAUSTED', false),
  turn_tokens: facts('RESOURCE_EXHAUSTED', false),
  turn_timeout: facts('DEADLINE_EXCEEDED', true),
  attempts_exhausted: facts('INTERNAL', true),
  agent_gone: facts('NOT_FOUND', false),
  agent_not_ready: facts('FAILED_PRECONDITION', true),
  sandbox_failed: facts('FAILED_PRECONDITION', true),
  sandbox_quota: facts('RESOURCE_EXHAUSTED', true),
  harness_lost: facts('UNAVAILABLE', true),
  internal: facts('INTERNAL', true),
};

export interface TurnError {
  readonly errorClass: TurnErrorClass;
  /** One readable sentence without secrets, prompts or upstream bodies. */
  readonly sentence: string;
  /** Found in one log line. */
  readonly errorId: string;
  /** Facts of a refusal, e.g. of an exceeded quota. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** True when the next profile may be tried after such a failure. */
export const mayFailOver = (errorClass: ModelErrorClass, httpStatus: number | undefined): boolean =>
  errorClass === 'provider_invalid_request' ? httpStatus === 404 : CLASSES[errorClass].failOver;

/** ERROR part of a failed turn; id and time are the caller's. */
export const errorPart = (error: TurnError, id: string, createdAt: number): Part => ({
  id,
  type: PART.ERROR,
  content: `Error: ${error.sentence}`,
  payload: {
    reason: error.errorClass,
    code: CLASSES[error.errorClass].code,
    retryable: CLASSES[error.errorClass].retryable,
    error_id: error.errorId,
    ...error.metadata,
  },
  createdAt,
});
