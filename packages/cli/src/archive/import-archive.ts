import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { SessionMessageSchema, SessionOverridesSchema } from '@svc/api/data';
import type { ApplyManifestResult } from '@svc/api/gateway';
import { type File, FileSpecSchema } from '@svc/api/resources';
import { isSvcError, type SessionKey } from '@svc/client';
import { type CommandContext, openContext } from '../context.ts';
import { updateLive } from '../editing/index.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, textOf } from '../json-value.ts';
import { addressOf } from '../kinds/index.ts';
import { type ApplyOptions, isFailed, printReport, waitUntilReady } from '../manifests/index.ts';
import { fileAt, hashOf, store } from '../stored-files/index.ts';
import { counted } from '../terminal/index.ts';
import { readGeneric } from '../typed-resource.ts';
import {
  type ArchivedFile,
  type ArchivedManifest,
  type ArchivedSession,
  IMPORTED_LABEL,
  IMPORTED_MESSAGE_LABEL,
  readArchive,
} from './archive-lines.ts';

/** Most manifests and characters of one call. */
const BATCH_DOCUMENTS = 400;
const BATCH_CHARACTERS = 2_000_000;
/** How long deployments may take to render the agents of sessions. */
const DEPLOYMENTS_WAIT = '1m';

/**
 * `svc import FILE` of an archive: applies its manifests one by one, stores its files, and creates its sessions with their
 * messages again, under their ids where these are free. May be repeated: what exists stays, and an interrupted session
 * continues where it stopped.
 */
export const importArchive = async (host: Host, blob: Blob, options: ApplyOptions): Promise<void> => {
  const importer = new Importer(await openContext(host, options));
  for await (const line of readArchive(blob)) {
    if ('manifest' in line && line.deployment !== undefined) await importer.rendered(line.manifest, line.deployment);
    else if ('manifest' in line) await importer.manifest(line);
    else if ('file' in line) await importer.file(line.file, line.content);
    else if ('session' in line) await importer.session(line.session);
    else if ('message' in line) await importer.message(line.message);
  }
  await importer.end();
};

class Importer {
  readonly #context: CommandContext;
  readonly #counts = { resources: 0, files: 0, sessions: 0, messages: 0, failures: 0 };
  #batch: string[] = [];
  #characters = 0;
  /** Manifests whose owners are written after all manifests are applied: as long as an owner is missing, its dependants would be deleted. */
  #owned: ArchivedManifest[] = [];
  /** Deployments whose objects have not been waited for yet. */
  #deployments: ApplyManifestResult[] = [];
  /** The session that messages go to; undefined while those of a failed session are skipped. */
  #session: SessionKey | undefined;
  /** Messages that the session has, by each id they may have in the archive. */
  #present: ReadonlySet<string> = new Set();

  constructor(context: CommandContext) {
    this.#context = context;
  }

  async manifest(line: ArchivedManifest): Promise<void> {
    const { manifest, uid = '', owners = [] } = line;
    const text = documentOf(manifest, uid === '' ? {} : { uid });
    if (owners.length > 0) this.#owned.push(line);
    if (this.#batch.length >= BATCH_DOCUMENTS || this.#characters + text.length > BATCH_CHARACTERS) await this.#flush();
    this.#batch.push(text);
    this.#characters += text.length;
  }

  /**
   * Restores what people added to an object that a deployment has rendered again. It is a plain write: an apply would make the importer
   * a manager, and the deployment could then neither change nor delete the object.
   */
  async rendered(manifest: JsonObject, deployment: string): Promise<void> {
    await this.#flush();
    await this.#deployed();
    const { kind, namespace, name, channel, labels, annotations, spec } = partsOf(manifest);
    const address = addressOf({ namespace }, kind, channel === '' ? name : `${channel}/${name}`);
    await this.#attempt(`${kind} ${namespace}/${name} of deployment ${deployment}`, async () => {
      const { mergePatch } = await this.#context.host.loadManifests();
      const wanted = { metadata: { labels, annotations }, spec };
      const change = (live: JsonObject): JsonObject => mergePatch(live as never, wanted as never) as JsonObject;
      const done = await updateLive(this.#context, address, { change, isNested: false });
      if (done === 'changed') this.#counts.resources += 1;
    });
  }

  async file(file: ArchivedFile, content: string): Promise<void> {
    await this.#manifestsDone();
    const spec = fromJson(FileSpecSchema, file.spec);
    const { target } = this.#context;
    const context = { ...this.#context, target: { ...target, namespace: file.namespace } };
    await this.#attempt(`File ${file.namespace}${spec.path}`, async () => {
      const blob = new Blob([Buffer.from(content, 'base64')]);
      const sha256 = await hashOf(blob);
      const present = (await fileAt(context, spec.path)) ?? (await this.#emptyFile(context, file));
      if (present?.status?.objectRef?.sha256 === sha256) return;
      const bytes = { blob, sizeBytes: blob.size, sha256 };
      await store(context, { file: { spec }, content: bytes, filename: spec.path.split('/').at(-1) ?? '' }, present);
      this.#counts.files += 1;
    });
  }

  async session({ namespace: ns, agent, id, labels, overrides }: ArchivedSession): Promise<void> {
    await this.#manifestsDone();
    await this.#deployed();
    const { gateway } = this.#context.client;
    this.#session = undefined;
    this.#present = new Set();
    await this.#attempt(`Session ${ns}/${agent}/${id}`, async () => {
      const { sessions } = await gateway.listSessions({ ns, agent, labelSelector: `${IMPORTED_LABEL}=${id}` });
      const [earlier] = sessions;
      if (earlier === undefined) {
        const marked = { ...labels, [IMPORTED_LABEL]: id };
        const own = overrides === undefined ? {} : { overrides: fromJson(SessionOverridesSchema, overrides) };
        const { sessionId } = await gateway.createSession({ ns, agent, labels: marked, keepId: id, ...own });
        this.#session = { ns, agent, sessionId };
        this.#counts.sessions += 1;
      } else {
        this.#session = { ns, agent, sessionId: earlier.sessionId };
        this.#present = await this.#messageIds(this.#session);
      }
    });
  }

  async message(json: JsonObject): Promise<void> {
    const session = this.#session;
    const message = fromJson(SessionMessageSchema, json);
    if (session === undefined || this.#present.has(message.id)) return;
    // Objects belong to the server they were stored on, and system keys are created again.
    for (const part of message.parts) delete part.object;
    message.labels = Object.fromEntries(Object.entries(message.labels).filter(([key]) => !key.startsWith('svc/')));
    await this.#attempt(`message ${message.id}`, async () => {
      const { gateway } = this.#context.client;
      try {
        await gateway.appendSessionMessage({ ...session, message });
      } catch (error) {
        if (!isSvcError(error) || error.code !== 'ALREADY_EXISTS') throw error;
        const labels = { ...message.labels, [IMPORTED_MESSAGE_LABEL]: message.id };
        await gateway.appendSessionMessage({ ...session, message: { ...message, id: '', labels } });
      }
      this.#counts.messages += 1;
    });
  }

  /** Reports what was done; throws with exit code 2 when something was not. */
  async end(): Promise<void> {
    await this.#manifestsDone();
    const { resources, files, sessions, messages, failures } = this.#counts;
    const done = [counted(resources, 'resource'), counted(files, 'file'), counted(sessions, 'session')];
    this.#context.note(`${[...done, counted(messages, 'message')].join(', ')} written`);
    if (failures > 0) throw new CommandFailure('not everything is imported', { exitCode: exitCodes.partial });
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const text = this.#batch.join('');
    this.#batch = [];
    this.#characters = 0;
    const { results } = await this.#apply({ text, atomic: false, keepGoing: true });
    printReport(this.#context.host, { results, documents: [] }, 'table');
    this.#counts.resources += results.filter((result) => !isOneFailed(result)).length;
    if (isFailed(results)) this.#counts.failures += 1;
    this.#deployments.push(...results.filter((result) => result.kind === 'Deployment' && !isOneFailed(result)));
  }

  async #manifestsDone(): Promise<void> {
    await this.#flush();
    const owned = this.#owned;
    this.#owned = [];
    if (owned.length === 0) return;
    await this.#deployed();
    for (const line of owned) await this.#own(line);
  }

  /** Writes the owners of a resource, by the uids that they have here. */
  async #own({ manifest, owners = [] }: ArchivedManifest): Promise<void> {
    const { kind, namespace, name } = partsOf(manifest);
    await this.#attempt(`owners of ${kind} ${namespace}/${name}`, async () => {
      const ownerReferences: JsonObject[] = [];
      for (const owner of owners) {
        const address = addressOf(
          { namespace: textOf(owner['namespace']) },
          textOf(owner['kind']),
          textOf(owner['name']),
        );
        const { metadata } = await readGeneric(this.#context, address);
        ownerReferences.push({ ...owner, uid: metadata?.uid ?? '' });
      }
      await this.#apply({ text: documentOf(manifest, { ownerReferences }) });
    });
  }

  /** A new File resource with its former uid; undefined if the archive has none, then the upload creates the resource. */
  async #emptyFile(context: CommandContext, { namespace, spec, uid = '' }: ArchivedFile): Promise<File | undefined> {
    if (uid === '') return undefined;
    const { withoutDefaults } = await this.#context.host.loadManifests();
    const plain = withoutDefaults('File', spec) as JsonObject;
    const manifest = { apiVersion: 'svc/v1', kind: 'File', metadata: { namespace }, spec: plain };
    await this.#apply({ text: documentOf(manifest, { uid }) });
    return fileAt(context, textOf(spec['path']));
  }

  #apply(request: { readonly text: string; readonly atomic?: boolean; readonly keepGoing?: boolean }) {
    const { client, target } = this.#context;
    return client.resources.applyManifests({
      ...request,
      ns: target.namespace,
      createNamespaces: true,
      keepUids: true,
    });
  }

  /**
   * Agents of the following sessions may be rendered by deployments. What is not ready in time is reported, and the import
   * continues.
   */
  async #deployed(): Promise<void> {
    const deployments = this.#deployments;
    this.#deployments = [];
    if (deployments.length === 0) return;
    try {
      await waitUntilReady(this.#context, deployments, DEPLOYMENTS_WAIT);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      this.#context.host.stderr.write(`${error.message}\n`);
    }
  }

  async #messageIds(session: SessionKey): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    let beforeMessageId: string | undefined;
    for (;;) {
      const page = await this.#context.client.session(session).messages({
        pageSize: 200,
        ...(beforeMessageId === undefined ? {} : { beforeMessageId }),
      });
      // The label may come from an import before the export; then the archive knows the message by its own id.
      for (const { message } of page.items)
        if (message !== undefined) ids.add(message.id).add(message.labels[IMPORTED_MESSAGE_LABEL] ?? message.id);
      beforeMessageId = page.nextBeforeMessageId;
      if (!page.hasMore || beforeMessageId === undefined) return ids;
    }
  }

  /** Reports what the server refuses, and continues. */
  async #attempt(subject: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CommandFailure) && (!isSvcError(error) || error.code === 'UNAVAILABLE')) throw error;
      const reason = isSvcError(error) ? ` (${error.reason})` : '';
      this.#context.host.stderr.write(`${subject}: ${error.message}${reason}\n`);
      this.#counts.failures += 1;
    }
  }
}

/** A manifest as one line of text, with more metadata. */
const documentOf = (manifest: JsonObject, metadata: JsonObject): string =>
  `--- ${JSON.stringify({ ...manifest, metadata: { ...mapOf(manifest['metadata']), ...metadata } })}\n`;

/** The key that identifies the resource of a manifest, and the document to write. */
const partsOf = (manifest: JsonObject) => {
  const [metadata, spec] = [mapOf(manifest['metadata']), mapOf(manifest['spec'])];
  return {
    kind: textOf(manifest['kind']),
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    channel: manifest['kind'] === 'ChannelSubscription' ? textOf(spec['channel']) : '',
    labels: mapOf(metadata['labels']),
    annotations: mapOf(metadata['annotations']),
    spec,
  };
};

const isOneFailed = (result: ApplyManifestResult): boolean => isFailed([result]);
