import type { ModelErrorClass, ModelFinish } from '../contract.ts';
import { isModelErrorClass } from '../failure-rules.ts';

/** One directive line, parsed. */
export type DemoAction =
  | { readonly type: 'tool'; readonly name: string; readonly inputText: string }
  | { readonly type: 'say' | 'think' | 'hold'; readonly text: string }
  | { readonly type: 'repeat'; readonly count: number; readonly text: string }
  | { readonly type: 'delay' | 'connect' | 'rate' | 'break' | 'retry-after'; readonly value: number }
  | { readonly type: 'error'; readonly errorClass: ModelErrorClass; readonly times: number | undefined }
  | { readonly type: 'finish'; readonly finish: ModelFinish }
  | { readonly type: 'usage'; readonly usage: Readonly<Record<string, unknown>> | undefined }
  | { readonly type: 'file'; readonly name: string; readonly text: string }
  | { readonly type: 'image' | 'prompt' | 'tools' }
  | { readonly type: 'unknown'; readonly name: string };

interface DemoScript {
  /** Plain lines, joined by newlines: what the reply echoes. */
  readonly plain: string;
  readonly actions: readonly DemoAction[];
}

/** Chunks of one `!repeat`. */
const MAX_REPEAT = 1_000_000;

const split = (text: string): readonly [string, string] => {
  const trimmed = text.trimStart();
  const at = trimmed.search(/\s/);
  return at < 0 ? [trimmed, ''] : [trimmed.slice(0, at), trimmed.slice(at + 1)];
};

const toNumber = (text: string): number | undefined => {
  const value = Number(text.trim());
  return text.trim() === '' || !Number.isFinite(value) || value < 0 ? undefined : value;
};

type Parse = (rest: string) => DemoAction | undefined;

const numeric =
  (type: 'delay' | 'connect' | 'rate' | 'break' | 'retry-after'): Parse =>
  (rest) => {
    const value = toNumber(rest);
    return value === undefined ? undefined : { type, value };
  };

const parseError: Parse = (rest) => {
  const [errorClass, count] = split(rest);
  const times = count.trim() === '' ? undefined : toNumber(count);
  if (!isModelErrorClass(errorClass) || (count.trim() !== '' && times === undefined)) return undefined;
  return { type: 'error', errorClass, times };
};

const parseRepeat: Parse = (rest) => {
  const [number, text] = split(rest);
  const count = toNumber(number);
  return count === undefined || count > MAX_REPEAT ? undefined : { type: 'repeat', count: Math.floor(count), text };
};

const parseUsage: Parse = (rest) => {
  if (rest.trim() === 'none') return { type: 'usage', usage: undefined };
  try {
    const usage: unknown = JSON.parse(rest);
    if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return undefined;
    return { type: 'usage', usage: { ...usage } };
  } catch {
    return undefined;
  }
};

const parseTool: Parse = (rest) => {
  const [name, json] = split(rest);
  return name === '' ? undefined : { type: 'tool', name, inputText: json.trim() === '' ? '{}' : json.trim() };
};

const PARSERS: Readonly<Record<string, Parse>> = {
  tool: parseTool,
  say: (text) => ({ type: 'say', text }),
  think: (text) => ({ type: 'think', text }),
  hold: (rest) => (rest.trim() === '' ? undefined : { type: 'hold', text: rest.trim() }),
  repeat: parseRepeat,
  delay: numeric('delay'),
  connect: numeric('connect'),
  rate: numeric('rate'),
  break: numeric('break'),
  'retry-after': numeric('retry-after'),
  error: parseError,
  usage: parseUsage,
  finish: (rest) => {
    const finish = rest.trim();
    return finish === 'length' || finish === 'content_filter' || finish === 'stop'
      ? { type: 'finish', finish }
      : undefined;
  },
  image: () => ({ type: 'image' }),
  file: (rest) => {
    const [name, text] = split(rest);
    return name === '' ? undefined : { type: 'file', name, text };
  },
  prompt: () => ({ type: 'prompt' }),
  tools: () => ({ type: 'tools' }),
};

const parseLine = (line: string): DemoAction => {
  const [name, rest] = split(line.slice(1));
  const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
  return parse?.(rest) ?? { type: 'unknown', name: `!${name}` };
};

/** Lines that start with `!` are directives, in order; the others are plain input. */
export const parseScript = (input: string): DemoScript => {
  const plain: string[] = [];
  const actions: DemoAction[] = [];
  for (const line of input.split(/\r?\n/)) {
    if (line.startsWith('!')) actions.push(parseLine(line));
    else plain.push(line);
  }
  return { plain: plain.join('\n').trim(), actions };
};

export interface DemoStep {
  /** What this model call does, in order, without calls. */
  readonly actions: readonly DemoAction[];
  /** The batch it ends with; empty for the last step. */
  readonly batch: readonly { readonly name: string; readonly inputText: string }[];
}

/** The step after so many batches: adjacent tools form one batch, the next directive runs after their results. */
export const stepOf = (actions: readonly DemoAction[], batchesDone: number): DemoStep => {
  let remaining = batchesDone;
  let index = 0;
  while (index < actions.length && remaining > 0) {
    while (index < actions.length && actions[index]?.type !== 'tool') index += 1;
    while (index < actions.length && actions[index]?.type === 'tool') index += 1;
    remaining -= 1;
  }
  const own: DemoAction[] = [];
  const batch: { readonly name: string; readonly inputText: string }[] = [];
  for (; index < actions.length; index++) {
    const action = actions[index];
    if (action === undefined) break;
    if (action.type === 'tool') batch.push({ name: action.name, inputText: action.inputText });
    else if (batch.length > 0) break;
    else own.push(action);
  }
  return { actions: own, batch };
};

const PHRASES = [
  /\buse the tool\s+([A-Za-z0-9_]+)(?:\s+with\s+(\{.*\}))?/gis,
  /\bcall\s+([A-Za-z0-9_]+)\s+with\s+(\{.*\})/gis,
] as const;

/** The call that plain words ask for, when such a tool is offered: the first match, in any case. */
export const phraseCall = (
  plain: string,
  offered: readonly string[],
): { readonly name: string; readonly inputText: string } | undefined => {
  const matches = PHRASES.flatMap((phrase) => [...plain.matchAll(phrase)]).sort((a, b) => a.index - b.index);
  for (const match of matches) {
    const wanted = (match[1] ?? '').toLowerCase();
    const name = offered.find((tool) => tool.toLowerCase() === wanted);
    if (name !== undefined) return { name, inputText: match[2] ?? '{}' };
  }
  return undefined;
};
