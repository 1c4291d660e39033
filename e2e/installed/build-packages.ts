import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../tools/build/build.mjs', import.meta.url));

/** One package as `npm pack` made it. */
export interface PackedPackage {
  readonly name: string;
  readonly file: string;
  /** Its package.json, as published. */
  readonly manifest: {
    readonly version: string;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly [fact: string]: unknown;
  };
}

/** Folders of packages/ that a build can be made of. */
type PackageFolder = 'api' | 'client' | 'connectors' | 'server' | 'cli';

/** Runs `npm run build` for some packages and packs them, all below `folder`. */
export const buildPackages = async (
  folder: string,
  packages: readonly PackageFolder[],
): Promise<readonly PackedPackage[]> => {
  const parameters = [program, '--pack', '--out', folder, '--packages', packages.join(',')];
  await promisify(execFile)(process.execPath, parameters);
  return packages.map((name) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'));
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    return { name: manifest.name, file: join(folder, file), manifest };
  });
};
