import type { ModelRequest } from '../contract.ts';

/** Bytes of media as base64, everything else as it is. */
const plainValue = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
    : value;

/** The request as a provider elsewhere would be sent it, as JSON: the demo provider is called in this process. */
export const demoBody = (request: ModelRequest): string => {
  const { target, messages, tools, temperature, thinking, maxOutputTokens, outputLimit } = request;
  return JSON.stringify(
    { model: target.model, messages, tools, temperature, thinking, maxOutputTokens, outputLimit },
    plainValue,
  );
};
