/**
 * Fails when the contract in proto/ breaks clients of the contract at a git reference.
 *
 *   node tools/generate/breaking.mjs [ref]     default main; exit 1 and one line per breaking change
 *
 * `buf breaking --against .git` cannot be used alone: google/api comes from node_modules, which git
 * does not hold. The files of the reference are therefore laid out in a temporary folder first.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const binaries = join(root, 'node_modules', '.bin');
const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` };

/** Writes proto/ and buf.yaml of the reference below `folder`; node_modules is the present one. */
function checkOut(ref, folder) {
  const archive = execFileSync('git', ['archive', ref, 'buf.yaml', 'proto'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

function compare(ref) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-breaking-'));
  try {
    checkOut(ref, folder);
    const image = join(folder, 'image.binpb');
    execFileSync(join(binaries, 'buf'), ['build', '-o', image], { cwd: folder, env, stdio: 'inherit' });
    const options = { cwd: root, env, stdio: 'inherit' };
    return spawnSync(join(binaries, 'buf'), ['breaking', '--against', image], options).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [ref = 'main', ...rest] = process.argv.slice(2);
if (rest.length > 0 || ref.startsWith('-')) {
  console.error('usage: node tools/generate/breaking.mjs [git-ref]');
  process.exitCode = 2;
} else if (!compare(ref)) {
  process.exitCode = 1;
}
