import { type Clock, invalidField, type Steps, WorkThread } from '../../../../base/index.ts';
import type { ManifestFinding } from '../../../../resources/manifest/index.ts';
import { nodeOfText, type ReadText } from '../../../../resources/manifest/syntax/index.ts';

/** Texts up to this size are read where they are: a few milliseconds. */
export const LARGE_TEXT_CHARACTERS = 8 * 1024;
/** Lines of one text, comments included. */
const LINES_MAX = 300_000;
/** A text that takes longer is refused. */
const LIMIT_MS = 20_000;
/** Memory of the thread, in MiB. */
const MEMORY_MIB = 512;
const WORDS = { subject: 'text', advice: 'split it into several calls' };

/** What the thread answers: the nodes of each document as one text. */
export interface ThreadAnswer {
  readonly documents: readonly (readonly [index: number, node: string])[];
  readonly count: number;
  readonly findings: readonly ManifestFinding[];
}

/** Reads large texts of manifests in a thread, one at a time; the others wait. */
export class ManifestTexts {
  readonly #thread: WorkThread<string, ThreadAnswer>;

  constructor(clock: Clock) {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const module = new URL(`./manifest-worker${extension}`, import.meta.url);
    this.#thread = new WorkThread({ module, clock, limitMs: LIMIT_MS, memoryMib: MEMORY_MIB });
  }

  /**
   * What `readingText` would say of the text, as steps of one document each. INVALID_ARGUMENT for too many lines,
   * RESOURCE_EXHAUSTED TOO_LARGE for a text that cannot be read within 20 s or 512 MiB.
   */
  async read(text: string): Promise<Steps<ReadText>> {
    if (hasMoreLines(text, LINES_MAX)) throw invalidField('text', `more than ${LINES_MAX} lines`, 'TOO_LARGE');
    return unpacking(await this.#thread.run(text, WORDS));
  }
}

function* unpacking({ documents, count, findings }: ThreadAnswer): Steps<ReadText> {
  const nodes = new Map<number, ReturnType<typeof nodeOfText>>();
  for (const [index, text] of documents) {
    nodes.set(index, nodeOfText(text));
    yield;
  }
  return { documents: nodes, count, findings };
}

const hasMoreLines = (text: string, limit: number): boolean => {
  let at = -1;
  for (let lines = 0; lines <= limit; lines++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return false;
  }
  return true;
};
