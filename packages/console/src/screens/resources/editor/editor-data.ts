import { ApplyOutcome, type ApplyResourceResponse, type FieldError } from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';
import type { Client } from '@svc/client';
import type { TextProblem } from '../../../ui/editor/editor-types.ts';
import { manifestOf, readWritten, type WrittenText } from '../manifest/index.ts';
import type { ResourceAddress } from '../resource-data.ts';
import { texts } from '../texts.ts';

/** A text for one resource: which one it must mean, and the version that it changes ('' for a new one). */
export interface Writing {
  readonly address: ResourceAddress;
  readonly isNew: boolean;
  readonly text: string;
  readonly version: string;
}

/** What a dry run says: what would be stored, or why not. */
export type Rehearsal =
  | { readonly is: 'fine'; readonly resource: Resource; readonly changed: readonly string[] }
  | { readonly is: 'refused'; readonly problems: readonly TextProblem[] }
  | { readonly is: 'conflict' };

const MANAGER = 'console';

/** What the server says of the text while it is written: its form, and the rules of its kind. Changes nothing. */
export const checkText = async (
  client: Client,
  { address, text }: Pick<Writing, 'address' | 'text'>,
  signal: AbortSignal,
): Promise<readonly TextProblem[]> => {
  const asked = { text, ns: address.ns, manager: MANAGER, force: true, dryRun: true };
  const { results } = await client.resources.applyManifests(asked, { signal });
  return results.flatMap(({ fieldErrors }) => fieldErrors.filter(isOfText).map(placed));
};

/** A version that is too old is not a mistake of the text. */
const isOfText = ({ reason }: FieldError): boolean => reason !== 'CONFLICT';

const placed = ({ field, description, line, column }: FieldError): TextProblem => ({
  line,
  column,
  text: `${field === '' ? '' : `${field}: `}${description}`,
});

/** What would happen if the text replaced what is stored. */
export const rehearse = async (client: Client, writing: Writing): Promise<Rehearsal> => {
  const written = readWritten(writing.text);
  const problems = [...written.problems, ...movedFields(writing, written)];
  if (written.json === undefined || problems.length > 0) return { is: 'refused', problems };
  const answer = await client.resources.applyResource({ ...requestOf(writing, written), dryRun: true });
  return rehearsalOf(answer, writing.isNew, written);
};

/** What the answer of a dry run means for a text. A new resource must not replace one that exists: the server would do so. */
export const rehearsalOf = (
  answer: ApplyResourceResponse,
  isNew: boolean,
  written: Pick<WrittenText, 'lineOf'>,
): Rehearsal => {
  if (answer.fieldErrors.some(({ reason }) => reason === 'CONFLICT')) return { is: 'conflict' };
  if (answer.outcome === ApplyOutcome.FAILED || answer.resource === undefined)
    return {
      is: 'refused',
      problems: answer.fieldErrors.map((error) => ({ ...placed(error), line: written.lineOf(error.field), column: 0 })),
    };
  if (isNew && answer.outcome !== ApplyOutcome.CREATED)
    return { is: 'refused', problems: [{ line: written.lineOf('metadata.name'), text: texts.isTaken }] };
  return { is: 'fine', resource: answer.resource, changed: answer.changedPaths };
};

/** Replaces what is stored, if it still has the version. Refused with ABORTED CONFLICT otherwise. */
export const write = async (client: Client, writing: Writing): Promise<Resource | undefined> =>
  (await client.resources.applyResource(requestOf(writing, readWritten(writing.text)))).resource;

const requestOf = (
  { address, isNew, version }: Writing,
  { json = {} }: WrittenText,
): Parameters<Client['resources']['applyResource']>[0] => {
  const manifest = manifestOf(json, version);
  const name = isNew ? (manifest.metadata?.name ?? '') : address.name;
  const ns = isNew ? namespaceOf(address, manifest.metadata?.namespace, name) : address.ns;
  return { kind: address.kind, ns, name, parent: address.parent, manifest };
};

/** A namespace is its own place. */
const namespaceOf = ({ kind, ns }: ResourceAddress, said: string | undefined, name: string): string =>
  kind === 'Namespace' ? name : said || ns;

/** A text that means another resource than the one that is changed. */
const movedFields = ({ address, isNew }: Writing, { json = {}, lineOf }: WrittenText): readonly TextProblem[] => {
  const { kind, metadata } = json;
  const said = (metadata ?? {}) as { readonly name?: unknown; readonly namespace?: unknown };
  const fields: readonly (readonly [field: string, said: unknown, wanted: string])[] = [
    ['kind', kind, address.kind],
    ...(isNew ? [] : [['metadata.name', said.name, address.name] as const]),
    ...(isNew || address.kind === 'Namespace'
      ? []
      : [['metadata.namespace', said.namespace ?? address.ns, address.ns] as const]),
  ];
  return fields
    .filter(([, value, wanted]) => value !== wanted)
    .map(([field, , wanted]) => ({ line: lineOf(field), text: texts.cannotChange(field, wanted) }));
};
