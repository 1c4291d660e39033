import type { Clock, Random } from '../../../base/index.ts';
import type { BlobStore, DirectUploads } from '../../contracts/index.ts';
import { ObjectKeys } from './object-keys.ts';
import { ObjectSender } from './object-sender.ts';
import { S3Blobs } from './s3-blobs.ts';
import { S3Bucket } from './s3-bucket.ts';
import { CONNECT_MS, openS3Client, type S3Connection } from './s3-client.ts';
import { S3Uploads } from './s3-uploads.ts';
import { Spool } from './spool.ts';

export interface S3ObjectsOptions extends S3Connection {
  readonly bucket: string;
  /** Text before every key, as it is; '' = none. */
  readonly prefix: string;
  /** Folder for bytes on their way; made when needed. */
  readonly spoolDir: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Object bytes in a bucket. */
export interface S3Objects {
  readonly blobs: BlobStore;
  readonly uploads: DirectUploads;
  /**
   * Checks the bucket once. Throws Fault FAILED_PRECONDITION OBJECTS_UNUSABLE that names the key to mend, UNAVAILABLE
   * STORAGE when the service does not answer.
   */
  reach(): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** Asks nothing of the service yet. */
export const openS3Objects = (options: S3ObjectsOptions): S3Objects => {
  const client = openS3Client(options);
  const bucket = new S3Bucket(client, options.bucket, options.connectMs ?? CONNECT_MS);
  const keys = new ObjectKeys(options.prefix);
  const spool = new Spool(options.spoolDir, options.random);
  const sender = new ObjectSender({ bucket, keys, clock: options.clock, random: options.random });
  return {
    blobs: new S3Blobs({ bucket, keys, spool, sender }),
    uploads: new S3Uploads({ bucket, keys, spool, sender }),
    reach: () => bucket.open(),
    close: () => client.destroy(),
  };
};
