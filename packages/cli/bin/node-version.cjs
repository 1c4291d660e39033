// biome-ignore-all lint/style/useNodejsImportProtocol: older Node.js does not know `node:`
/**
 * Loaded before anything else, on whatever Node.js the machine has: only syntax of 2015. Finds out whether this Node.js can run
 * svc; if not, runs the command on the one that npm installed with svc, or says what is needed.
 */
const childProcess = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const NEEDED = 26;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function majorOf(version) {
  return Number(version.split('.')[0]);
}

/** Path of the Node.js that the npm package `node` brought, or undefined. */
function installedNode() {
  const folder = packageFolder();
  if (folder === undefined) return undefined;
  const program = path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!fs.existsSync(program)) return undefined;
  const answer = childProcess.spawnSync(program, ['--version'], { encoding: 'utf8' });
  return answer.status === 0 && majorOf(answer.stdout.slice(1)) >= NEEDED ? program : undefined;
}

function packageFolder() {
  try {
    return path.dirname(require.resolve('node/package.json'));
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Any of its streams may be the only one that was not redirected. */
function isAtTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}

/** Runs this command there, with its input, output, signals and exit code. */
function handOver(program) {
  const child = childProcess.spawn(program, process.execArgv.concat(process.argv.slice(1)), { stdio: 'inherit' });
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      // Ctrl-C at a terminal reaches the child by itself; a second signal would end it before its work is done.
      if (signal !== 'SIGINT' || !isAtTerminal()) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`svc: cannot run ${program}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + os.constants.signals[signal]));
}

const isNewEnough = majorOf(process.versions.node) >= NEEDED;
const substitute = isNewEnough ? undefined : installedNode();
if (substitute !== undefined) handOver(substitute);
else if (!isNewEnough) {
  const advice = `install it, or run \`npm install node@${NEEDED}\` where svc is installed`;
  process.stderr.write(`svc needs Node.js ${NEEDED} or newer; this is ${process.versions.node}: ${advice}\n`);
  process.exitCode = 1;
}

exports.isNewEnough = isNewEnough;
