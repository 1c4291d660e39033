import { create } from '@bufbuild/protobuf';
import type { ApplyManifestsRequest, FieldError } from '@svc/api/gateway';
import { FieldErrorSchema } from '@svc/api/gateway';
import { type ResourceManifest, ResourceMetaSchema } from '@svc/api/resources';
import { type FieldViolation, isUuidV7, type Steps } from '../../../base/index.ts';
import { DEFAULT_NAMESPACE, type JsonMap, messageText, parseJsonMap } from '../../../resources/index.ts';
import {
  judgingManifests,
  type ManifestFinding,
  type ManifestResource,
  type ParsedManifests,
  parsingManifests,
  UID_FORM,
} from '../../../resources/manifest/index.ts';
import type { ReadText } from '../../../resources/manifest/syntax/index.ts';
import { applyTarget } from './apply-target.ts';

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
    return fromText(
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
  return unrepeated(documents);
}

const fromText = ({ documents, findings }: ParsedManifests): readonly InputDocument[] => {
  const byDocument = Map.groupBy(findings, (finding) => finding.document);
  const read = new Map(documents.map((document) => [document.index, document]));
  const indices = [...new Set([...read.keys(), ...byDocument.keys()])].sort((left, right) => left - right);
  return indices.map((index) => {
    const document = read.get(index);
    const errors = (byDocument.get(index) ?? []).map(errorOf);
    return {
      index,
      kind: document?.kind ?? '',
      namespace: document?.namespace ?? '',
      name: document?.name ?? '',
      resource: errors.length > 0 ? undefined : document?.resource,
      errors,
      place: (violation) => create(FieldErrorSchema, { ...violation, ...document?.report.positionOf(violation.field) }),
    };
  });
};

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
const unrepeated = (documents: readonly InputDocument[]): readonly InputDocument[] => {
  const seen = new Set<string>();
  return documents.map((document) => {
    if (document.resource === undefined) return document;
    const text = keyText(document);
    if (!seen.has(text)) {
      seen.add(text);
      return document;
    }
    const description = `${document.kind} ${document.name} is in an earlier document too`;
    const error = unplaced({ field: 'metadata.name', description, reason: 'DUPLICATE_DOCUMENT' });
    return { ...document, resource: undefined, errors: [error] };
  });
};
