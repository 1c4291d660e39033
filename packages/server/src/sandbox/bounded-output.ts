/** Keeps the first bytes of what the streams of a process write together, and drops the rest. */
export class BoundedOutput {
  readonly #limitBytes: number;
  readonly #chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  #keptBytes = 0;
  #isCut = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes in a chunk as it comes. */
  add(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    const room = this.#limitBytes - this.#keptBytes;
    if (chunk.length > room) this.#isCut = true;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#keptBytes += kept.length;
    this.#chunks[stream].push(kept);
  }

  /** What was kept so far. */
  get(): { readonly stdout: Uint8Array; readonly stderr: Uint8Array; readonly isCut: boolean } {
    return {
      stdout: Buffer.concat(this.#chunks.stdout),
      stderr: Buffer.concat(this.#chunks.stderr),
      isCut: this.#isCut,
    };
  }
}
