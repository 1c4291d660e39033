import { hash } from 'node:crypto';
import { isRecord } from '../../base/index.ts';
import type { ModelRequest } from '../contract.ts';

/**
 * Replaces the bytes of media by their hash, at the object that holds them: `JSON.stringify` turns a Buffer into a list of numbers before it
 * hands over the Buffer itself.
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
