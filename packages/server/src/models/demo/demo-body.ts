import { hash } from 'node:crypto';
import { isRecord } from '../../base/index.ts';
import type { ModelRequest } from '../contract.ts';

/**
 * Media by what its bytes are, everything else as it is. Asked for what holds the bytes: JSON would make a list of numbers of a Buffer before
 * asking for the Buffer itself.
 */
const plainValue = (_key: string, value: unknown): unknown =>
  isRecord(value) && value['bytes'] instanceof Uint8Array
    ? { ...value, bytes: hash('sha256', value['bytes'], 'base64url') }
    : value;

/**
 * The request as JSON, with media by the SHA-256 of its bytes: the demo provider is called in this process, and a copy of megabytes would hold up
 * everyone else.
 */
export const demoBody = (request: ModelRequest): string => {
  const { target, messages, tools, temperature, thinking, maxOutputTokens, outputLimit } = request;
  return JSON.stringify(
    { model: target.model, messages, tools, temperature, thinking, maxOutputTokens, outputLimit },
    plainValue,
  );
};
