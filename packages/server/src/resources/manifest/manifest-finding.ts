import type { Position } from './manifest-node.ts';

/** One error in a document, with its position. */
export interface ManifestFinding {
  /** From 0, in the order of the input. */
  readonly document: number;
  readonly line: number;
  readonly column: number;
  /** Path by JSON names, '' for the document as a whole. */
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

/** Findings of one document that are kept. */
const FINDINGS_MAX = 100;

/** Collects the errors of one document, and the positions of its fields. */
export class FindingReport {
  readonly findings: ManifestFinding[] = [];
  readonly #document: number;
  readonly #start: Position;
  readonly #places = new Map<string, Position>();

  constructor(document: number, start: Position) {
    this.#document = document;
    this.#start = start;
  }

  /** True once no further finding is kept: readers may stop. */
  get isFull(): boolean {
    return this.findings.length >= FINDINGS_MAX;
  }

  add(at: Position, field: string, fault: { readonly text: string; readonly reason?: string }): undefined {
    if (this.isFull) return undefined;
    const { text, reason = 'FIELD_INVALID' } = fault;
    const description = text.toWellFormed();
    if (!this.#places.has(plainPath(field))) this.place(field, at);
    this.findings.push({
      document: this.#document,
      line: at.line,
      column: at.column,
      field: field.toWellFormed(),
      description,
      reason,
    });
    return undefined;
  }

  /** Records the position of a field. */
  place(field: string, at: Position): void {
    this.#places.set(plainPath(field), at);
  }

  /** The position of a field, or of the nearest field around it. */
  positionOf(field: string): Position {
    for (let path = plainPath(field); path !== ''; path = outer(path)) {
      const found = this.#places.get(path);
      if (found !== undefined) return found;
    }
    return this.#start;
  }
}

/** Map keys are written with and without quotes in paths; here they are without. */
const plainPath = (field: string): string => field.replaceAll('["', '[').replaceAll('"]', ']');

const outer = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('[')));
