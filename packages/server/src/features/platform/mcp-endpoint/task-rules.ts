import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isRecord, textOrEmpty } from '../../../base/index.ts';
import type { McpTask, McpTaskQuestion, McpTaskReply } from '../../../protocols/mcp-server/contract.ts';

/** Turns and the requests they wait for, as operations answer them in JSON, in the words of tasks. */

const MICROS_PER_MS = 1_000;

const STATES: Readonly<Record<string, McpTask['status']>> = {
  TURN_STATE_COMPLETED: 'completed',
  TURN_STATE_FAILED: 'failed',
  TURN_STATE_STOPPED: 'cancelled',
};

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one): one is JsonObject => isRecord(one)) : [];

/** What the turn waits for people to answer. */
export const requestsOf = (turn: JsonObject): readonly JsonObject[] => objectsIn(turn['pendingPermissions']);

/** True for the task of a turn that is over. */
export const isEnded = ({ status }: McpTask): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** A turn as a task; `reply` is the text it ended with. */
export const taskOfTurn = (turn: JsonObject, reply: string): McpTask => {
  const requests = requestsOf(turn);
  const waiting = requests.length > 0 ? 'input_required' : 'working';
  const status = STATES[textOrEmpty(turn['state'])] ?? waiting;
  const error = textOrEmpty(turn['error']);
  const createdAtMs = msOf(turn['createdAt']);
  const updatedAtMs = msOf(turn['finishedAt'] ?? turn['startedAt'] ?? turn['createdAt']);
  const state = status === 'cancelled' ? 'stopped' : status;
  const structured = { session_id: textOrEmpty(turn['sessionId']), turn_id: textOrEmpty(turn['id']), state, reply };
  return {
    id: textOrEmpty(turn['id']),
    status,
    message: status === 'input_required' ? textOrEmpty(requests[0]?.['prompt']) : error,
    createdAtMs,
    updatedAtMs,
    questions: status === 'input_required' ? requests.map(questionOf) : [],
    ...(status === 'completed' ? { result: { text: reply, structured, isError: false } } : {}),
    ...(status === 'failed' ? { result: { text: error || 'the turn failed', structured, isError: true } } : {}),
  };
};

const msOf = (micros: JsonValue | undefined): number => Math.floor(Number(micros ?? 0) / MICROS_PER_MS);

/** Options that a person may choose: a sign-in succeeds elsewhere, here it can only be declined. */
const optionsOf = (request: JsonObject): readonly JsonObject[] => {
  const options = objectsIn(request['options']);
  return request['kind'] === 'sign_in' ? options.filter(({ allow }) => allow !== true) : options;
};

const questionOf = (request: JsonObject): McpTaskQuestion => {
  const url = textOrEmpty(request['url']);
  const prompt = textOrEmpty(request['prompt']);
  return {
    id: textOrEmpty(request['id']),
    message: url === '' ? prompt : `${prompt} ${url}`,
    schema: request['kind'] === 'input' ? dataSchema(request) : choiceSchema(request),
  };
};

const choiceSchema = (request: JsonObject): McpTaskQuestion['schema'] => {
  const oneOf = optionsOf(request).map(({ id, name }) => ({ const: textOrEmpty(id), title: textOrEmpty(name) }));
  return { type: 'object', properties: { option: { type: 'string', oneOf } }, required: ['option'] };
};

const SIMPLE: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);
/** Where a person writes what does not fit a form of the protocol. */
const ANSWER = 'answer';

/** Forms hold flat objects; any other data is asked for as JSON text. */
const dataSchema = (request: JsonObject): McpTaskQuestion['schema'] => {
  const schema = schemaOf(request);
  if (isForm(schema)) return schema;
  const description = `JSON of this schema: ${JSON.stringify(schema)}`;
  return { type: 'object', properties: { [ANSWER]: { type: 'string', description } }, required: [ANSWER] };
};

const schemaOf = (request: JsonObject): Readonly<Record<string, unknown>> => {
  const text = textOrEmpty(request['schemaJson']);
  const schema: unknown = text === '' ? {} : JSON.parse(text);
  return isRecord(schema) ? schema : {};
};

const isForm = ({ type, properties }: Readonly<Record<string, unknown>>): boolean =>
  type === 'object' &&
  isRecord(properties) &&
  Object.values(properties).every((property) => isRecord(property) && SIMPLE.has(property['type']));

/** The fields of AnswerPermission for a reply; undefined when it says nothing that the request offers. */
export const decisionOf = (
  request: JsonObject,
  { isAccepted, content }: Pick<McpTaskReply, 'isAccepted' | 'content'>,
): JsonObject | undefined => {
  if (!isAccepted) return { decision: 'PERMISSION_DECISION_DENY' };
  if (request['kind'] === 'input') {
    const data = isForm(schemaOf(request)) ? content : dataIn(content[ANSWER]);
    return { decision: 'PERMISSION_DECISION_ALLOW', answerJson: JSON.stringify(data) };
  }
  const option = optionsOf(request).find(({ id }) => id === content['option']);
  if (option === undefined) return undefined;
  const decision = option['allow'] === true ? 'PERMISSION_DECISION_ALLOW' : 'PERMISSION_DECISION_DENY';
  return { decision, optionId: textOrEmpty(option['id']) };
};

/** JSON, or the text itself where it is none. */
const dataIn = (text: unknown): unknown => {
  if (typeof text !== 'string') return text ?? null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};
