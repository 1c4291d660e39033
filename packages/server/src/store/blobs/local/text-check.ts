/** Tells, chunk by chunk, whether bytes are text: valid UTF-8 without NUL. Media types are not known here. */
export class TextCheck {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #isText = true;

  add(chunk: Uint8Array): void {
    if (!this.#isText) return;
    if (chunk.includes(0)) this.#isText = false;
    else this.#decode(chunk);
  }

  /** After the last chunk. */
  end(): boolean {
    if (this.#isText) this.#decode(undefined);
    return this.#isText;
  }

  #decode(chunk: Uint8Array | undefined): void {
    try {
      if (chunk === undefined) this.#decoder.decode();
      else this.#decoder.decode(chunk, { stream: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#isText = false;
    }
  }
}
