/**
 * The package.json of a built package: that of its workspace, with compiled files in the place of sources.
 * `root` is the package.json of the checkout, which names the Node.js that svc brings.
 */
export function publishedManifest(workspace, root) {
  const { exports: entries, bin, files: _files, ...rest } = workspace;
  const compiled = Object.entries(entries ?? {}).map(([name, path]) => [name, compiledEntry(path)]);
  return {
    ...rest,
    files: ['lib', 'gen', 'bin', 'proto'],
    ...(compiled.length === 0 ? {} : { exports: Object.fromEntries(compiled) }),
    // A command that starts on an older Node.js hands over to this one.
    ...(bin === undefined ? {} : { bin, optionalDependencies: { node: root.dependencies.node } }),
  };
}

function compiledEntry(path) {
  const base = path.replace(/^\.\/src\/(.*)\.ts$/, './lib/$1');
  if (base === path) throw new Error(`${path} is not a source that the build compiles`);
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
