import type { Authorizer } from '../../../auth/contract.ts';
import type { Clock, Log, Random } from '../../../base/index.ts';
import type { AppendAudit, NamespaceFacts } from '../../../controllers/contract.ts';
import type { HttpExchange } from '../../../operations/index.ts';
import type { ValueSeal } from '../../../resources/index.ts';
import type { ObjectData } from '../../../runtime/contract.ts';
import { type DirectUploads, earlierNow, type Store } from '../../../store/contracts/index.ts';
import type { ToolContext, ToolResult } from '../../../tools/contract.ts';
import type { FeatureModule, PeriodicJob } from '../../module-contract.ts';
import { artifactsFeature } from './artifacts/index.ts';
import { unlessLost } from './file-damage.ts';
import { fileObject } from './file-facts.ts';
import { fileContract } from './file-kind.ts';
import { filesFeature } from './file-operations.ts';
import { FileWorker, fileController } from './file-worker.ts';
import type { FilesDeps } from './files-deps.ts';
import { memoryOperations } from './memory/index.ts';
import { LinkKey, ObjectCollector, ObjectLinks, objectIn, SEALED_LINK_KEY, sendObject } from './objects/index.ts';
import { PdfTexts } from './pdf/index.ts';
import {
  type ArtifactObjects,
  artifactObjects,
  artifactTools,
  artifactToolset,
  fileTools,
  type HandOverArtifacts,
  handOverArtifacts,
  type KeepArtifact,
  keepArtifact,
  memoryTools,
  retrievedFile,
  type SearchPlaces,
  type ShareArtifacts,
  shareArtifacts,
  ToolFiles,
  type ToolFilesDeps,
  type Understand,
  workspaceSearch,
} from './tools/index.ts';
import { UploadSignatures } from './transfers/index.ts';

const COLLECT_MS = 600_000;
const SWEEP_MS = 6 * 3_600_000;
const MICROS_PER_MS = 1_000;

/** Sizes in bytes, times in milliseconds. */
interface FileSettings {
  readonly 'files.namespaceBytes': number;
  readonly 'files.ephemeralDays': number;
  readonly 'limits.fileInlineBytes': number;
  readonly 'limits.objectBytes': number;
  readonly 'limits.responseBytes': number;
}

interface FilesModuleDeps
  extends Omit<FilesDeps, 'links' | 'signatures' | 'pdf' | 'limits'>,
    Pick<ToolFilesDeps, 'visibleNamespaces' | 'activeSkill' | 'skillFiles'> {
  readonly clock: Clock;
  readonly random: Pick<Random, 'fill'>;
  readonly log: Log;
  readonly seal: ValueSeal;
  readonly authorizer: Authorizer;
  readonly audit: AppendAudit;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly settings: FileSettings;
  /** Ranked search, as knowledge does it. */
  readonly searchPlaces: SearchPlaces;
  readonly understand: Understand;
}

export interface FilesModule extends FeatureModule {
  /** Signed links to object bytes. */
  readonly links: ObjectLinks;
  readonly shareArtifacts: ShareArtifacts;
  readonly artifactObjects: ArtifactObjects;
  readonly keepArtifact: KeepArtifact;
  readonly handOverArtifacts: HandOverArtifacts;
  /** Files as one part of the search of agents. */
  readonly search: ReturnType<typeof workspaceSearch>;
  /** A file that a search of knowledge found. */
  readonly retrieved: (
    context: ToolContext,
    ref: string,
    part: Readonly<Record<string, unknown>>,
  ) => Promise<ToolResult | undefined>;
  /** An object as its bytes are named in a namespace. */
  readonly objectIn: (namespace: string, object: ObjectData) => ObjectData;
  /** The bytes of the file of a namespace whose object has this key. */
  readonly fileObject: (namespace: string, key: string) => Promise<ObjectData | undefined>;
  /** Answers a request with the bytes of an object, or the range of them that it asks for. */
  readonly sendObject: (exchange: HttpExchange, object: ObjectData, signal: AbortSignal) => Promise<void>;
  /** Opens the key of links and uploads. */
  start(): Promise<void>;
}

/** Files and artifacts with their routes and tools, links to objects, and what collects objects that no one names. */
export const filesModule = (deps: FilesModuleDeps): FilesModule => {
  const { store, blobs, clock, direct, log } = deps;
  const key = new LinkKey(deps);
  const links = new ObjectLinks({ key, clock, blobs });
  const limits = limitsOf(deps.settings);
  const pdf = new PdfTexts({ clock, log });
  const served = { ...deps, links, signatures: new UploadSignatures(key), pdf, limits };
  const files = filesFeature(served);
  const artifacts = artifactsFeature(served, files.writes);
  const { reads, writes } = files;
  const parts = { ...served, writes, artifacts: artifacts.artifacts, files: new ToolFiles({ ...deps, reads }) };
  return {
    kinds: [fileContract(limits)],
    reconcilers: [fileController(deps)],
    workers: [new FileWorker({ ...deps, pdf: new PdfTexts({ clock, log }) })],
    sealedValues: [SEALED_LINK_KEY],
    jobs: collectors(new ObjectCollector({ store, blobs }), direct, store),
    operations: [...files.operations, ...memoryOperations({ ...served, reads }), ...artifacts.operations],
    routes: [links.route(), ...files.routes, ...artifacts.routes],
    tools: [...fileTools(parts), ...artifactTools(parts)],
    toolSources: [artifactToolset, memoryTools(parts)],
    links,
    shareArtifacts: shareArtifacts(artifacts.artifacts),
    artifactObjects: artifactObjects(artifacts.artifacts),
    keepArtifact: keepArtifact(artifacts.artifacts),
    handOverArtifacts: handOverArtifacts(artifacts.artifacts),
    search: workspaceSearch(parts),
    retrieved: (context, ref, part) => retrievedFile(parts, context, { ref, part }),
    objectIn,
    fileObject: (namespace, objectKey) => fileObject(store.direct, namespace, objectKey),
    sendObject: (exchange, object, signal) => unlessLost(() => sendObject(blobs, exchange, { ...object, signal })),
    start: () => key.open(),
  };
};

const limitsOf = (settings: FileSettings): FilesDeps['limits'] => ({
  namespaceBytes: settings['files.namespaceBytes'],
  ephemeralMicros: settings['files.ephemeralDays'] * MICROS_PER_MS,
  inlineBytes: settings['limits.fileInlineBytes'],
  objectBytes: settings['limits.objectBytes'],
  responseBytes: settings['limits.responseBytes'],
});

const collectors = (
  collector: ObjectCollector,
  direct: DirectUploads | undefined,
  store: Pick<Store, 'now' | 'steadyNow'>,
): readonly PeriodicJob[] => [
  { name: 'object-collector', everyMs: COLLECT_MS, tick: () => collector.tick() },
  ...(direct === undefined ? [] : [uploadCollector(direct, store)]),
  { name: 'object-sweep', everyMs: SWEEP_MS, tick: () => collector.sweep() },
];

/** Bytes that clients sent past the gateway and that no completion took: their links ended. */
const uploadCollector = (direct: DirectUploads, store: Pick<Store, 'now' | 'steadyNow'>): PeriodicJob => ({
  name: 'upload-collector',
  everyMs: COLLECT_MS,
  tick: async () => {
    for (let gone = 1; gone > 0; ) gone = await direct.collect(earlierNow(store));
  },
});
