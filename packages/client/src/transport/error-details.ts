import type { Violation } from '../error.ts';
import { asText, isRecord } from './json-value.ts';

/** The contents of the google.rpc details of an error. */
export interface ErrorDetails {
  reason: string;
  metadata: Record<string, string>;
  violations: Violation[];
  retryAfterMs: number | undefined;
}

/** An error without details. */
export const noDetails = (): ErrorDetails => ({ reason: '', metadata: {}, violations: [], retryAfterMs: undefined });

/** Details of a REST error body or stream line: JSON with `@type`. */
export const readJsonDetails = (details: unknown): ErrorDetails => {
  const read = noDetails();
  for (const detail of Array.isArray(details) ? details : []) {
    if (isRecord(detail)) readJson(asText(detail['@type']).replace(/^.*\//, ''), detail, read);
  }
  return read;
};

const readJson = (type: string, detail: Record<string, unknown>, into: ErrorDetails): void => {
  if (type === 'google.rpc.ErrorInfo') {
    into.reason = asText(detail['reason']);
    const metadata = isRecord(detail['metadata']) ? detail['metadata'] : {};
    for (const [key, value] of Object.entries(metadata)) into.metadata[key] = asText(value);
  }
  if (type === 'google.rpc.BadRequest' && Array.isArray(detail['fieldViolations'])) {
    for (const entry of detail['fieldViolations'].filter(isRecord)) {
      const { field, description, reason } = entry;
      into.violations.push({ field: asText(field), description: asText(description), reason: asText(reason) });
    }
  }
  if (type === 'google.rpc.RetryInfo') {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(asText(detail['retryDelay']))?.[1];
    if (seconds !== undefined) into.retryAfterMs = Number(seconds) * 1_000;
  }
};
