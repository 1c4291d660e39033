import { create } from '@bufbuild/protobuf';
import type { ApplyManifestsRequest, FieldError } from '@svc/api/gateway';
import { FieldErrorSchema } from '@svc/api/gateway';
import { type ResourceManifest, ResourceMetaSchema } from '@svc/api/resources';
import { type FieldViolation, isUuidV7, type Steps } from '../../../../base/index.ts';
import { DEFAULT_NAMESPACE, type JsonMap, messageText, parseJsonMap } from '../../../../resources/index.ts';
import {
  judgingManifests,
  type ManifestDocument,
  type ManifestFinding,
  type ManifestResource,
  type ParsedManifests,
  parsingManifests,
  UID_FORM,
} from '../../../../resources/manifest/index.ts';
import type { ReadText } from '../../../../resources/manifest/syntax/index.ts';
import { applyTarget } from './apply-target.ts';

/** Documents of which little is done that are passed in one step. */
const DOCUMENTS_PER_STEP = 100;
/** Faults of fields that are made in one step. */
const ERRORS_PER_STEP = 1_000;

/** One document of a call, from text or from messages. */
export interface InputDocument {
  readonly index: number;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined when the document is refused. */
  readonly resource: ManifestResource | undefined;
  readonly errors: readonly FieldError[];
  /** A refused field with its place, where the input was text. */
  readonly place: (violation: FieldViolation) => FieldError;
}

/**
 * The documents of a request with everything that is wrong with their form; a step for each of them. `read` is its text, where
 * that was read already.
 */
export function* readInput(request: ApplyManifestsRequest, read?: Steps<ReadText>): Steps<readonly InputDocument[]> {
  const namespace = request.ns === '' ? DEFAULT_NAMESPACE : request.ns;
  if (request.manifests.length === 0) {
    const options = { namespace, keepsUids: request.keepUids };
    return yield* fromText(
      read === undefined
        ? yield* parsingManifests(request.text, options)
        : yield* judgingManifests(yield* read, options),
    );
  }
  const documents: InputDocument[] = [];
  for (const [index, manifest] of request.manifests.entries()) {
    documents.push(fromMessage(index, manifest, { assumed: namespace, keepsUids: request.keepUids }));
    yield;
  }
  return yield* unrepeated(documents);
}

function* fromText({ documents, findings }: ParsedManifests): Steps<readonly InputDocument[]> {
  const read = new Map(documents.map((document) => [document.index, document]));
  const errors = new Map<number, FieldError[]>();
  for (const [place, finding] of findings.entries()) {
    if (place % ERRORS_PER_STEP === ERRORS_PER_STEP - 1) yield;
    const of = errors.get(finding.document);
    if (of === undefined) errors.set(finding.document, [errorOf(finding)]);
    else of.push(errorOf(finding));
  }
  const input: InputDocument[] = [];
  for (const index of [...new Set([...read.keys(), ...errors.keys()])].sort((left, right) => left - right)) {
    if (input.length % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    input.push(documentOf(index, read.get(index), errors.get(index) ?? []));
  }
  return input;
}

const documentOf = (
  index: number,
  document: ManifestDocument | undefined,
  errors: readonly FieldError[],
): InputDocument => ({
  index,
  kind: document?.kind ?? '',
  namespace: document?.namespace ?? '',
  name: document?.name ?? '',
  resource: errors.length > 0 ? undefined : document?.resource,
  errors,
  place: (violation) => create(FieldErrorSchema, { ...violation, ...document?.report.positionOf(violation.field) }),
});

const errorOf = ({ field, description, reason, line, column }: ManifestFinding): FieldError =>
  create(FieldErrorSchema, { field, description, reason, line, column });

const unplaced = (violation: FieldViolation): FieldError => create(FieldErrorSchema, { ...violation });

const fromMessage = (
  index: number,
  manifest: ResourceManifest,
  { assumed, keepsUids }: { readonly assumed: string; readonly keepsUids: boolean },
): InputDocument => {
  const { kind, metadata } = manifest;
  const name = metadata?.name ?? '';
  const isRoot = kind === 'Namespace';
  const said = metadata?.namespace ?? '';
  const namespace = isRoot ? '' : said === '' ? assumed : said;
  const result = applyTarget({ kind, name, ns: isRoot ? name : namespace, parent: '' }, manifest);
  const base = { index, kind, namespace, name, place: unplaced };
  const uid = keepsUids ? (metadata?.uid ?? '') : '';
  if ('faults' in result) return { ...base, resource: undefined, errors: result.faults.map(unplaced) };
  const { key, apiVersion, row } = result.target;
  const faults = [
    ...(name === '' ? [{ field: 'metadata.name', description: 'is required', reason: 'FIELD_INVALID' }] : []),
    ...(uid === '' || isUuidV7(uid) ? [] : [{ field: 'metadata.uid', description: UID_FORM, reason: 'FIELD_INVALID' }]),
    ...(row?.authorable === false
      ? [{ field: 'kind', description: `a ${kind} cannot be in a manifest`, reason: 'NOT_AUTHORABLE' }]
      : []),
  ];
  if (faults.length > 0) return { ...base, resource: undefined, errors: faults.map(unplaced) };
  const spec = result.target.spec ?? create(row?.spec ?? ResourceMetaSchema);
  const stored =
    row === undefined
      ? parseJsonMap((spec as { readonly json?: string }).json ?? '{}')
      : parseJsonMap(messageText(row.spec, spec));
  const meta = { ...(metadata ?? create(ResourceMetaSchema)), name, namespace, uid };
  const { labels, annotations } = meta;
  const wanted: JsonMap = { metadata: { labels, annotations }, spec: stored ?? {} };
  return { ...base, resource: { key, apiVersion, row, metadata: meta, spec, said: wanted }, errors: [] };
};

const keyText = ({ resource }: InputDocument): string => JSON.stringify(resource?.key ?? {});

/** Two documents of one call may not mean the same resource. */
function* unrepeated(documents: readonly InputDocument[]): Steps<readonly InputDocument[]> {
  const seen = new Set<string>();
  const judged: InputDocument[] = [];
  for (const [place, document] of documents.entries()) {
    if (place % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    const text = keyText(document);
    judged.push(document.resource !== undefined && seen.has(text) ? repetition(document) : document);
    if (document.resource !== undefined) seen.add(text);
  }
  return judged;
}

const repetition = (document: InputDocument): InputDocument => {
  const description = `${document.kind} ${document.name} is in an earlier document too`;
  const error = unplaced({ field: 'metadata.name', description, reason: 'DUPLICATE_DOCUMENT' });
  return { ...document, resource: undefined, errors: [error] };
};
