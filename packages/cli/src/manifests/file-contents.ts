import { basename } from 'node:path';
import { create, isMessage } from '@bufbuild/protobuf';
import type { ApplyManifestResult } from '@svc/api/gateway';
import { type File, FileSchema, type FileSpec, FileSpecSchema, type Resource } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { CommandContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { ManifestModule } from '../host.ts';
import { mediaTypeOf } from '../media-type.ts';
import { fileAt, localContent, store } from '../stored-files/index.ts';

type Parse = ManifestModule['parseManifests'];
type Prepare = NonNullable<Parameters<Parse>[1]['prepare']>;
type Node = Parameters<Prepare>[0];
type Report = Parameters<Prepare>[1];

/** A parsed document, and the absolute path of the bytes of a File where `contentFromFile` named it. */
interface ParsedFile {
  readonly document: ReturnType<Parse>['documents'][number];
  readonly contentPath?: string;
}

const MEMBER = 'contentFromFile';

/** A File manifest without its `contentFromFile`, and that path; the bytes are sent separately. */
export const takeContentPath = (
  node: Node,
  exists: (path: string) => boolean,
  report: Report,
): { readonly node: Node; readonly path?: string } => {
  const spec = memberOf(node, 'spec');
  const found = spec?.form === 'map' ? spec.members.find(({ name }) => name === MEMBER) : undefined;
  const kind = memberOf(node, 'kind');
  if (node.form !== 'map' || spec?.form !== 'map' || found === undefined) return { node };
  if (kind?.form !== 'scalar' || kind.value !== 'File') return { node };
  const value = found.node.form === 'scalar' ? found.node.value : undefined;
  const path = typeof value === 'string' ? value : '';
  if (path === '' || !exists(path))
    report.add(found.node.at, `spec.${MEMBER}`, {
      text: path === '' ? 'must name a file' : `there is no file ${path}`,
      reason: 'FILE_MISSING',
    });
  const rest: Node = { ...spec, members: spec.members.filter((member) => member !== found) };
  const members = node.members.map((member) => (member.node === spec ? { ...member, node: rest } : member));
  return { node: { ...node, members }, path };
};

const memberOf = (node: Node, name: string): Node | undefined =>
  node.form === 'map' ? node.members.find((member) => member.name === name)?.node : undefined;

/** A File of a manifest, and where its bytes are on this machine. */
interface FileContent {
  readonly namespace: string;
  readonly spec: FileSpec;
  /** Absolute. */
  readonly local: string;
  /** The File in the answer of the apply; undefined if it did not fit. */
  readonly shown: Resource | undefined;
}

/** Sends the bytes of applied Files that are not stored yet, and returns how many. Throws with exit code 2: the rest is applied. */
export const sendContents = async (context: CommandContext, contents: readonly FileContent[]): Promise<number> => {
  let sent = 0;
  for (const wanted of contents) {
    const { namespace, spec, local } = wanted;
    try {
      const unsent = await unsentOf(context, wanted);
      if (unsent === undefined) continue;
      const { inNamespace, content, present } = unsent;
      const file = { spec: { ...spec, mediaType: spec.mediaType || mediaTypeOf(spec.path) } };
      await store(inNamespace, { file, content, filename: basename(spec.path) }, present);
      sent += 1;
      context.note(`sent ${local} to ${namespace}${spec.path}`);
    } catch (error) {
      if (!isSvcError(error) && !(error instanceof CommandFailure)) throw error;
      throw new CommandFailure(`the bytes of File ${namespace}${spec.path} were not sent: ${error.message}`, {
        exitCode: exitCodes.partial,
        hint: 'everything else is applied: repeat the command',
        cause: error,
      });
    }
  }
  return sent;
};

/** Files whose bytes an apply would send, because the server has others or none. */
export const differingContents = async (
  context: CommandContext,
  contents: readonly FileContent[],
): Promise<readonly FileContent[]> => {
  const differing: FileContent[] = [];
  for (const content of contents) if ((await unsentOf(context, content)) !== undefined) differing.push(content);
  return differing;
};

/** Undefined when the server has these bytes. */
const unsentOf = async (context: CommandContext, wanted: FileContent) => {
  const { local } = wanted;
  const inNamespace = inNamespaceOf(context, wanted);
  const content = await localContent(context.host, local, local);
  const present = await presentOf(inNamespace, wanted);
  return present?.status?.objectRef?.sha256 === content.sha256 ? undefined : { inNamespace, content, present };
};

const inNamespaceOf = (context: CommandContext, { namespace }: FileContent): CommandContext => ({
  ...context,
  target: { ...context.target, namespace },
});

/** The File on the server; no call is made for those in the answer of the apply. */
const presentOf = async (context: CommandContext, { spec, shown }: FileContent): Promise<File | undefined> => {
  if (shown?.metadata === undefined) return fileAt(context, spec.path);
  const status = shown.status?.kind.case === 'file' ? { status: shown.status.kind.value } : {};
  return create(FileSchema, { metadata: shown.metadata, spec, ...status });
};

/** The applied documents with named bytes, and those without any. */
export const contentsOf = (
  applied: readonly { readonly local: ParsedFile; readonly result: ApplyManifestResult | undefined }[],
): { readonly contents: readonly FileContent[]; readonly bare: readonly FileContent[] } => {
  const files = applied.flatMap(({ local: { document, contentPath = '' }, result }) => {
    const { resource } = document;
    if (resource === undefined || !isMessage(resource.spec, FileSpecSchema)) return [];
    return [{ namespace: resource.key.namespace, spec: resource.spec, local: contentPath, shown: result?.resource }];
  });
  return { contents: files.filter(({ local }) => local !== ''), bare: files.filter(({ local }) => local === '') };
};

/** Reports Files without bytes: a manifest without `contentFromFile` sends none. */
export const noteBareFiles = async (context: CommandContext, bare: readonly FileContent[]): Promise<void> => {
  for (const file of bare) {
    const { namespace, spec } = file;
    const present = await presentOf(inNamespaceOf(context, file), file);
    if (present?.status?.objectRef === undefined)
      context.note(
        `File ${namespace}${spec.path} has no bytes: name them with spec.contentFromFile, or \`svc file put LOCAL ${spec.path}\``,
      );
  }
};
