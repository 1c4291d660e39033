/** The words that the model writes for `words N`, such as `w0 w1 `, from one number up to another. */
export const wordsFrom = (start: number, end: number): readonly string[] =>
  Array.from({ length: end - start }, (_, index) => `w${start + index} `);

/** What one user message asks the model to do; see `readScript` for the lines. */
export interface ModelScript {
  /** One answer with tool calls per model call, in order. */
  readonly batches: readonly ToolBatch[];
  /** HTTP status to fail with. */
  readonly status: number | undefined;
  /** What the final answer says before its words. */
  readonly opening: readonly Piece[];
  /** Pieces of the final text, each its own delta. */
  readonly words: readonly string[];
  /** Time between two pieces of the final text, in milliseconds. */
  readonly paceMs: number;
  /** The final text waits before the piece with this number until the gate is opened. */
  readonly gate: { readonly name: string; readonly before: number } | undefined;
}

/** An answer that calls tools. */
export interface ToolBatch {
  /** What it says before its calls. */
  readonly opening: readonly Piece[];
  readonly calls: readonly ToolRequest[];
}

/** One delta of an answer. */
export interface Piece {
  readonly kind: 'reasoning' | 'text';
  readonly text: string;
}

interface ToolRequest {
  readonly name: string;
  readonly input: string;
}

interface OpenBatch {
  readonly opening: readonly Piece[];
  readonly calls: ToolRequest[];
}

/**
 * Lines of a user message (or pieces divided by `; `): `call NAME {json}` a model call with one tool call, `also NAME {json}` one more in the same
 * batch, `think TEXT` and `say TEXT` reasoning and text of the next model call before its tool calls or words, in this order,
 * `words N` a final text of N words, `pace N` with N milliseconds between them, `gate NAME N` a halt before word N,
 * `fail N` an HTTP status. Without `words` the answer repeats the text.
 */
export const readScript = (text: string): ModelScript => {
  const batches: OpenBatch[] = [];
  let opening: Piece[] = [];
  let words: readonly string[] = text.split(' ').map((word) => `${word} `);
  let status: number | undefined;
  let gate: ModelScript['gate'];
  let paceMs = 0;
  for (const line of text.split(/\n|; /)) {
    const [verb, first = '', ...rest] = line.split(' ');
    if (verb === 'call') {
      batches.push({ opening, calls: [{ name: first, input: rest.join(' ') }] });
      opening = [];
    } else if (verb === 'also') batches.at(-1)?.calls.push({ name: first, input: rest.join(' ') });
    else if (verb === 'think') opening.push(...piecesOf('reasoning', [first, ...rest]));
    else if (verb === 'say') opening.push(...piecesOf('text', [first, ...rest]));
    else if (verb === 'fail') status = Number(first);
    else if (verb === 'words') words = wordsFrom(0, Number(first));
    else if (verb === 'pace') paceMs = Number(first);
    else if (verb === 'gate') gate = { name: first, before: Number(rest[0]) };
  }
  return { status, batches, opening, words, paceMs, gate };
};

const piecesOf = (kind: Piece['kind'], words: readonly string[]): readonly Piece[] =>
  words.map((word) => ({ kind, text: `${word} ` }));
