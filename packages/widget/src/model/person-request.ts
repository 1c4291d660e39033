import type { ChatMessage, ChatPart } from './conversation.ts';

/** One answer that a request offers. */
export interface RequestOption {
  readonly id: string;
  readonly name: string;
  readonly allows: boolean;
}

/** What the agent asks a person. */
export interface PersonRequest {
  readonly id: string;
  readonly kind: 'permission' | 'input' | 'sign_in' | 'budget';
  readonly prompt: string;
  /** Tool or action that it is about. */
  readonly action: string;
  /** What the tool would be called with; undefined when it takes nothing. */
  readonly input: unknown;
  readonly options: readonly RequestOption[];
  /** JSON Schema of the data that is asked for. */
  readonly schema: unknown;
  /** Where to sign in; '' for other kinds. */
  readonly url: string;
  /** `closed`: the turn ended without an answer. */
  readonly state: 'open' | 'allowed' | 'denied' | 'closed';
  /** Name of the option that was chosen; '' where there were none. */
  readonly chosen: string;
}

const KINDS = new Set(['permission', 'input', 'sign_in', 'budget']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The request that a part asks, with the answer that the message has for it. */
export const requestOf = (message: Pick<ChatMessage, 'parts' | 'isFinished'>, part: ChatPart): PersonRequest => {
  const { payload } = part;
  const id = textOf(payload['request_id']);
  const answer = message.parts.find((each) => each.type === 'permission_result' && each.payload['request_id'] === id);
  const kind = textOf(payload['kind']);
  const options = Array.isArray(payload['options']) ? payload['options'].map(optionOf) : [];
  return {
    id,
    kind: KINDS.has(kind) ? (kind as PersonRequest['kind']) : 'permission',
    prompt: part.text,
    action: part.name,
    input: payload['input'],
    options,
    schema: payload['schema'],
    url: textOf(payload['url']),
    state: stateOf(answer, message.isFinished),
    chosen: options.find((option) => option.id === answer?.payload['option_id'])?.name ?? '',
  };
};

const optionOf = (value: unknown): RequestOption => {
  const { id, name, decision } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { id: textOf(id), name: textOf(name), allows: decision === 'PERMISSION_DECISION_ALLOW' };
};

const stateOf = (answer: ChatPart | undefined, isFinished: boolean): PersonRequest['state'] => {
  if (answer === undefined) return isFinished ? 'closed' : 'open';
  return answer.payload['decision'] === 'PERMISSION_DECISION_ALLOW' ? 'allowed' : 'denied';
};
