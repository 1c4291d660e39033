// Run by hand after `npm install` changed package-lock.json where the registry lacks packages for other platforms: npm then
// leaves them out of the lock file, and `npm ci` refuses that file everywhere. Adds the missing entries (without a hash:
// there is nothing to hash), so that the file holds for every platform. Changes nothing in a complete file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { root } from './install.mjs';

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const otherNames = { armv7: 'arm', aarch64: 'arm64' };

/** Entries for platform packages that some package of the lock file names as optional and the file does not list. */
export function missingPlatformEntries(packages) {
  const missing = {};
  for (const [owner, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const isListed = ancestors(owner).some((folder) => packages[`${folder}node_modules/${name}`] !== undefined);
      if (!isListed) missing[`node_modules/${name}`] = platformEntry(name, version, entry);
    }
  }
  return missing;
}

/** Folders in which Node.js looks for a package's dependencies, innermost first, each ending in `/` or empty. */
function ancestors(owner) {
  const parts = owner.split('/node_modules/');
  const own = parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/`);
  return owner === '' ? [''] : [...own, ''];
}

/** The platform is read from the name, as in `binding-linux-arm-gnueabihf`. Throws when it cannot be, or the version floats. */
function platformEntry(name, version, owner) {
  const words = name.split(/[-/]/).map((word) => otherNames[word] ?? word);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  if (!/^\d+\.\d+\.\d+\S*$/.test(version) || os.length + cpu.length === 0) {
    throw new Error(`${name}@${version} is missing from package-lock.json and its platform or version is not known`);
  }
  return {
    version,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(owner.dev ? { dev: true } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const missing = missingPlatformEntries(lock.packages);
  const entries = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'));
  if (Object.keys(missing).length > 0) {
    writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2)}\n`);
  }
  process.stdout.write(`${Object.keys(missing).length} entries added to package-lock.json\n`);
}
