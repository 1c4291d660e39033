import {
  canonicalJson,
  hasSensitiveFields,
  parseJsonMap,
  type SealedPart,
  sealMap,
  type ValueSeal,
} from '../resources/index.ts';

/** Canonical JSON text with its sensitive values sealed; equal values keep the text they are stored with (PL-8). */
export const sealedText = (
  part: SealedPart,
  text: string,
  by: { readonly seal: ValueSeal; readonly stored: string | undefined },
): string => {
  const map = hasSensitiveFields(part.kind) ? parseJsonMap(text) : undefined;
  if (map === undefined) return text;
  return canonicalJson(sealMap(part, map, { seal: by.seal, stored: parseJsonMap(by.stored ?? '{}') }));
};
