import type { Command } from 'commander';
import type { GlobalOptions } from '../connection.ts';
import type { ScopeOptions } from '../context.ts';
import type { ArtifactOptions, PutOptions } from '../stored-files/index.ts';
import type { World } from '../world.ts';
import { example, run } from './run-action.ts';

/** Commands about what agents read and make: files, artifacts, knowledge. */
export const declareContentCommands = (program: Command, world: World): void => {
  declareFiles(program.command('file').description('files of a namespace'), world);
  declareArtifacts(program.command('artifact').description('what agents made in a session'), world);
};

const describingFile = (command: Command): Command =>
  command
    .option('--media-type <type>', 'such as text/markdown; else by the name')
    .option('--purpose <word>', 'memory, artifact or skill')
    .option('--index <word>', 'none, search or retrieval')
    .option('--retention <word>', 'retained or ephemeral');

const declareFiles = (file: Command, world: World): void => {
  const load = () => import('../stored-files/index.ts');
  describingFile(example(file.command('put <local> [path]'), 'svc file put report.pdf /reports/may.pdf'))
    .description('store a file of this machine, - for standard input; what is stored already is not sent')
    .action(run<PutOptions>(async (words, options) => (await load()).putFile(world, words, options)));
  example(file.command('get <file> [local]'), 'svc file get /reports/may.pdf may.pdf')
    .description('its bytes, to a file or standard output; -o json tells about it')
    .action(run<GlobalOptions>(async (words, options) => (await load()).getFile(world, words, options)));
  example(file.command('list [prefix]'), 'svc file list /reports')
    .description('files by path')
    .option('-l, --selector <labels>', 'only those with these labels')
    .option('--limit <count>', 'most files')
    .action(
      run<GlobalOptions & ScopeOptions>(async (words, options) => (await load()).listFiles(world, words, options)),
    );
  example(file.command('rm <file...>'), 'svc file rm /reports/may.pdf')
    .description('remove files')
    .action(run<GlobalOptions>(async (words, options) => (await load()).removeFiles(world, words, options)));
};

const declareArtifacts = (artifact: Command, world: World): void => {
  const load = () => import('../stored-files/index.ts');
  const ofAgent = (command: Command): Command =>
    command.option('--agent <name>', 'agent of the session; saves a search');
  ofAgent(example(artifact.command('list <session>'), 'svc artifact list 01a2004b-560f-7044-bbf3-2ade092e2675'))
    .description('artifacts of a session, newest first')
    .option('--limit <count>', 'most artifacts')
    .action(run<ArtifactOptions>(async (words, options) => (await load()).listArtifacts(world, words, options)));
  ofAgent(
    example(
      artifact.command('get <session> [artifact] [local]'),
      'svc artifact get artifact://NS/AGENT/SESSION/ID plot.png',
    ),
  )
    .description('its bytes, to a file or standard output; SESSION may be a whole artifact:// address')
    .action(run<ArtifactOptions>(async (words, options) => (await load()).getArtifact(world, words, options)));
  describingFile(
    ofAgent(
      example(
        artifact.command('promote <session> [artifact] [path]'),
        'svc artifact promote SESSION ID /plots/may.png',
      ),
    ),
  )
    .description('make a file of it, which outlives the session')
    .action(run<ArtifactOptions>(async (words, options) => (await load()).promoteArtifact(world, words, options)));
};
