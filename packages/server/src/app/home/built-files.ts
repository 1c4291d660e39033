import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ContentEncoding } from '../../transport/http/index.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Packed forms, which the build writes next to a file, by the ends of their names. */
const PACKED: Readonly<Record<ContentEncoding, string>> = { br: '.br', gzip: '.gz' };

/** A file for browsers, as the build made it. */
export interface BuiltFile {
  readonly type: string;
  /** In which forms it is there, the smallest first. */
  readonly encodings: readonly ContentEncoding[];
  /** Its bytes as they are on disk; nothing keeps them, because browsers ask once. */
  read(encoding: ContentEncoding | undefined): Promise<Uint8Array>;
}

/** The files of a folder by name; none where there is no such folder. Only what is there now is ever read: no name of a request becomes a path. */
export const builtFiles = (folder: string): ReadonlyMap<string, BuiltFile> => {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const packed = Object.values(PACKED);
  const files = [...names].filter((name) => !packed.includes(extname(name)));
  return new Map(
    files.map((name) => {
      const encodings = (['br', 'gzip'] as const).filter((encoding) => names.has(name + PACKED[encoding]));
      const path = join(folder, name);
      const read = (encoding: ContentEncoding | undefined): Promise<Uint8Array> =>
        readFile(encoding === undefined ? path : path + PACKED[encoding]);
      return [name, { type: TYPES[extname(name)] ?? 'application/octet-stream', encodings, read }];
    }),
  );
};
