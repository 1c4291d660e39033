import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { type SessionMessage, SessionMessageSchema, SessionOverridesSchema } from '@svc/api/data';
import { ContentMode } from '@svc/api/gateway';
import { OwnerReferenceSchema, type Resource } from '@svc/api/resources';
import type { Session } from '@svc/client';
import type { CommandContext } from '../context.ts';
import { mapOf, textOf } from '../json-value.ts';
import { plainManifestOf } from '../kinds/index.ts';
import { piecesOf } from '../stored-files/index.ts';
import { counted } from '../terminal/index.ts';
import { genericJson } from '../typed-resource.ts';
import { ARCHIVE_HEAD, type ArchivedSession, type ArchiveLine } from './archive-lines.ts';

/** Messages of one request. */
const PAGE = 200;

/**
 * Writes an archive, one line of JSON each: manifests in the order in which they are applied, files with their bytes, sessions with their
 * messages. Bytes that messages refer to are not included; their number is reported.
 */
export const writeArchive = async (
  context: CommandContext,
  found: {
    readonly manifests: readonly JsonObject[];
    /** What deployments render, each with its deployment. */
    readonly rendered: readonly { readonly manifest: JsonObject; readonly deployment: string }[];
    readonly all: readonly Resource[];
  },
): Promise<void> => {
  const { host, note } = context;
  const write = (line: ArchiveLine | typeof ARCHIVE_HEAD): void => host.stdout.write(`${JSON.stringify(line)}\n`);
  write(ARCHIVE_HEAD);
  const manifests = found.manifests.filter(({ kind }) => kind !== 'File');
  const { withoutDefaults } = await host.loadManifests();
  const ownersOf = ownersWithin(found.all, [...manifests, ...found.rendered.map(({ manifest }) => manifest)]);
  for (const manifest of manifests) {
    const uid = uidOf(manifest);
    write({ manifest: plainManifestOf(manifest, withoutDefaults), uid, ...ownersOf(uid) });
  }
  const rendered = found.rendered.filter(({ manifest }) => manifest['kind'] !== 'File');
  for (const { manifest, deployment } of rendered)
    write({ manifest: plainManifestOf(manifest, withoutDefaults), deployment });
  let files = 0;
  for (const resource of found.all.filter(({ kind }) => kind === 'File')) {
    const line = await fileLine(context, resource);
    if (line === undefined) continue;
    write(line);
    files += 1;
  }
  const sessions = found.all.filter(({ kind }) => kind === 'Session');
  const counts = { messages: 0, objects: 0 };
  for (const resource of sessions) {
    const { metadata, spec } = resource;
    const agent = spec?.kind.case === 'session' ? spec.kind.value.agent : '';
    const place = { namespace: metadata?.namespace ?? '', agent, id: metadata?.name ?? '' };
    const session = context.client.session({ ns: place.namespace, agent, sessionId: place.id });
    write({ session: { ...place, labels: ownLabels(metadata?.labels ?? {}), ...(await overridesOf(session)) } });
    for (const message of await allMessages(session)) {
      write({ message: toJson(SessionMessageSchema, message) as JsonObject });
      counts.messages += 1;
      counts.objects += message.parts.filter(({ object }) => object !== undefined).length;
    }
  }
  note(
    [
      counted(manifests.length + rendered.length, 'resource'),
      counted(files, 'file'),
      counted(sessions.length, 'session'),
      counted(counts.messages, 'message'),
    ].join(', '),
  );
  if (counts.objects > 0)
    note(
      `${counted(counts.objects, 'attachment of messages is', 'attachments of messages are')} not in the archive: only \`svc backup\` has them`,
    );
};

const uidOf = (manifest: JsonObject): string => textOf(mapOf(manifest['metadata'])['uid']);

/** The owners of a resource, by its uid, that are among the manifests of the archive; an empty list if there are none. */
const ownersWithin = (
  all: readonly Resource[],
  manifests: readonly JsonObject[],
): ((uid: string) => { readonly owners?: readonly JsonObject[] }) => {
  const written = new Set(manifests.map(uidOf));
  const byUid = new Map(all.map(({ metadata }) => [metadata?.uid ?? '', metadata?.ownerReferences ?? []]));
  return (uid) => {
    const owners = (byUid.get(uid) ?? [])
      .filter((owner) => written.has(owner.uid))
      .map((owner) => {
        const { uid: _, ...reference } = toJson(OwnerReferenceSchema, owner) as JsonObject;
        return reference;
      });
    return owners.length === 0 ? {} : { owners };
  };
};

/** System keys are created again. */
const ownLabels = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith('svc/')));

/** A file whose upload was never completed has nothing to export. */
const fileLine = async (context: CommandContext, resource: Resource): Promise<ArchiveLine | undefined> => {
  const { namespace = '', name = '', uid = '' } = resource.metadata ?? {};
  const { spec, status } = genericJson(resource);
  if (typeof status !== 'object' || status === null || !('objectRef' in status)) return undefined;
  const answer = await context.client.files.readFile({ ns: namespace, name, content: ContentMode.UNSPECIFIED });
  const pieces: Uint8Array[] = [];
  for await (const piece of await piecesOf(context, answer)) pieces.push(piece);
  return { file: { namespace, spec: spec as JsonObject, uid }, content: Buffer.concat(pieces).toString('base64') };
};

const overridesOf = async (session: Session): Promise<Pick<ArchivedSession, 'overrides'>> => {
  const { overrides } = await session.get(-1);
  return overrides === undefined ? {} : { overrides: toJson(SessionOverridesSchema, overrides) as JsonObject };
};

const allMessages = async (session: Session): Promise<readonly SessionMessage[]> => {
  let found: SessionMessage[] = [];
  let beforeMessageId: string | undefined;
  for (;;) {
    const page = await session.messages({
      pageSize: PAGE,
      ...(beforeMessageId === undefined ? {} : { beforeMessageId }),
    });
    found = [...page.items.flatMap(({ message }) => message ?? []), ...found];
    beforeMessageId = page.nextBeforeMessageId;
    if (!page.hasMore || beforeMessageId === undefined) return found;
  }
};
