import { BinaryReader, base64Decode } from '@bufbuild/protobuf/wire';
import { type ErrorDetails, noDetails } from './error-details.ts';
import { asText, isRecord } from './json-value.ts';

/** Calls `take` for every length-delimited field of a message, skipping the others. */
const eachField = (bytes: Uint8Array, take: (field: number, value: Uint8Array) => void): void => {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (wireType === 2) take(field, reader.bytes());
    else reader.skip(wireType, field);
  }
};

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Reads one detail in binary form; unknown types are ignored. */
const readBinary = (type: string, bytes: Uint8Array, into: ErrorDetails): void => {
  if (type === 'google.rpc.ErrorInfo') {
    eachField(bytes, (field, value) => {
      if (field === 1) into.reason = text(value);
      if (field === 3) {
        const [key = '', entry = ''] = texts(value);
        into.metadata[key] = entry;
      }
    });
  }
  if (type === 'google.rpc.BadRequest') {
    eachField(bytes, (_field, value) => {
      const [field = '', description = '', reason = ''] = texts(value);
      into.violations.push({ field, description, reason });
    });
  }
  if (type === 'google.rpc.RetryInfo') eachField(bytes, (_field, value) => (into.retryAfterMs = durationMs(value)));
};

/** Text fields of a message by number, from 1. */
const texts = (bytes: Uint8Array): string[] => {
  const values: string[] = [];
  eachField(bytes, (field, value) => (values[field - 1] = text(value)));
  return values;
};

/** google.protobuf.Duration. */
const durationMs = (bytes: Uint8Array): number => {
  const reader = new BinaryReader(bytes);
  let ms = 0;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) ms += Number(reader.int64()) * 1_000;
    else if (field === 2) ms += reader.int32() / 1_000_000;
    else reader.skip(wireType, field);
  }
  return ms;
};

/** Details of a Connect error: `{type, value}` with base64 of the binary form. */
export const readConnectDetails = (details: unknown): ErrorDetails => {
  const read = noDetails();
  for (const detail of Array.isArray(details) ? details : []) {
    if (isRecord(detail)) readBinary(asText(detail['type']), base64Decode(asText(detail['value'])), read);
  }
  return read;
};
