import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

/** Files of the S3 client that this process has loaded. */
const loaded = (): readonly string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('@aws-sdk'));

it('a server with local objects loads nothing of the S3 client', async () => {
  {
    await using _app = await AppUnderTest.start();
    expect(loaded()).toEqual([]);
  }
  await import('../store/blobs/s3/index.ts');
  expect(loaded()).not.toEqual([]);
});
