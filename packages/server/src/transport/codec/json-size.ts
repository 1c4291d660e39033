import { Fault, jsonStringEnd } from '../../base/index.ts';
import { jsonInvalid } from '../../operations/index.ts';

export interface JsonBounds {
  /** `limits.jsonDepth`. */
  readonly depth: number;
  /** `limits.messageElements`. */
  readonly elements: number;
}

/** Members of one object: more than any message has fields or any map of the contract holds. */
const OBJECT_MEMBERS = 10_000;

/** RESOURCE_EXHAUSTED for a message of too many values. */
export const tooManyElements = (limit: number): Fault =>
  new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `the request has more than ${limit} values (limits.messageElements)`);

/**
 * Throws when a JSON text nests too deep or has too many values, before it is parsed: JSON_INVALID or TOO_LARGE. One walk over
 * the text, about a nanosecond for a character; strings are skipped.
 */
export const checkJsonSize = (text: string, { depth: deepest, elements: most }: JsonBounds): void => {
  /** Members so far of each open object; a list begins so low that it never reaches the limit. */
  const members: number[] = [0];
  let depth = 0;
  let elements = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = jsonStringEnd(text, index);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      elements += 1;
      if (depth > deepest) throw jsonInvalid(`nested deeper than ${deepest}`);
      members[depth] = code === 0x7b ? 0 : Number.NEGATIVE_INFINITY;
    } else if (code === 0x7d || code === 0x5d) depth = Math.max(0, depth - 1);
    else if (code === 0x2c) {
      elements += 1;
      members[depth] = oneMore(members[depth]);
    }
    if (elements > most) throw tooManyElements(most);
  }
};

const oneMore = (members = 0): number => {
  if (members === OBJECT_MEMBERS) throw jsonInvalid(`an object has more than ${OBJECT_MEMBERS} members`);
  return members + 1;
};
