import { FileService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResourceQuery } from '../../../store/contracts/index.ts';
import { FACT, fileObject } from './file-facts.ts';
import { fileKey } from './file-writes.ts';
import { objectKey } from './objects/index.ts';
import { type FileWorld, openFileWorld, sha256, text } from './testing/file-world.ts';

const { method } = FileService;

describe('the key of the bytes of a file', () => {
  let world: FileWorld;
  let rows = 0;

  beforeEach(async () => {
    world = await openFileWorld();
    rows = 0;
  });
  afterEach(async () => {
    await world.shut();
  });

  const keyOf = (content: string, namespace = 'default'): string => objectKey(namespace, sha256(text(content)));
  /** What is found by the key of these bytes; `rows` counts the files that are read for it. */
  const found = async (content: string, namespace = 'default') => {
    const list = async (query: ResourceQuery) => {
      const page = await world.store.direct.resources.list(query);
      rows += page.length;
      return page;
    };
    return (await fileObject({ resources: { list } }, namespace, keyOf(content, namespace)))?.filename;
  };
  const label = async (path: string, value: string | undefined) =>
    world.store.write((tx) =>
      world.writer.writeStatus(tx, fileKey('default', path), () => ({
        system: { labels: { [FACT.objectKey]: value } },
      })),
    );

  it('finds the file without reading others', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await world.made(`/${name}.txt`, name);
    expect(await found('c')).toBe('c.txt');
    expect(rows).toBe(1);
    expect(await found('e')).toBeUndefined();
    expect(await found('c', 'other')).toBeUndefined();
    expect(rows).toBe(1);
    const { store } = world;
    expect(await fileObject(store.direct, 'default', keyOf('c'))).toEqual({
      key: keyOf('c'),
      sha256: '2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6',
      sizeBytes: 1,
      mediaType: 'text/plain',
      filename: 'c.txt',
    });
  });

  it('follows the bytes through updates, uploads and the end of the file', async () => {
    const name = world.nameOf(await world.made('/a.txt', 'one'));
    await world.call(method.updateFile, { ns: 'default', name, file: {}, content: text('two') });
    expect([await found('one'), await found('two')]).toEqual([undefined, 'a.txt']);
    const prepared = await world.prepare('/a.txt', text('three'));
    expect([await found('two'), await found('three')]).toEqual(['a.txt', undefined]);
    await world.put(prepared, text('three'));
    await world.complete(prepared);
    expect([await found('two'), await found('three')]).toEqual([undefined, 'a.txt']);
    await world.call(method.deleteFile, { ns: 'default', name });
    expect(await found('three')).toBeUndefined();
  });

  it('is given to files of releases that kept none, and corrected where they changed the bytes', async () => {
    await world.made('/old.txt', 'old');
    await world.made('/changed.txt', 'new');
    await label('/old.txt', undefined);
    await label('/changed.txt', keyOf('before'));
    expect([await found('old'), await found('new'), await found('before')]).toEqual([undefined, undefined, undefined]);
    await world.loop.resync();
    await world.loop.tick();
    expect([await found('old'), await found('new')]).toEqual(['old.txt', 'changed.txt']);
  });
});
