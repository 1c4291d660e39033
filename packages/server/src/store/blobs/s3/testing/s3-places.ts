import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { seededRandom, systemClock } from '../../../../base/index.ts';
import { openS3Objects, type S3ObjectsOptions } from '../index.ts';

let opened = 0;

/** An empty place of its own in the bucket of a server, with a spool folder of its own. */
export const openPlace = async (
  server: { readonly connection: Pick<S3ObjectsOptions, 'bucket' | 'region'> },
  options: Partial<S3ObjectsOptions> = {},
) => {
  const prefix = `place-${opened++}/`;
  const spoolDir = await mkdtemp(join(tmpdir(), 'svc-spool-'));
  const random = seededRandom(opened);
  const objects = openS3Objects({ ...server.connection, prefix, spoolDir, random, clock: systemClock, ...options });
  const dispose = async (): Promise<void> => {
    objects.close();
    await rm(spoolDir, { recursive: true });
  };
  return { ...objects, prefix, spoolDir, dispose };
};

/** The same until the test ends. */
export const openForTest = async (...[server, options]: Parameters<typeof openPlace>) => {
  const place = await openPlace(server, options);
  onTestFinished(place.dispose);
  return place;
};

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The key of an object behind a prefix, as documented. */
export const keyOf = (prefix: string, sha256: string): string =>
  `${prefix}objects/sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

/** All bytes of a stream. */
export const collect = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
};
