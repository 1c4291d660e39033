import { cutText, cutTextFromEnd } from '../steps/tool-batch/index.ts';

/** Most characters of one tool output that a model is shown. */
export const SHOWN_CHARS = 50_000;
const NOTE_CHARS = 200;

/** An output as the model sees it: whole, or its beginning and how to read the rest. */
export const shownResult = (text: string, callId: string): string => {
  if (text.length <= SHOWN_CHARS) return text;
  const shown = cutText(text, SHOWN_CHARS - NOTE_CHARS);
  return `${shown}\n[${shown.length} of ${text.length} characters shown; read_tool_output("${callId}", ${shown.length}) reads on]`;
};

/**
 * An output cut in its middle to about `chars` characters, with the same reference: the first cut when a prompt is over
 * budget.
 */
export const cutMiddle = (text: string, chars: number, callId: string): string => {
  if (text.length <= chars) return text;
  const head = cutText(text, Math.ceil(chars / 2));
  const tail = cutTextFromEnd(text, Math.floor(chars / 2));
  const left = text.length - head.length - tail.length;
  return `${head}\n[${left} characters left out here; read_tool_output("${callId}", ${head.length}) reads them]\n${tail}`;
};
