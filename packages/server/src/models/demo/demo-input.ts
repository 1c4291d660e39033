import type { ModelMedia, ModelMessage, ModelRequest } from '../contract.ts';

/** Result of a tool call that was just run. */
export interface DemoResult {
  readonly name: string;
  readonly text: string;
}

/** What the demo provider reads from a request; everything else follows from this. */
interface DemoInput {
  /** Own text blocks of the user messages, joined by newlines. */
  readonly text: string;
  readonly media: readonly ModelMedia[];
  /** How many batches of calls this input has already caused. */
  readonly batchesDone: number;
  /** Results of the last of them, in call order. */
  readonly results: readonly DemoResult[];
}

const ownText = (message: ModelMessage): readonly string[] =>
  message.content
    .filter((part) => part.type === 'text' && part.isAdded !== true)
    .map((part) => (part.type === 'text' ? part.text : ''));

const hasCalls = (message: ModelMessage): boolean => message.content.some((part) => part.type === 'call');

/**
 * The user messages after the last assistant message. In the middle of a tool loop there are none: then those before the
 * loop, with the number of batches already run.
 */
export const readInput = (request: ModelRequest): DemoInput => {
  const { messages } = request;
  let end = messages.length;
  let batchesDone = 0;
  let isBehindLoop = false;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || message.role === 'user') {
      isBehindLoop = true;
      continue;
    }
    if (message.role === 'tool' && !isBehindLoop) continue;
    if (message.role === 'assistant' && !isBehindLoop && hasCalls(message)) {
      batchesDone += 1;
      end = index;
      continue;
    }
    if (message.role === 'assistant' || message.role === 'tool')
      return inputOf(messages.slice(index + 1, end), request, batchesDone);
  }
  return inputOf(messages.slice(0, end), request, batchesDone);
};

const inputOf = (messages: readonly ModelMessage[], request: ModelRequest, batchesDone: number): DemoInput => {
  const users = messages.filter((message) => message.role === 'user');
  return {
    text: users.flatMap(ownText).join('\n'),
    media: users.flatMap((message) => message.content.flatMap((part) => (part.type === 'media' ? [part.media] : []))),
    batchesDone,
    results: batchesDone > 0 ? lastResults(request.messages) : [],
  };
};

const lastResults = (messages: readonly ModelMessage[]): readonly DemoResult[] => {
  const start = messages.findLastIndex((message) => message.role === 'assistant');
  const order = (messages[start]?.content ?? []).flatMap((part) => (part.type === 'call' ? [part.callId] : []));
  return messages
    .slice(start + 1)
    .flatMap((message) => message.content.flatMap((part) => (part.type === 'result' ? [part] : [])))
    .sort((left, right) => order.indexOf(left.callId) - order.indexOf(right.callId))
    .map(({ name, text }) => ({ name, text }));
};

/** All text the model reads, for counting. */
export const promptText = (request: ModelRequest): string =>
  request.messages
    .flatMap((message) =>
      message.content.map((part) => {
        if (part.type === 'media') return '';
        return part.type === 'call' ? JSON.stringify(part.input) : part.text;
      }),
    )
    .join('\n');
