import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ContentEncoding } from '../../transport/http/index.ts';

/** Where a build puts the console: next to this module, or next to the program that contains it. Sources have none. */
const BUILT = join(import.meta.dirname, 'console');

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

/** A file that pages load. Its name contains a hash of its content, so it never changes. */
export interface ConsoleAsset {
  readonly type: string;
  /** In which forms it is there, the smallest first. */
  readonly encodings: readonly ContentEncoding[];
  /** Its bytes as they are on disk; nothing keeps them, because browsers ask once. */
  read(encoding: ContentEncoding | undefined): Promise<Uint8Array>;
}

/** The console as it was built. */
export interface ConsoleFiles {
  /** index.html. */
  readonly page: string;
  /** By name. Only what was there at the start is ever read: no name of a request becomes a path. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

/** Undefined where no console was built. */
export const findConsole = (folder = BUILT): ConsoleFiles | undefined => {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return undefined;
  return { page: readFileSync(page, 'utf8'), assets: assetsOf(join(folder, 'assets')) };
};

const assetsOf = (folder: string): ReadonlyMap<string, ConsoleAsset> => {
  const names = new Set(readdirSync(folder));
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
