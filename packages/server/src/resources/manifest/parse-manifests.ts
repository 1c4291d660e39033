import { atOnce, type Steps } from '../../base/index.ts';
import { formatKey } from '../record.ts';
import { type ManifestDocument, type ReadOptions, readDocument } from './manifest-document.ts';
import type { ManifestFinding } from './manifest-finding.ts';
import { type ReadText, readingText } from './syntax/index.ts';

export interface ParsedManifests {
  /** In the order of the input; a document with findings has no resource. */
  readonly documents: readonly ManifestDocument[];
  /** All errors, in the order of the input. */
  readonly findings: readonly ManifestFinding[];
}

/** Reads manifests in YAML or JSON: checks every rule of form and reports all errors at once. Never throws on input. */
export const parseManifests = (text: string, options: ReadOptions): ParsedManifests =>
  atOnce(parsingManifests(text, options));

/** As `parseManifests`, in steps of about one document each. */
export function* parsingManifests(text: string, options: ReadOptions): Steps<ParsedManifests> {
  return yield* judgingManifests(yield* readingText(text), options);
}

/** Findings of all documents together that are kept in full; beyond that, only the first of each document. */
const FINDINGS_MAX = 10_000;
/** Small documents that are processed in one step. */
const DOCUMENTS_PER_STEP = 100;

/** The second half of `parsingManifests`: a parsed text, one step for each document. */
export function* judgingManifests(read: ReadText, options: ReadOptions): Steps<ParsedManifests> {
  const { documents: nodes, findings: syntax } = read;
  const wrong = new Set(syntax.map(({ document }) => document));
  const found = new FoundByDocument();
  for (const finding of syntax) found.add(finding);
  const documents: ManifestDocument[] = [];
  const seen = new Set<string>();
  for (const [index, node] of nodes) {
    const { resource, ...document } = readDocument(index, node, options);
    documents.push(resource === undefined || wrong.has(index) ? document : { ...document, resource });
    const { report } = document;
    for (const finding of report.findings.slice(0, Math.max(1, FINDINGS_MAX - found.count))) found.add(finding);
    for (const each of repeated(documents.at(-1), seen)) found.add(each);
    yield;
  }
  return { documents, findings: yield* found.inOrder() };
}

/** Findings, before they are put into the order of the input. */
class FoundByDocument {
  readonly #documents = new Map<number, ManifestFinding[]>();
  count = 0;

  add(finding: ManifestFinding): void {
    const of = this.#documents.get(finding.document);
    if (of === undefined) this.#documents.set(finding.document, [finding]);
    else of.push(finding);
    this.count += 1;
  }

  *inOrder(): Steps<readonly ManifestFinding[]> {
    const ordered: ManifestFinding[] = [];
    const documents = [...this.#documents].sort(([left], [right]) => left - right);
    for (const [place, [, findings]] of documents.entries()) {
      if (place % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
      ordered.push(...findings.sort((left, right) => left.line - right.line || left.column - right.column));
    }
    return ordered;
  }
}

/** Two documents of one call may not mean the same resource. */
const repeated = (document: ManifestDocument | undefined, seen: Set<string>): readonly ManifestFinding[] => {
  if (document?.resource === undefined) return [];
  const { index, resource, report } = document;
  const text = formatKey(resource.key);
  if (!seen.has(text)) {
    seen.add(text);
    return [];
  }
  const { line, column } = report.positionOf('metadata.name');
  const description = `${text} is in an earlier document too`;
  return [{ document: index, line, column, field: 'metadata.name', description, reason: 'DUPLICATE_DOCUMENT' }];
};
