import { atOnce, type Steps } from '../../base/index.ts';
import { formatKey } from '../record.ts';
import { type ManifestDocument, type ReadOptions, readDocument } from './manifest-document.ts';
import type { ManifestFinding } from './manifest-finding.ts';
import { type ReadText, readingText } from './syntax/index.ts';

export interface ParsedManifests {
  /** In the order of the input; what has findings has no resource. */
  readonly documents: readonly ManifestDocument[];
  /** Everything that is wrong, in the order of the input. */
  readonly findings: readonly ManifestFinding[];
}

/** Reads manifests in YAML or JSON: every rule of form, every finding at once. Never throws on input. */
export const parseManifests = (text: string, options: ReadOptions): ParsedManifests =>
  atOnce(parsingManifests(text, options));

/** As `parseManifests`, in steps of about one document each. */
export function* parsingManifests(text: string, options: ReadOptions): Steps<ParsedManifests> {
  return yield* judgingManifests(yield* readingText(text), options);
}

/** The second half of `parsingManifests`: a text that has been read, a step for each document. */
export function* judgingManifests(read: ReadText, options: ReadOptions): Steps<ParsedManifests> {
  const { documents: nodes, findings: syntax } = read;
  const wrong = new Set(syntax.map(({ document }) => document));
  const documents: ManifestDocument[] = [];
  for (const [index, node] of nodes) {
    const { resource, ...document } = readDocument(index, node, options);
    documents.push(resource === undefined || wrong.has(index) ? document : { ...document, resource });
    yield;
  }
  const found = [...syntax, ...documents.flatMap((document) => document.report.findings), ...repeated(documents)];
  const findings = found.sort(
    (left, right) => left.document - right.document || left.line - right.line || left.column - right.column,
  );
  return { documents, findings };
}

/** Two documents of one call may not mean the same resource. */
const repeated = (documents: readonly ManifestDocument[]): readonly ManifestFinding[] => {
  const seen = new Set<string>();
  return documents.flatMap(({ index, resource, report }) => {
    if (resource === undefined) return [];
    const text = formatKey(resource.key);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    const { line, column } = report.positionOf('metadata.name');
    const description = `${text} stands in an earlier document too`;
    return [{ document: index, line, column, field: 'metadata.name', description, reason: 'DUPLICATE_DOCUMENT' }];
  });
};
