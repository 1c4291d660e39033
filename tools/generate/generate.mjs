/**
 * Regenerates packages/api from proto/ with the versions of buf and protoc-gen-es in node_modules.
 *
 *   node tools/generate/generate.mjs           writes packages/api/gen, the lists in packages/api/src, and docs/reference
 *   node tools/generate/generate.mjs --check   writes to a temporary folder and exits 1 on a difference
 *
 * Called by hand after a change of a .proto file and, with --check, by `npm test`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateComments } from './comments.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Writes docs/reference; whether that is current is a test next to it. */
const referenceDocs = join(root, 'packages/server/src/app/testing/reference/reference-docs.ts');

/** One file of sub-path exports per package of the contract, with its header. */
const subPaths = {
  data: 'Messages of package svc.data: messages, parts, turns, runs, principals, grants.',
  events: 'Messages of the server streams, package svc.events.',
  external: 'The connector contract, package svc.external.',
  gateway: 'Services of package svc.gateway with their requests and responses.',
  resources: 'Messages of package svc.resources: metadata, specs, statuses, full resources.',
};

/** Writes everything that is generated below `target`, a folder laid out like packages/api. */
function generate(target) {
  rmSync(join(target, 'gen'), { recursive: true, force: true });
  const binaries = join(root, 'node_modules', '.bin');
  execFileSync(join(binaries, 'buf'), ['generate', '--output', join(target, '..', '..')], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env['PATH'] ?? ''}` },
  });
  generateComments(root, target);
  mkdirSync(join(target, 'src'), { recursive: true });
  for (const [name, header] of Object.entries(subPaths)) {
    const files = readdirSync(join(root, 'proto', 'svc', name)).filter((file) => file.endsWith('.proto'));
    const lines = files
      .toSorted()
      .map((file) => `export * from '../gen/svc/${name}/${file.slice(0, -'.proto'.length)}_pb.js';`);
    writeFileSync(join(target, 'src', `${name}.ts`), [`/** ${header} */`, ...lines, ''].join('\n'));
  }
}

/** Paths that differ between the committed output and a fresh one, relative to packages/api. */
function differences(committed, fresh) {
  const expected = listFiles(fresh);
  const stale = listFiles(join(committed, 'gen'), committed).filter((path) => !expected.includes(path));
  const changed = expected.filter((path) => !sameContent(join(committed, path), join(fresh, path)));
  return [...stale, ...changed].toSorted();
}

function listFiles(folder, base = folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(base, join(entry.parentPath, entry.name)));
}

function sameContent(left, right) {
  return existsSync(left) && readFileSync(left).equals(readFileSync(right));
}

function check() {
  const temporary = mkdtempSync(join(tmpdir(), 'svc-generate-'));
  try {
    const fresh = join(temporary, 'packages', 'api');
    mkdirSync(fresh, { recursive: true });
    generate(fresh);
    const paths = differences(join(root, 'packages', 'api'), fresh);
    for (const path of paths) console.error(`out of date: packages/api/${path}`);
    if (paths.length > 0) console.error('run: node tools/generate/generate.mjs');
    return paths.length === 0;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const [mode, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (mode !== undefined && mode !== '--check')) {
  console.error('usage: node tools/generate/generate.mjs [--check]');
  process.exitCode = 2;
} else if (mode === '--check') {
  if (!check()) process.exitCode = 1;
} else {
  generate(join(root, 'packages', 'api'));
  execFileSync(process.execPath, [referenceDocs, join(root, 'docs', 'reference')], { stdio: 'inherit' });
}
