import { type LaunchEvent, launchEvent } from './remote-script-rules.ts';

/** Longest line that the launcher writes, with room to spare. */
const LINE_CHARS = 65_536;

/** Joins the pieces of text in which a service hands over lines of the launcher. Holds back one line at most. */
export class LaunchLines {
  readonly #name: 'o' | 'e';
  readonly #take: (event: LaunchEvent) => void | Promise<void>;
  #rest = '';

  constructor(name: 'o' | 'e', take: (event: LaunchEvent) => void | Promise<void>) {
    this.#name = name;
    this.#take = take;
  }

  /** Takes in text as it comes; resolves once all of its lines were taken. Of a line without an end only the last part is kept. */
  async add(text: string): Promise<void> {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-LINE_CHARS);
    for (const line of lines) await this.#take(launchEvent(line, this.#name));
  }
}
