import { create, type DescField, type DescMessage, type Message, mergeFromBinary } from '@bufbuild/protobuf';
import type { Steps } from '../../base/index.ts';
import { tooManyElements } from './json-size.ts';
import { countInField, wireFields } from './wire-scan.ts';

/** Values decoded in one step: a few milliseconds. */
const VALUES_PER_STEP = 4_000;
/** Values in one entry of a map, or in one value of google.protobuf, which cannot be cut. */
const UNCUT_VALUES = 20_000;
/** As deep as the library follows messages. */
const DEPTH_MAX = 100;
const IGNORE_UNKNOWN = { readUnknownFields: false } as const;

type Members = Record<string, unknown>;

/**
 * Decodes a large message in steps. Messages one after the other in the same bytes are by definition of the wire format merged
 * into one, so a message may be cut between any two of its fields; one that is large itself is cut inside.
 */
export const readingBinary = (desc: DescMessage, bytes: Uint8Array, valuesPerStep = VALUES_PER_STEP): Steps<Message> =>
  merging({ desc, into: create(desc), bytes, depth: 1, valuesPerStep });

interface Part {
  readonly desc: DescMessage;
  readonly into: Message;
  readonly bytes: Uint8Array;
  readonly depth: number;
  readonly valuesPerStep: number;
}

function* merging({ desc, into, bytes, depth, valuesPerStep }: Part): Steps<Message> {
  if (depth > DEPTH_MAX) throw new Error(`nested deeper than ${DEPTH_MAX}`);
  let from = 0;
  let values = 0;
  for (const { field, start, valueStart, end } of wireFields(desc, bytes)) {
    const own = sizeOf(field, bytes.subarray(valueStart, end), valuesPerStep);
    if (values + own > valuesPerStep) {
      mergeFromBinary(desc, into, bytes.subarray(from, start), IGNORE_UNKNOWN);
      yield;
      from = start;
      values = 0;
    }
    values += own;
    if (own <= valuesPerStep || field?.message === undefined) continue;
    if (!isCut(field)) throw tooManyElements(UNCUT_VALUES);
    const inner = { desc: field.message, into: memberOf(into, field, field.message), depth: depth + 1, valuesPerStep };
    yield* merging({ ...inner, bytes: bytes.subarray(valueStart, end) });
    from = end;
    values = 0;
  }
  return mergeFromBinary(desc, into, bytes.subarray(from), IGNORE_UNKNOWN);
}

const isCut = (field: DescField): boolean =>
  field.fieldKind !== 'map' && field.message?.typeName.startsWith('google.') === false;

/** Values in a field, counted up to one more than fit into a step; what cannot be cut counts as little until it is too large. */
const sizeOf = (field: DescField | undefined, value: Uint8Array, perStep: number): number => {
  if (field?.message === undefined) return 1;
  if (isCut(field)) return 1 + countInField(field, value, perStep);
  const values = countInField(field, value, UNCUT_VALUES);
  return values > UNCUT_VALUES ? values : Math.min(values + 1, perStep);
};

/** The message that a field adds to: a further item of its list, or the one that is there already. */
const memberOf = (into: Message, field: DescField, desc: DescMessage): Message => {
  const members = into as unknown as Members;
  if (field.fieldKind === 'list') {
    const item = create(desc);
    (members[field.localName] as Message[]).push(item);
    return item;
  }
  if (field.oneof === undefined) {
    const known = members[field.localName] ?? create(desc);
    members[field.localName] = known;
    return known as Message;
  }
  const chosen = members[field.oneof.localName] as { readonly case?: string; readonly value?: unknown };
  const known = chosen.case === field.localName ? chosen.value : create(desc);
  members[field.oneof.localName] = { case: field.localName, value: known };
  return known as Message;
};
