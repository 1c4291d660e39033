import type { DescMessage } from '@bufbuild/protobuf';
import { withoutHalfCharacters } from '../base/index.ts';
import {
  canonicalJson,
  hasSensitiveFields,
  keepUnknown,
  parseJsonMap,
  type SealedPart,
  sealMap,
  type ValueSeal,
} from '../resources/index.ts';

/**
 * Canonical JSON text as it is stored: sensitive values sealed, where equal ones keep the text they are stored with, and
 * with the fields of a newer release that `stored` holds. `desc` is the message; custom kinds have none. `fresh` are pointers
 * of values that are sealed again also where they are equal.
 */
export const storedText = (
  part: SealedPart,
  text: string,
  by: {
    readonly seal: ValueSeal;
    readonly stored: string | undefined;
    readonly desc: DescMessage | undefined;
    readonly fresh?: ReadonlySet<string>;
  },
): string => {
  // Specs with half a character are refused; a status may quote a text that was cut within one.
  const sealed = sealedText(part, part.section === 'status' ? withoutHalfCharacters(text) : text, by);
  if (by.stored === undefined || by.desc === undefined || sealed === by.stored) return sealed;
  const [before, after] = [parseJsonMap(by.stored), parseJsonMap(sealed)];
  if (before === undefined || after === undefined) return sealed;
  const kept = keepUnknown(by.desc, before, after);
  return kept === after ? sealed : canonicalJson(kept);
};

const sealedText = (
  part: SealedPart,
  text: string,
  by: { readonly seal: ValueSeal; readonly stored: string | undefined; readonly fresh?: ReadonlySet<string> },
): string => {
  const map = hasSensitiveFields(part.kind) ? parseJsonMap(text) : undefined;
  if (map === undefined) return text;
  return canonicalJson(sealMap(part, map, { ...by, stored: parseJsonMap(by.stored ?? '{}') }));
};
