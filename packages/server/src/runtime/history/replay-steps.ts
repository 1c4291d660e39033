import type { ModelContent, ModelFacts, ModelMessage, ModelTarget } from '../../models/contract.ts';
import { PART, type Part, type TranscriptMessage } from '../contract.ts';
import { isObjectInput } from '../steps/tool-batch/index.ts';
import { type LoadedObjects, textKey, type WantedObjects } from './object-loader.ts';
import { isMediaPart, mediaContent, wantsBytes } from './replay-media.ts';

/** Numeric svc.data.MessageRole. */
export const ROLE = { USER: 1, ASSISTANT: 2, SYSTEM: 3 } as const;

/**
 * One piece of the replay that stays whole: a user or system message, or one step of an assistant message with its tool
 * results. `messageId` and `turnId` say where it comes from; `isStep` marks assistant steps that call tools.
 */
export interface ReplayStep {
  readonly messageId: string;
  readonly turnId: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly isStep: boolean;
  readonly messages: readonly ModelMessage[];
}

export interface ReplayOptions {
  /** Reasoning of this turn only is replayed. */
  readonly turnId: string;
  readonly target: ModelTarget;
  readonly inputs: ModelFacts['inputs'];
  /** Gets each content with the part that it comes from; absent for calls to models. */
  readonly trace?: (content: ModelContent, part: Part) => void;
}

/** Objects that `replaySteps` needs for these messages. */
export const wantedObjects = (messages: readonly TranscriptMessage[], inputs: ModelFacts['inputs']): WantedObjects => {
  const media: Part['object'][] = [];
  const texts: { object: NonNullable<Part['object']>; callId: string }[] = [];
  for (const { role, parts } of messages) {
    for (const part of parts) {
      if (part.object === undefined) continue;
      if (part.type === PART.TOOL_RESULT && isCut(part)) texts.push({ object: part.object, callId: callIdOf(part) });
      else if (role === ROLE.USER && wantsBytes(part, inputs)) media.push(part.object);
    }
  }
  return { media: media.filter((object) => object !== undefined), texts };
};

/**
 * Model messages of a transcript. Reads structure only: text that imitates calls, results or markers
 * stays text. Pure; `objects` come from the loader.
 */
export const replaySteps = (
  messages: readonly TranscriptMessage[],
  options: ReplayOptions,
  objects: LoadedObjects,
): readonly ReplayStep[] => {
  const providerIds = new Set<string>();
  return messages.flatMap((message): readonly ReplayStep[] => {
    if (message.role === ROLE.ASSISTANT) return assistantSteps(message, { ...options, objects, providerIds });
    const role = message.role === ROLE.SYSTEM ? 'system' : 'user';
    const spoken = message.parts.flatMap((part) => spokenContent(part, options, objects));
    if (spoken.length === 0) return [];
    const content = [...speaker(message), ...spoken];
    return [{ messageId: message.id, turnId: message.turnId, role, isStep: false, messages: [{ role, content }] }];
  });
};

/** Conversations in which there is no doubt who speaks. */
const BETWEEN_TWO = 'dm';

/** Who wrote a message of a platform, where several people write: its labels say so, which no client can write. */
const speaker = ({ labels }: TranscriptMessage): readonly ModelContent[] => {
  const name = labels['svc/external-sender-name'];
  if (name === undefined || labels['svc/conversation-type'] === BETWEEN_TWO) return [];
  return [{ type: 'text', text: `Message of ${name}:` }];
};

/** TEXT and media of a user or system message. */
const spokenContent = (part: Part, options: ReplayOptions, objects: LoadedObjects): readonly ModelContent[] => {
  if (part.type === PART.TEXT) return traced(textContent(part.content), part, options);
  return isMediaPart(part) ? traced([mediaContent(part, options.inputs, objects)], part, options) : [];
};

const traced = (
  contents: readonly ModelContent[],
  part: Part,
  { trace }: Pick<ReplayOptions, 'trace'>,
): readonly ModelContent[] => {
  if (trace !== undefined) for (const content of contents) trace(content, part);
  return contents;
};

const textContent = (text: string | undefined): readonly ModelContent[] =>
  text === undefined || text === '' ? [] : [{ type: 'text', text }];

interface AssistantContext extends ReplayOptions {
  readonly objects: LoadedObjects;
  /** Provider call ids used so far in the request: a repeated one is replaced by ours. */
  readonly providerIds: Set<string>;
}

interface RawStep {
  readonly said: Part[];
  readonly calls: Part[];
  readonly results: Part[];
  usage: Part | undefined;
}

const newStep = (): RawStep => ({ said: [], calls: [], results: [], usage: undefined });

/** Splits at USAGE: what is said, USAGE, calls, results; the next said part or USAGE starts a new step. */
const splitSteps = (parts: readonly Part[]): readonly RawStep[] => {
  const steps: RawStep[] = [];
  let step = newStep();
  const next = (): void => {
    steps.push(step);
    step = newStep();
  };
  for (const part of parts) {
    const isOver = step.usage !== undefined || step.calls.length > 0 || step.results.length > 0;
    if (part.type === PART.USAGE) {
      if (isOver) next();
      step.usage = part;
    } else if (part.type === PART.TOOL_CALL) {
      if (step.results.length > 0) next();
      step.calls.push(part);
    } else if (part.type === PART.TOOL_RESULT) step.results.push(part);
    else if (part.type === PART.TEXT || part.type === PART.REASONING || isMediaPart(part)) {
      if (isOver) next();
      step.said.push(part);
    }
  }
  steps.push(step);
  return steps;
};

/** Stands for an answer that was nothing but an error, so that two questions never run into one. */
const NO_ANSWER = 'No answer was given: this turn failed.';

const assistantSteps = (message: TranscriptMessage, context: AssistantContext): readonly ReplayStep[] => {
  const steps = answeredSteps(message, context);
  const isOver = message.turnId !== context.turnId;
  if (steps.length > 0 || !isOver || !message.parts.some((part) => part.type === PART.ERROR)) return steps;
  const content: readonly ModelContent[] = [{ type: 'text', text: NO_ANSWER, isAdded: true }];
  const messages: readonly ModelMessage[] = [{ role: 'assistant', content }];
  return [{ messageId: message.id, turnId: message.turnId, role: 'assistant', isStep: false, messages }];
};

const answeredSteps = (message: TranscriptMessage, context: AssistantContext): readonly ReplayStep[] =>
  splitSteps(message.parts).flatMap((step): readonly ReplayStep[] => {
    const isSame = isSameTarget(step.usage, context.target);
    const mayReason = isSame && message.turnId === context.turnId;
    const whole = joinText(mayReason ? joinReasoning(step.said) : step.said);
    const said = whole.flatMap((part) => traced(saidContent(part, mayReason), part, context));
    const pairs = pairsOf(step).map((pair) => modelPair(pair, isSame, context));
    const content = [...said, ...pairs.map((pair) => pair.call)];
    if (content.length === 0) return [];
    const results = pairs.map((pair) => pair.result);
    const messages: ModelMessage[] = [{ role: 'assistant', content }];
    if (results.length > 0) messages.push({ role: 'tool', content: results });
    return [{ messageId: message.id, turnId: message.turnId, role: 'assistant', isStep: results.length > 0, messages }];
  });

const isSameTarget = (usage: Part | undefined, target: ModelTarget): boolean =>
  usage?.payload?.['provider'] === target.provider && usage.payload['model'] === target.model;

/** Reasoning between pieces of text goes back as one block, where its continuation data is: that covers all of it. */
const joinReasoning = (said: readonly Part[]): readonly Part[] => {
  let text = '';
  return said.map((part) => {
    if (part.type !== PART.REASONING) return part;
    text += part.content ?? '';
    if (part.continuation === undefined) return part;
    const joined = { ...part, content: text };
    text = '';
    return joined;
  });
};

/** Text that reasoning interrupted goes back as the one text that the model wrote, behind that reasoning. */
const joinText = (said: readonly Part[]): readonly Part[] => {
  const joined: Part[] = [];
  for (const part of said) {
    const before = joined.findLastIndex(({ type }) => type !== PART.REASONING);
    const isInterrupted = part.type === PART.TEXT && joined[before]?.type === PART.TEXT && before < joined.length - 1;
    const [beginning] = isInterrupted ? joined.splice(before, 1) : [];
    joined.push(
      beginning === undefined ? part : { ...part, content: `${beginning.content ?? ''}${part.content ?? ''}` },
    );
  }
  return joined;
};

/** Files that a model made become a line: providers take media from the user only. */
const saidContent = (part: Part, mayReason: boolean): readonly ModelContent[] => {
  if (part.type === PART.TEXT) return textContent(part.content);
  if (part.type !== PART.REASONING) return [mediaContent(part, [], undefined)];
  if (!mayReason || part.continuation === undefined) return [];
  return [{ type: 'reasoning', text: part.content ?? '', continuation: part.continuation }];
};

interface Pair {
  readonly call: Part;
  readonly result: Part;
}

/** Calls that have a result, in call order; the first of several results with one id counts. */
const pairsOf = (step: RawStep): readonly Pair[] => {
  const open = new Map<string, Part>();
  for (const result of step.results) {
    if (!open.has(callIdOf(result))) open.set(callIdOf(result), result);
  }
  return step.calls.flatMap((call): readonly Pair[] => {
    const result = open.get(callIdOf(call));
    open.delete(callIdOf(call));
    return result === undefined ? [] : [{ call, result }];
  });
};

const callIdOf = (part: Part): string => {
  const id = part.payload?.['tool_call_id'];
  return typeof id === 'string' ? id : '';
};

const modelPair = ({ call, result }: Pair, isSame: boolean, context: AssistantContext) => {
  const callId = callIdOf(call);
  const providerCallId = providerIdOf(call, isSame, context.providerIds);
  const name = call.name ?? '';
  const input = call.payload?.['input'];
  const pair = {
    call: { type: 'call', callId, providerCallId, name, input: isObjectInput(input) ? input : {} },
    result: {
      type: 'result',
      callId,
      providerCallId,
      name,
      text: resultText(result, context.objects),
      isError: result.payload?.['is_error'] === true,
    },
  } as const;
  context.trace?.(pair.call, call);
  context.trace?.(pair.result, result);
  return pair;
};

const providerIdOf = (call: Part, isSame: boolean, used: Set<string>): string => {
  const given = isSame && typeof call.continuation === 'string' ? call.continuation : '';
  const id = given === '' || used.has(given) ? callIdOf(call) : given;
  used.add(id);
  return id;
};

/** True when the part holds only a preview of its text. */
const isCut = (part: Part): boolean => part.object !== undefined && part.payload?.['truncated'] === true;

const resultText = (part: Part, objects: LoadedObjects): string => {
  const content = part.content ?? '';
  if (part.object === undefined || !isCut(part)) return content;
  const whole = objects.texts.get(textKey(part.object, callIdOf(part)));
  return whole ?? `${content}\n[The rest of this output is no longer available.]`;
};
