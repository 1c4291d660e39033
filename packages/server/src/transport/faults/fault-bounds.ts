import { Fault, type FieldViolation } from '../../base/index.ts';
import { HttpFault } from './http-fault.ts';

/** Longest message, in UTF-16 units: it travels in a header too. Two of the longest names fit. */
const MESSAGE_MAX = 800;
/** Longest field path, description or fact. */
const TEXT_MAX = 400;
/** Most field faults of one answer; the message counts the others. */
const VIOLATIONS_MAX = 200;

/** What follows is longer than its place; no half character is left. */
const clipped = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`.toWellFormed();

const clippedViolation = ({ field, description, reason }: FieldViolation): FieldViolation => ({
  field: clipped(field, TEXT_MAX),
  description: clipped(description, TEXT_MAX),
  reason,
});

const isWithin = ({ message, metadata, violations }: Fault): boolean =>
  message.length <= MESSAGE_MAX &&
  Object.values(metadata).every((text) => text.length <= TEXT_MAX) &&
  violations.length <= VIOLATIONS_MAX &&
  violations.every(({ field, description }) => field.length <= TEXT_MAX && description.length <= TEXT_MAX);

/**
 * The fault within the bounds of an answer, whatever names of megabytes a request held: peers take a few kilobytes of
 * headers, and would see a broken call instead of its refusal.
 */
export const boundedFault = (fault: Fault): Fault => {
  if (fault instanceof HttpFault || isWithin(fault)) return fault;
  const { code, reason, message, metadata, violations, retryAfterMs, cause } = fault;
  return new Fault(code, reason, clipped(message, MESSAGE_MAX), {
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, text]) => [key, clipped(text, TEXT_MAX)])),
    violations: violations.slice(0, VIOLATIONS_MAX).map(clippedViolation),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  });
};
