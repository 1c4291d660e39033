import { create } from '@bufbuild/protobuf';
import { type SecretSpec, SecretSpecSchema } from '@svc/api/resources';
import { type FieldViolation, oversize, violation } from '../../../base/index.ts';
import { isSealed, isSecretKey, sortKeys } from '../../../resources/index.ts';

/** Decoded bytes of all values of one Secret. */
export const SECRET_MAX = 1024 * 1024;
const DEFAULT_TYPE = 'Opaque';
const TYPE_MAX = 253;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** string_data moves into data, where it wins; the type gets its default. */
export const fillSecretDefaults = (spec: SecretSpec): SecretSpec => {
  const moved = Object.entries(spec.stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return create(SecretSpecSchema, {
    type: spec.type === '' ? DEFAULT_TYPE : spec.type,
    data: sortKeys({ ...spec.data, ...Object.fromEntries(moved) }),
  });
};

/**
 * All faults of a Secret; never repeats a value. Values that could not be decrypted and are kept as they are in `stored`, the
 * spec as far as it opens, pass.
 */
export const checkSecret = (spec: SecretSpec, stored?: Pick<SecretSpec, 'data'>): readonly FieldViolation[] => {
  const faults: FieldViolation[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(spec.data)) {
    const field = `spec.data[${key.slice(0, 64)}]`;
    if (!isSecretKey(key)) faults.push(violation(field, 'key must be 1-253 letters, digits, "-", "_" or "."'));
    const isKept = isSealed(value) && stored?.data[key] === value;
    if (!isKept && !BASE64.test(value)) faults.push(violation(field, 'must be base64', 'SECRET_BASE64'));
    bytes += Buffer.byteLength(value, 'base64');
  }
  if (bytes > SECRET_MAX) faults.push(oversize('spec.data', SECRET_MAX));
  if (spec.type.length > TYPE_MAX) faults.push(violation('spec.type', `longer than ${TYPE_MAX} characters`));
  return faults;
};
