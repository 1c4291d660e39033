import { toJson } from '@bufbuild/protobuf';
import { type Artifact, ArtifactSchema } from '@svc/api/data';
import { ContentMode } from '@svc/api/gateway';
import type { SessionKey } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext, type ScopeOptions } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { findSession } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { download } from './download.ts';
import { storedPath } from './find-file.ts';
import { type FileFacts, report, specOf } from './put.ts';

export interface ArtifactOptions extends GlobalOptions, ScopeOptions, FileFacts {}

/** `svc artifact get SESSION ARTIFACT [LOCAL]`, or `svc artifact get artifact://... [LOCAL]`. */
export const getArtifact = async (host: Host, words: readonly string[], options: ArtifactOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openContext(host, options);
  const { key, artifactId, rest } = await artifactOf(context, words);
  const request = { ...key, artifactId };
  const { artifact } = await context.client.files.readArtifact({ ...request, content: ContentMode.NONE });
  if (artifact === undefined) throw new CommandFailure('the server answered no artifact');
  if (form.form !== 'table') return printValue(host, toJson(ArtifactSchema, artifact), form);
  await download(context, {
    label: labelOf(artifact),
    local: rest[0] ?? '',
    sha256: artifact.objectRef?.sha256 ?? '',
    sizeBytes: Number(artifact.objectRef?.sizeBytes ?? 0),
    read: () => context.client.files.readArtifact({ ...request, content: ContentMode.UNSPECIFIED }),
  });
};

/** `svc artifact promote SESSION ARTIFACT [PATH]`: a file of the namespace that outlives the session. */
export const promoteArtifact = async (
  host: Host,
  words: readonly string[],
  options: ArtifactOptions,
): Promise<void> => {
  const facts = specOf(options);
  const context = await openContext(host, options);
  const { key, artifactId, rest } = await artifactOf(context, words);
  const path = storedPath(rest[0] ?? (await titlePath(context, key, artifactId)));
  const spec = { path, ...facts, ...(options.mediaType === undefined ? {} : { mediaType: options.mediaType }) };
  const { file } = await context.client.files.promoteArtifact({ ...key, artifactId, file: { spec } });
  await report(host, { file, verb: 'created' }, options);
};

/** Without a path the artifact keeps its title. */
const titlePath = async ({ client }: CommandContext, key: SessionKey, artifactId: string): Promise<string> => {
  const { artifact } = await client.files.readArtifact({ ...key, artifactId, content: ContentMode.NONE });
  const title = artifact === undefined ? '' : labelOf(artifact);
  if (title === '') throw new CommandFailure('the artifact has no title', { hint: 'name the path it is to have' });
  return title;
};

const labelOf = ({ title, objectRef }: Artifact): string => objectRef?.filename || title;

const artifactOf = async (
  context: CommandContext,
  words: readonly string[],
): Promise<{ readonly key: SessionKey; readonly artifactId: string; readonly rest: readonly string[] }> => {
  const [first = '', ...others] = words;
  const address = /^artifact:\/\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(first);
  const [ns, agent, sessionId, artifactId] = address?.slice(1).map(decodeURIComponent) ?? [];
  if (ns !== undefined && agent !== undefined && sessionId !== undefined && artifactId !== undefined)
    return { key: { ns, agent, sessionId }, artifactId, rest: others };
  const [id = '', ...rest] = others;
  if (id === '') throw new CommandFailure('which artifact?', { hint: `\`svc artifact list ${first}\` shows them` });
  return { key: await findSession(context.scope, first), artifactId: id, rest };
};
