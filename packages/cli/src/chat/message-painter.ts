import { type SessionMessagePart, SessionMessagePartType as Type } from '@svc/api/data';
import { cutToWidth, harmless } from '../terminal/index.ts';

/** How a run of text should look; the writer turns tones into colours. */
export type Tone = 'plain' | 'dim' | 'red' | 'yellow';
const tones: readonly Tone[] = ['plain', 'dim', 'red', 'yellow'];

/** First of the private characters that switch the tone inside a painted text. */
const MARK = 0xe000;
const marks = /[\ue000-\ue003]/g;

export interface PainterOptions {
  readonly showReasoning: boolean;
  readonly columns: number;
}

/**
 * Turns the parts of one message into one text. The result depends only on the content so far, never on how it was
 * split into events, so a message that is sent again after a RESET can be compared with what is on the screen.
 */
export class MessagePainter {
  readonly #options: PainterOptions;
  #tone: Tone = 'plain';
  #isLineStart = true;
  #lastType: Type = Type.UNSPECIFIED;

  constructor(options: PainterOptions) {
    this.#options = options;
  }

  /** The text that this part adds, including tone marks. */
  paint(part: SessionMessagePart): string {
    const type = part.partType;
    if (type === Type.REASONING && !this.#options.showReasoning) return '';
    if (type === Type.TEXT || type === Type.REASONING) {
      const opening = this.#lastType === type ? '' : this.#lineStart();
      this.#lastType = type;
      return opening + this.#run(type === Type.TEXT ? 'plain' : 'dim', clean(part.content));
    }
    const line = this.#lineOf(part);
    if (line === undefined) return '';
    this.#lastType = type;
    return `${this.#lineStart()}${this.#run(line.tone, `${line.text}\n`)}`;
  }

  /** Ends the message on a line of its own. */
  end(): string {
    return `${this.#lineStart()}${this.#run('plain', '')}`;
  }

  #lineStart(): string {
    if (this.#isLineStart) return '';
    this.#isLineStart = true;
    return '\n';
  }

  #run(tone: Tone, text: string): string {
    const mark = tone === this.#tone ? '' : String.fromCharCode(MARK + tones.indexOf(tone));
    this.#tone = tone;
    if (text !== '') this.#isLineStart = text.endsWith('\n');
    return mark + text;
  }

  #lineOf(part: SessionMessagePart): { readonly tone: Tone; readonly text: string } | undefined {
    const cutLine = (text: string): string => `  ${cutToWidth(oneLine(text), Math.max(20, this.#options.columns - 3))}`;
    const payload = readPayload(part.payloadJson);
    switch (part.partType) {
      case Type.TOOL_CALL:
        return { tone: 'dim', text: cutLine(`> ${part.name} ${JSON.stringify(payload['input'] ?? {})}`) };
      case Type.TOOL_RESULT:
        return payload['is_error'] === true
          ? { tone: 'red', text: cutLine(`! ${part.name}: ${errorText(part, payload)}`) }
          : {
              tone: 'dim',
              text: cutLine(`= ${part.content === '' ? `(${part.name} answered nothing)` : part.content}`),
            };
      case Type.REQUEST_PERMISSION:
        return { tone: 'yellow', text: cutLine(`? ${part.name}: ${part.content}`) };
      case Type.PERMISSION_RESULT:
        return { tone: 'yellow', text: cutLine(`${decisionText(payload)}`) };
      case Type.ERROR:
        return { tone: 'red', text: clean(part.content) };
      case Type.IMAGE:
      case Type.AUDIO:
      case Type.VIDEO:
      case Type.FILE:
        return {
          tone: 'dim',
          text: cutLine(`[${[part.name, part.object?.mediaType ?? ''].filter((word) => word !== '').join(', ')}]`),
        };
      case Type.COMPACTION:
        return { tone: 'dim', text: '  (earlier messages were summarised)' };
      default:
        return undefined;
    }
  }
}

/** Runs of a painted text with their tones; `from` is the tone in effect before it. */
export const splitTones = (painted: string, from: Tone): readonly { readonly tone: Tone; readonly text: string }[] => {
  const runs: { tone: Tone; text: string }[] = [];
  let tone = from;
  let start = 0;
  const close = (end: number): void => {
    if (end > start) runs.push({ tone, text: painted.slice(start, end) });
  };
  for (const match of painted.matchAll(marks)) {
    close(match.index);
    tone = tones[match[0].charCodeAt(0) - MARK] ?? 'plain';
    start = match.index + 1;
  }
  close(painted.length);
  return runs.length === 0 && tone !== from ? [{ tone, text: '' }] : runs;
};

/** Carriage returns are removed, wherever events are split; tone marks cannot come from outside. */
const clean = (text: string): string => harmless(text.replaceAll('\r', '')).replace(marks, '\ufffd');

const oneLine = (text: string): string => clean(text).trim().replace(/\s+/g, ' ');

const readPayload = (text: string): Record<string, unknown> => {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

/** A failed tool answers JSON; people want to read the sentence in it. */
const errorText = (part: SessionMessagePart, payload: Record<string, unknown>): string => {
  const output = payload['output'];
  const sentence = typeof output === 'object' && output !== null ? Reflect.get(output, 'error') : undefined;
  return typeof sentence === 'string' ? sentence : part.content;
};

const decisionText = (payload: Record<string, unknown>): string => {
  const decision = String(payload['decision'] ?? '');
  return /deny/i.test(decision) ? 'denied' : 'allowed';
};
