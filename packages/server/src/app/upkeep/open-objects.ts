import { join } from 'node:path';
import { type Clock, isFault, type Log, type Random } from '../../base/index.ts';
import { createLocalBlobs } from '../../store/blobs/local/index.ts';
import type { BlobStore, DirectUploads } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';

/** Object bytes as configured. */
export interface ObjectEngine {
  readonly blobs: BlobStore;
  /** Where clients send bytes past the gateway; undefined where everything goes through it. */
  readonly direct: DirectUploads | undefined;
  /** Throws a Fault that says what is wrong while bytes can neither be stored nor read. */
  readonly reach: () => Promise<void>;
  readonly close: () => void;
}

const NO_OBJECT = '0'.repeat(64);
const DAY_MS = 86_400_000;

/** Clock, ids and log, and where the bytes of the local backend are. */
interface ObjectsHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Default: in the data directory. */
  readonly dir?: string;
  /** True while a server runs that may use the local directory. */
  readonly isReader?: boolean;
}

/**
 * Opens the object backend. Throws Fault FAILED_PRECONDITION OBJECTS_UNUSABLE for a bucket, a region or credentials that are
 * wrong; a service that does not answer is waited for by readiness, so that nodes may start before it.
 */
export const openObjects = async (config: Config, host: ObjectsHost): Promise<ObjectEngine> => {
  const { settings } = config;
  const { clock, random, log, dir = join(config.dataDir, 'objects'), isReader = false } = host;
  if (settings['objects.backend'] === 'local') {
    // Nodes of one database share the directory, and what is young there may be another one's.
    const shared = config.store.engine === 'sqlite' ? {} : { leftBeforeMs: clock.nowMicros() / 1000 - DAY_MS };
    const blobs = createLocalBlobs({
      dir,
      random,
      isReader,
      report: { log, monotonicMs: () => clock.monotonicMs() },
      ...shared,
    });
    return { blobs, direct: undefined, reach: async () => void (await blobs.stat(NO_OBJECT)), close: () => undefined };
  }
  const { openS3Objects } = await import('../../store/blobs/s3/index.ts');
  const { blobs, uploads, reach, close } = openS3Objects({
    bucket: settings['objects.bucket'] ?? '',
    region: settings['objects.region'],
    endpoint: settings['objects.endpoint'],
    prefix: settings['objects.prefix'] ?? '',
    accessKey: settings['objects.accessKey'],
    secretKey: settings['objects.secretKey'],
    spoolDir: join(dir, 'tmp'),
    clock,
    random,
  });
  try {
    await reach();
  } catch (error) {
    if (!isFault(error) || error.code !== 'UNAVAILABLE') {
      close();
      throw error;
    }
    log.warn('the object store does not answer yet', { problem: error.message });
  }
  return { blobs, direct: uploads, reach, close };
};
