import { SessionMessagePartEventKind as Kind, type SessionMessagePartEvent } from '@svc/api/events';
import type { Style } from '../terminal/index.ts';
import { MessagePainter, type PainterOptions, splitTones, type Tone } from './message-painter.ts';

interface RendererOptions extends PainterOptions {
  readonly write: (text: string) => void;
  readonly style: Style;
}

/** One message on the screen. */
interface Shown {
  painter: MessagePainter;
  /** Everything painted of it so far, as it is on the screen. */
  text: string;
  /** After a RESET: the new painted text, until it has caught up with the screen. */
  replay: string | undefined;
}

const RESTARTED = '\ue003  (the answer was interrupted and starts again)\n\ue000';

/**
 * Writes the events of a session as they come. A screen cannot take text back, so after a RESET it writes nothing while
 * the message repeats what is shown, continues where new text begins, and says so if the text differs.
 */
export class ReplyRenderer {
  readonly #options: RendererOptions;
  readonly #messages = new Map<string, Shown>();
  #tone: Tone = 'plain';
  #isLineStart = true;

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  show(event: SessionMessagePartEvent): void {
    const shown = this.#shown(event.messageId);
    if (event.kind === Kind.RESET) this.#reset(shown);
    else if (event.kind === Kind.DELTA && event.part !== undefined) this.#add(shown, shown.painter.paint(event.part));
    else if (event.kind === Kind.ERROR && event.part !== undefined) {
      this.#add(shown, shown.painter.paint(event.part));
      this.#finish(shown);
    } else if (event.kind === Kind.DONE) this.#finish(shown);
  }

  /** Ends the line that is being written, before other output. */
  breakLine(): void {
    if (!this.#isLineStart) this.#write('\n');
  }

  #shown(messageId: string): Shown {
    const known = this.#messages.get(messageId);
    if (known !== undefined) return known;
    this.breakLine();
    const shown: Shown = { painter: new MessagePainter(this.#options), text: '', replay: undefined };
    this.#messages.set(messageId, shown);
    return shown;
  }

  #reset(shown: Shown): void {
    shown.painter = new MessagePainter(this.#options);
    shown.replay = shown.text === '' ? undefined : '';
  }

  #add(shown: Shown, painted: string): void {
    if (shown.replay === undefined) {
      shown.text += painted;
      return this.#write(painted);
    }
    const replay = shown.replay + painted;
    if (shown.text.startsWith(replay) && replay !== shown.text) shown.replay = replay;
    else this.#continue(shown, replay);
  }

  /** The repetition is over: it either reached the end of what is shown, or it differs. */
  #continue(shown: Shown, replay: string): void {
    const isSame = replay.startsWith(shown.text);
    if (!isSame) this.breakLine();
    this.#write(isSame ? replay.slice(shown.text.length) : `${RESTARTED}${replay}`);
    shown.text = replay;
    shown.replay = undefined;
  }

  #finish(shown: Shown): void {
    const { replay } = shown;
    if (replay !== undefined) this.#continue(shown, replay);
    this.#write(shown.painter.end());
    this.breakLine();
  }

  #write(painted: string): void {
    const { style, write } = this.#options;
    for (const { tone, text } of splitTones(painted, this.#tone)) {
      this.#tone = tone;
      if (text === '') continue;
      this.#isLineStart = text.endsWith('\n');
      write(tone === 'plain' ? text : style[tone](text));
    }
  }
}
