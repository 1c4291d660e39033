/** A test that a row names: its file, and its title as it is written there. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** A row of a table of promises or obligations. */
export interface Row {
  /** Heading above its table. */
  readonly section: string;
  /** What its first column names: `R7`, `K1`, `12`, `8.3`; several where they share a row. */
  readonly numbers: readonly string[];
  readonly text: string;
  readonly proofs: readonly Proof[];
  /** It says that nothing proves it yet, or only a part of it, and why. */
  readonly isOpen: boolean;
}

/** The documents whose rows name tests. */
export const documents = ['docs/proofs/guarantees.md', 'docs/proofs/obligations.md'];

const proof = /`([\w./-]+\.ts)`: \*([^*]+)\*/g;
const open = /\*\*(?:open|model only)\*\*: \w/;

/** Rows of the tables of a document, heads left out. */
export function readRows(text: string): readonly Row[] {
  const rows: Row[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!/^\| (?!---|No\.|Chapter|Marker)/.test(line)) continue;
    const numbers = (line.split('|')[1] ?? '').split(',').map((name) => name.trim());
    const proofs = [...line.matchAll(proof)].map(([, file = '', title = '']) => ({ file, title }));
    rows.push({ section, numbers, text: line, proofs, isOpen: open.test(line) });
  }
  return rows;
}
