import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import type { Method } from '@svc/api/methods';
import type { SeededRandom } from './seeded-random.ts';

/** A call as JSON; texts such as `$session` stand for ids that each server gave itself. */
export interface PlannedCall {
  readonly method: Method;
  readonly request: JsonObject;
}

const MAX_DEPTH = 3;
/** A field that names nothing special is set in so many of 100 calls. */
const FILL_PERCENT = 40;

/** Texts by field: what exists, what does not, what is malformed. */
const words: Readonly<Record<string, readonly string[]>> = {
  ns: [
    'default',
    'default',
    'default',
    'default',
    'default',
    'default',
    'default',
    'team',
    'team:child',
    'missing',
    'not a name',
    '-',
  ],
  agent: ['one', 'one', 'one', 'one', 'one', 'one', 'two', 'missing', 'not a name'],
  name: ['one', 'two', 'three', 'missing', 'not a name', 'x'.repeat(300), 'team'],
  parent: ['', 'team', 'missing'],
  session_id: [
    '$session',
    '$session',
    '$session',
    '$session',
    '$session',
    '$other',
    '01890a5d-ac96-774b-bcce-b302099a8057',
    'not-an-id',
  ],
  message_id: ['$message', '01890a5d-ac96-774b-bcce-b302099a8057', 'not-an-id'],
  turn_id: ['$turn', '01890a5d-ac96-774b-bcce-b302099a8057', 'not-an-id'],
  request_id: ['01890a5d-ac96-774b-bcce-b302099a8057', 'not-an-id'],
  before_message_id: ['$message', 'not-an-id', ''],
  through_message_id: ['', '$message', '01890a5d-ac96-774b-bcce-b302099a8057'],
  id: ['', '01890a5d-ac96-774b-bcce-b302099a8057', 'not-an-id'],
  message: [
    'hello',
    'hello there',
    ' ',
    '',
    'äöü 😀 \u0000',
    '!error provider_auth',
    '!tool calculate {"expression":"1+1"}',
  ],
  content: ['text', '', 'äöü 😀'],
  page_token: ['', '', '', 'garbage'],
  label_selector: ['', 'team=x', 'team in (x,y),!z', '=', 'a in ('],
  after: ['', '0', 'live', 'garbage'],
  kind: ['Agent', 'Namespace', 'Session', 'Nonsense'],
  resource_version: ['', '', '1', 'garbage'],
  template: ['', '', 'missing'],
  update_mask: ['spec', 'labels', 'spec.systemPrompt', 'nonsense'],
  system_prompt: ['be brief', '{{ now }}', '{{ nonsense }}', '{{'],
  key: ['team', 'svc/x', 'not a key', 'team/area'],
  value: ['x', 'y', '', '\u0001'],
};
const otherTexts = ['', 'text', 'one', 'not a name', '😀'];
const numbers = [0, 1, 2, -1, 5, 1000, 2147483647];

/** Makes a request for the operation, valid or not, repeatable by the random source. */
export const generateCall = (method: Method, random: SeededRandom): PlannedCall => {
  const inPath = new Set([...method.http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  const request: JsonObject = {};
  for (const field of method.input.fields) {
    if (inPath.has(field.name)) request[field.jsonName] = inAddress(field, random);
    else if (canTravel(method, field) && random.chance(FILL_PERCENT))
      request[field.jsonName] = fieldValue(field, random, 0);
  }
  return { method, request: settle(method, request) };
};

/** Texts that a part of an address may be, or a number where the field is one. */
const inAddress = (field: DescField, random: SeededRandom): JsonValue =>
  field.fieldKind === 'scalar' && field.scalar !== ScalarType.STRING
    ? scalarOf(field.scalar, field.name, random)
    : random.pick(words[field.name] ?? otherTexts.slice(1));

/** REST has no place for maps and messages in a query; such fields stay out so that all transports say the same. */
const canTravel = (method: Method, field: DescField): boolean =>
  method.http.body === '*' || field.fieldKind === 'scalar' || field.fieldKind === 'enum' || field.fieldKind === 'list';

/** Streams must end by themselves and waits be long enough; a purge continues after its call and would race with the next. */
const settle = (method: Method, request: JsonObject): JsonObject => {
  if (method.name === 'StreamSessionParts') return { ...request, turnId: request['turnId'] ?? '$turn' };
  if (method.name === 'StreamSessionPartsBatch') return { ...request, sessionNames: ['not a session'] };
  if (method.name === 'DeleteNamespace') return { ...request, purge: false };
  if (method.name === 'SendMessage') return { ...request, waitSeconds: 20 };
  return request;
};

const fieldValue = (field: DescField, random: SeededRandom, depth: number): JsonValue => {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarOf(field.scalar, field.name, random);
    case 'enum':
      return random.pick(field.enum.values).name;
    case 'message':
      return messageOf(field.message, random, depth + 1);
    case 'list':
      return Array.from({ length: random.below(3) }, () => itemOf(field, random, depth));
    default:
      return mapOf(field, random, depth);
  }
};

const itemOf = (field: DescField & { fieldKind: 'list' }, random: SeededRandom, depth: number): JsonValue => {
  if (field.listKind === 'scalar') return scalarOf(field.scalar, field.name, random);
  if (field.listKind === 'enum') return random.pick(field.enum.values).name;
  return messageOf(field.message, random, depth + 1);
};

const mapOf = (field: DescField & { fieldKind: 'map' }, random: SeededRandom, depth: number): JsonValue => {
  const entries = Array.from({ length: random.below(3) }, (): [string, JsonValue] => {
    const key = field.mapKey === ScalarType.STRING ? random.pick(words['key'] ?? []) : String(random.below(5));
    if (field.mapKind === 'scalar') return [key, scalarOf(field.scalar, 'value', random)];
    if (field.mapKind === 'enum') return [key, random.pick(field.enum.values).name];
    return [key, messageOf(field.message, random, depth + 1)];
  });
  return Object.fromEntries(entries);
};

/** Well-known types have JSON forms of their own. */
const messageOf = (message: DescMessage, random: SeededRandom, depth: number): JsonValue => {
  switch (message.typeName) {
    case 'google.protobuf.FieldMask':
      return random.pick(words['update_mask'] ?? []);
    case 'google.protobuf.ListValue':
      return random.pick<JsonValue>([[], ['inspect'], ['*', { action: 'create', approval: 'ask' }], [1]]);
    case 'google.protobuf.Struct':
      return { key: 'value' };
    case 'google.protobuf.Value':
      return random.pick<JsonValue>([null, 1, 'text', { key: [true] }]);
    default:
  }
  if (depth > MAX_DEPTH) return {};
  const value: JsonObject = {};
  const chosen = new Set<string>();
  for (const field of message.fields) {
    const group = field.oneof?.name;
    if (group !== undefined && chosen.has(group)) continue;
    if (!random.chance(depth === 1 ? FILL_PERCENT : FILL_PERCENT / 2)) continue;
    if (group !== undefined) chosen.add(group);
    value[field.jsonName] = fieldValue(field, random, depth);
  }
  return value;
};

const scalarOf = (scalar: ScalarType, name: string, random: SeededRandom): JsonValue => {
  switch (scalar) {
    case ScalarType.STRING:
      return random.pick(words[name] ?? otherTexts);
    case ScalarType.BOOL:
      return random.chance(50);
    case ScalarType.BYTES:
      return random.pick(['', 'aGVsbG8=']);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.pick([0, 0.5, 1, -1, 2.5]);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return random.pick(numbers.filter((number) => number >= 0));
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return String(random.pick(numbers.filter((number) => number >= 0)));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return String(random.pick(numbers));
    default:
      return random.pick(numbers);
  }
};
