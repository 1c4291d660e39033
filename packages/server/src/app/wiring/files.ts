import type { KindContract, ResourceWriter } from '../../controllers/index.ts';
import {
  type Artifacts,
  artifactsFeature,
  type DocumentForm,
  type FilesFeature,
  FileWorker,
  fileContract,
  fileController,
  filesFeature,
  linkKey,
  ObjectCollector,
  ObjectLinks,
  PdfTexts,
  UploadSignatures,
} from '../../features/authoring/files/index.ts';
import { chunkDocument, indexWords } from '../../features/authoring/knowledge/index.ts';
import { type DirectUploads, earlierNow, type Store } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';
import type { PeriodicJob } from '../periodic.ts';
import type { Engines } from './engines.ts';
import type { AppParts } from './operations.ts';
import type { Machinery } from './resources.ts';

const COLLECT_MS = 600_000;
const SWEEP_MS = 6 * 3_600_000;

/** Files are cut and compared as knowledge is, so that one search ranks both. */
const FORM: DocumentForm = { chunks: chunkDocument, words: indexWords };

const fileLimits = ({ settings }: Config) => ({
  namespaceBytes: settings['files.namespaceBytes'],
  ephemeralMicros: settings['files.ephemeralDays'] * 1_000,
  inlineBytes: settings['limits.fileInlineBytes'],
  objectBytes: settings['limits.objectBytes'],
  responseBytes: settings['limits.responseBytes'],
});

/** The kind File. */
export const fileKinds = (config: Config): readonly KindContract[] => [fileContract(fileLimits(config))];

/** Timers and index work of files, and the end of those that belong to a session. */
export const fileMachinery = ({ store, blobs, clock, log }: Engines, writer: ResourceWriter): Machinery => ({
  reconcilers: [fileController({ store, writer })],
  workers: [new FileWorker({ store, writer, blobs, form: FORM, pdf: new PdfTexts({ clock, log }) })],
});

/** Files and artifacts as the rest of the program uses them. */
export interface FileParts extends FilesFeature {
  readonly artifacts: Artifacts;
  readonly links: ObjectLinks;
  readonly jobs: readonly PeriodicJob[];
}

/** Bytes that clients sent past the gateway and that no completion took: their links ended. */
const uploadCollector = (direct: DirectUploads, store: Pick<Store, 'now' | 'steadyNow'>): PeriodicJob => ({
  name: 'upload-collector',
  everyMs: COLLECT_MS,
  tick: async () => {
    for (let gone = 1; gone > 0; ) gone = await direct.collect(earlierNow(store));
  },
});

/** The address of clients, without a slash at the end; one that was derived from port 0 gets the port that was free. */
export const clientUrl = ({ publicUrl }: Config, port: number): string =>
  publicUrl.replace(/:0$/, `:${port}`).replace(/\/+$/, '');

/**
 * Files and artifacts with their routes, links to objects, and what collects objects no one names. `port` answers the one
 * that is listened on.
 */
export const wireFiles = async (
  { config, engines, resources, turns }: AppParts,
  port: () => number,
): Promise<FileParts> => {
  const { store, blobs, clock, ids, random, log } = engines;
  const { direct } = engines.objects;
  const { writer, views, authorizer, audit, directory: namespaces } = resources;
  const { objects } = turns;
  const key = await linkKey({ store, random, seal: engines.secretKeys.ring, log });
  const links = new ObjectLinks({ key, clock, blobs });
  const collector = new ObjectCollector({ store, blobs });
  const deps = {
    store,
    clock,
    writer,
    views,
    blobs,
    objects,
    direct,
    links,
    ids,
    authorizer,
    audit,
    namespaces,
    signatures: new UploadSignatures(key),
    form: FORM,
    pdf: new PdfTexts({ clock, log }),
    baseUrl: () => clientUrl(config, port()),
    limits: fileLimits(config),
  };
  const files = filesFeature(deps);
  const artifacts = artifactsFeature(deps, files.writes);
  return {
    ...files,
    operations: [...files.operations, ...artifacts.operations],
    routes: [...files.routes, ...artifacts.routes],
    artifacts: artifacts.artifacts,
    links,
    jobs: [
      { name: 'object-collector', everyMs: COLLECT_MS, tick: () => collector.tick() },
      ...(direct === undefined ? [] : [uploadCollector(direct, store)]),
      { name: 'object-sweep', everyMs: SWEEP_MS, tick: () => collector.sweep() },
    ],
  };
};
