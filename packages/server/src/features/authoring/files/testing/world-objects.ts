import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Random } from '../../../../base/index.ts';
import { createLocalBlobs } from '../../../../store/blobs/local/index.ts';
import { openS3Objects } from '../../../../store/blobs/s3/index.ts';
import { keyOf } from '../../../../store/blobs/s3/testing/s3-places.ts';
import { flipLastBit, S3Server } from '../../../../store/blobs/s3/testing/s3-server.ts';
import type { BlobStore, DirectUploads } from '../../../../store/contracts/index.ts';

/** Object bytes as a world keeps them. */
interface WorldObjects {
  readonly blobs: BlobStore;
  readonly direct: DirectUploads | undefined;
  /** Changes a bit of a stored object behind the store's back. */
  damage(sha256: string): Promise<void>;
  close(): void;
}

/** Opens an empty place for the objects of a world. */
export type OpenObjects = (world: {
  readonly dataDir: string;
  readonly random: Random;
  readonly clock: Clock;
}) => WorldObjects;

/** What worlds of one test file open their objects in. */
export interface ObjectPlaces {
  readonly open: OpenObjects;
  close(): Promise<void>;
}

export const openLocalObjects: OpenObjects = ({ dataDir, random }) => {
  const dir = join(dataDir, 'objects');
  const damage = async (hash: string): Promise<void> => {
    const folder = join(dir, 'sha256', hash.slice(0, 2), hash.slice(2, 4));
    const file = join(folder, readdirSync(folder)[0] ?? '');
    writeFileSync(file, flipLastBit(readFileSync(file)));
  };
  return { blobs: createLocalBlobs({ dir, random }), direct: undefined, damage, close: () => undefined };
};

/** Places in the bucket of a server that is started for them. */
export const openBucketPlaces = async (): Promise<ObjectPlaces & { readonly server: S3Server }> => {
  const server = await S3Server.start();
  let opened = 0;
  const open: OpenObjects = ({ dataDir, ...around }) => {
    const prefix = `world-${opened++}/`;
    const spoolDir = join(dataDir, 'objects', 'tmp');
    const { blobs, uploads, close } = openS3Objects({ ...server.connection, ...around, prefix, spoolDir });
    return { blobs, direct: uploads, damage: (hash) => server.change(keyOf(prefix, hash), flipLastBit), close };
  };
  return { server, open, close: () => server[Symbol.asyncDispose]() };
};

/** Where object bytes can be, each with what opens it for a test file. */
export const OBJECT_ENGINES: readonly (readonly [name: string, openPlaces: () => Promise<ObjectPlaces>])[] = [
  ['below the data directory', async () => ({ open: openLocalObjects, close: async () => undefined })],
  ['in a bucket', openBucketPlaces],
];
