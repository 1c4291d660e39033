import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import {
  type ApplyManifestResult,
  ApplyManifestResultSchema,
  type ApplyManifestsRequestSchema,
  ApplyOutcome,
  FieldErrorSchema,
} from '@svc/api/gateway';
import { isSvcError } from '@svc/client';
import type { CommandContext } from '../context.ts';
import { isFailed } from './apply-report.ts';
import { type LocalDocument, manifestText } from './manifest-documents.ts';

type Request = MessageInitShape<typeof ApplyManifestsRequestSchema>;

/** Most manifests and characters of one call, with room to spare. */
const BATCH_DOCUMENTS = 400;
const BATCH_CHARACTERS = 2_000_000;

interface Batch {
  /** Places in the input. */
  readonly places: number[];
  text: string;
}

/** The documents in the order in which they are applied, as many in a batch as fit; one that is too large has a batch of its own. */
export const batchesOf = async (
  { host }: CommandContext,
  documents: readonly LocalDocument[],
): Promise<readonly Batch[]> => {
  const { applyRank } = await host.loadManifests();
  const rank = ({ document }: LocalDocument): number => applyRank(document.resource?.key.kind ?? document.kind);
  const depth = ({ document: { kind, name } }: LocalDocument): number =>
    kind === 'Namespace' ? name.split(':').length : 0;
  const ordered = [...documents.entries()].sort(
    ([, left], [, right]) => rank(left) - rank(right) || depth(left) - depth(right),
  );
  const batches: Batch[] = [];
  for (const [place, document] of ordered) {
    const text = await manifestText(host, [document]);
    const last = batches.at(-1);
    const isFull = last === undefined || last.places.length >= BATCH_DOCUMENTS;
    if (isFull || last.text.length + text.length > BATCH_CHARACTERS) batches.push({ places: [place], text });
    else {
      last.places.push(place);
      last.text += text;
    }
  }
  return batches;
};

/**
 * Applies documents that need not be one transaction in several calls, and returns one answer, in the order of the input: after a
 * failure the rest is not attempted unless the request says so. If a call gets no answer, its documents count as failed, because
 * those of earlier calls are applied already.
 */
export const applyInBatches = async (
  { client }: CommandContext,
  request: Request,
  input: { readonly documents: readonly LocalDocument[]; readonly batches: readonly Batch[] },
): Promise<readonly ApplyManifestResult[]> => {
  const { documents, batches } = input;
  const plain = (place: number, outcome: ApplyOutcome, description = ''): ApplyManifestResult => {
    const { kind = '', namespace: ns = '', name = '' } = documents[place]?.document ?? {};
    const fieldErrors = description === '' ? [] : [create(FieldErrorSchema, { description, reason: 'CALL_FAILED' })];
    return create(ApplyManifestResultSchema, { kind, ns, name, outcome, fieldErrors });
  };
  const found = new Map<number, ApplyManifestResult>();
  let isStopped = false;
  for (const { places, text } of batches) {
    let results: readonly ApplyManifestResult[] = [];
    let problem = '';
    if (!isStopped)
      try {
        results = (await client.resources.applyManifests({ ...request, text })).results;
      } catch (error) {
        if (!isSvcError(error) || found.size === 0) throw error;
        problem = error.message;
      }
    const otherwise = problem === '' ? ApplyOutcome.NOT_ATTEMPTED : ApplyOutcome.FAILED;
    for (const [index, place] of places.entries()) found.set(place, results[index] ?? plain(place, otherwise, problem));
    isStopped ||= problem !== '' || (request.keepGoing !== true && isFailed(results));
  }
  return documents.flatMap((_document, place) => found.get(place) ?? []);
};
