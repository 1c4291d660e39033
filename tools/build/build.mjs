import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cleanOutput } from './clean-output.mjs';
import { buildConsole, hasConsole } from './console-build.mjs';
import { placeWidget, widgetScript } from './widget-script.mjs';

/**
 * `npm run build`: makes dist/packages/{api,client,widget,connectors,server,cli} from the sources, each a package of plain JavaScript with its types
 * that `npm pack` and `npm publish` take as it is; that of the server contains the web console and the chat widget, that of the widget the
 * file for one script tag, lib/svc-chat.js. With `--pack` it also writes dist/*.tgz.
 *
 *   node tools/build/build.mjs [--pack] [--out FOLDER] [--packages api,client,widget,connectors,server,cli]
 *
 * The folder loses what an earlier build made there, and keeps everything else.
 *
 * Nothing in the checkout runs on the result: the workspaces run from their sources. Types are emitted but not checked; `npm test`
 * checks them. Called by hand, and by the tests that install the packed packages.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Sources that are not part of a package. */
const isForTests = (path) => /\.test\.tsx?$|\.test-d\.ts$|(?:^|\/)(?:testing|conformance)\//.test(path);

/** What is emitted for which machines: browsers and older Node.js, or the Node.js that svc brings. */
const targets = [
  {
    packages: ['api', 'client', 'widget'],
    options: ['--target', 'es2022', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable'],
  },
  { packages: ['connectors', 'server', 'cli'], options: [] },
];

const { values } = parseArgs({
  options: {
    pack: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist') },
    packages: { type: 'string', default: 'api,client,widget,connectors,server,cli' },
  },
});
const out = resolve(values.out);
const wanted = values.packages.split(',');
cleanOutput(out, root);
const emitted = mkdtempSync(join(out, '.emitted-'));
try {
  for (const target of targets) {
    const packages = target.packages.filter((name) => wanted.includes(name));
    if (packages.length === 0) continue;
    emit({ packages, options: target.options });
    for (const name of packages) await assemble(name);
  }
} finally {
  rmSync(emitted, { recursive: true, force: true });
}
if (values.pack) pack();

/** Compiles the packages of one target, below `emitted` in the layout of packages/. */
function emit({ packages, options }) {
  const project = join(emitted, 'tsconfig.json');
  const files = packages.flatMap((name) => globSync(join(root, 'packages', name, 'src/**/*.{ts,tsx}')));
  const compilerOptions = {
    allowJs: false,
    declaration: true,
    noCheck: true,
    noEmit: false,
    outDir: emitted,
    rewriteRelativeImportExtensions: true,
    rootDir: join(root, 'packages'),
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      files: files.filter((path) => !isForTests(path)),
      include: [],
    }),
  );
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['--project', project, ...options], { stdio: 'inherit' });
}

/** Lays out one package: compiled code in lib/, other files as they are. */
async function assemble(name) {
  const source = join(root, 'packages', name);
  const target = join(out, 'packages', name);
  for (const path of globSync('**/*.{js,d.ts}', { cwd: join(emitted, name, 'src') })) {
    const text = readFileSync(join(emitted, name, 'src', path), 'utf8');
    write(join(target, 'lib', path), path.endsWith('.d.ts') ? withCompiledNames(text) : text);
  }
  for (const path of globSync('**/*.sql', { cwd: join(source, 'src') }))
    copy(join(source, 'src', path), join(target, 'lib', path));
  for (const folder of ['gen', 'bin']) {
    if (existsSync(join(source, folder))) cpSync(join(source, folder), join(target, folder), { recursive: true });
  }
  if (name === 'api') layOutContract(join(target, 'proto'));
  if (name === 'server') await placePages(join(target, 'lib', 'app', 'home'));
  if (name === 'widget') write(join(target, 'lib', 'svc-chat.js'), await widgetScript(root));
  if (existsSync(join(source, 'README.md'))) copy(join(source, 'README.md'), join(target, 'README.md'));
  copy(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const manifest = publishedManifest(readManifest(source), readManifest(root));
  write(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** What the server hands out to browsers. */
async function placePages(folder) {
  if (hasConsole(root)) await buildConsole(root, join(folder, 'console'));
  await placeWidget(root, join(folder, 'widget'));
}

/** proto/ together with the two files of google/api that it imports: `protoc --proto_path=proto` needs nothing else. */
function layOutContract(target) {
  cpSync(join(root, 'proto'), target, { recursive: true });
  for (const file of ['annotations.proto', 'http.proto']) {
    copy(join(root, 'node_modules', 'google-proto-files', 'google', 'api', file), join(target, 'google', 'api', file));
  }
}

/** The compiler leaves the names of sources in declarations. */
function withCompiledNames(text) {
  return text.replaceAll(/(from '|import\(["'])(\.[^"']*)\.ts(["'])/g, '$1$2.js$3');
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function pack() {
  const folders = wanted.map((name) => join(out, 'packages', name));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out, ...folders], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/**
 * The package.json of a built package: that of its workspace, with compiled files in the place of sources. What `publishConfig` holds
 * applies to the built package only: peers named there are not installed in the checkout.
 * `root` is the package.json of the checkout, which names the Node.js that svc brings.
 */
function publishedManifest(workspace, root) {
  const { exports: entries, bin, files: _files, publishConfig = {}, ...rest } = workspace;
  const compiled = Object.entries(entries ?? {}).map(([name, path]) => [name, compiledEntry(path)]);
  return {
    ...rest,
    ...publishConfig,
    files: ['lib', 'gen', 'bin', 'proto'],
    ...(compiled.length === 0 ? {} : { exports: Object.fromEntries(compiled) }),
    // A command that starts on an older Node.js hands over to this one.
    ...(bin === undefined ? {} : { bin, optionalDependencies: { node: root.dependencies.node } }),
  };
}

function compiledEntry(path) {
  const base = path.replace(/^\.\/src\/(.*)\.tsx?$/, './lib/$1');
  if (base === path) throw new Error(`${path} is not a source that the build compiles`);
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
