import type { Command, CommanderError } from 'commander';
import { CommandFailure, type ExitCode, exitCodes, explain } from '../failure.ts';
import type { Host } from '../host.ts';
import { styleFor } from '../terminal/index.ts';
import { VERSION } from '../version.ts';
import { declareContentCommands } from './content-commands.ts';
import { declareEditCommands } from './edit-commands.ts';
import { declareManifestCommands } from './manifest-commands.ts';
import { declareOperationCommands } from './operation-commands.ts';
import { declareResourceCommands } from './resource-commands.ts';
import { declareServerCommands, declareUserCommands } from './server-commands.ts';
import { declareAgentCommands } from './session-commands.ts';
import { declareUpkeepCommands } from './upkeep-commands.ts';

/** Runs one command line; returns the exit code. Every error is explained on standard error. */
export const runCommandLine = async (words: readonly string[], host: Host): Promise<ExitCode> => {
  const program = await buildProgram(host);
  if (words[0] === '__complete') {
    const { printCompletions } = await import('../completion/index.ts');
    await printCompletions(host, program, words.slice(1));
    return exitCodes.ok;
  }
  try {
    // Without a command, the list of commands is shown.
    await program.parseAsync(words.length === 0 ? ['--help'] : helpWords(program, words), { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const isColourWanted = program.opts()['color'] !== false;
    if (!isUsageError(error)) return report(host, error, isColourWanted);
    if (error.exitCode === 0) return exitCodes.ok;
    // The whole help was printed already.
    if (error.code === 'commander.help') return exitCodes.refused;
    const style = styleFor(host.stderr, host.environment, isColourWanted);
    host.stderr.write(`${style.dim('  try:')} ${adviceAfter(error, program, words)}\n`);
    return exitCodes.refused;
  }
};

/**
 * `help a b` as `a b --help`: commander itself resolves only one level. Words after a command are dropped, so that help never runs
 * the command; an unknown word stays, for commander to refuse it.
 */
const helpWords = (program: Command, words: readonly string[]): string[] => {
  const [first, ...rest] = words;
  const asked = rest.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || asked.length === 0) return [...words];
  let command = program;
  const path: string[] = [];
  for (const word of asked) {
    if (command.commands.length === 0) break;
    path.push(word);
    const found = subcommandOf(command, word);
    if (found === undefined) return path;
    command = found;
  }
  return [...path, '--help'];
};

/** The command that the words lead to, and its full name, such as `svc channel tail`. */
const commandOf = (
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly path: string } => {
  let command = program;
  const path = ['svc'];
  for (const word of words) {
    const found = subcommandOf(command, word);
    if (found === undefined) continue;
    command = found;
    path.push(word);
  }
  return { command, path: path.join(' ') };
};

/** What to try after a line that was not understood: if a file is named without its flag, the line with it. */
const adviceAfter = (error: CommanderError, program: Command, words: readonly string[]): string => {
  const { command, path } = commandOf(program, words);
  const [file] = command.args;
  const takesFiles = command.options.some(({ long }) => long === '--filename');
  return error.code === 'commander.excessArguments' && takesFiles && file !== undefined
    ? `${path} -f ${file}`
    : `${path} --help`;
};

const subcommandOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));

const isUsageError = (error: unknown): error is CommanderError =>
  error instanceof Error && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.');

const report = async (host: Host, error: unknown, isColourWanted: boolean): Promise<ExitCode> => {
  const style = styleFor(host.stderr, host.environment, isColourWanted);
  const explanation = explain(error);
  if (explanation === undefined) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    host.stderr.write(`${style.red('svc:')} this is a bug in svc itself\n${text}\n`);
    return exitCodes.refused;
  }
  const { lines, hint, exitCode } = explanation;
  // Ctrl-C needs no message.
  if (exitCode === exitCodes.interrupted && !(error instanceof CommandFailure)) return exitCode;
  const slip = error instanceof CommandFailure ? error.slip : undefined;
  const advice = slip === undefined ? '' : (await host.loadManifests()).adviceFor(slip.word, slip.candidates);
  host.stderr.write(`${style.red('svc:')} ${lines.join('\n').trimEnd()}${advice}\n`);
  if (hint !== undefined) host.stderr.write(`${style.dim('  try:')} ${hint}\n`);
  return exitCode;
};

/** Groups of commands in the order of the help, as docs/cli.md has them. */
const GROUPS: readonly (readonly [heading: string, declare: (program: Command, host: Host) => void])[] = [
  ['Servers:', declareServerCommands],
  ['Backups and migrations:', declareUpkeepCommands],
  ['You and where you are:', declareUserCommands],
  ['Manifests:', declareManifestCommands],
  ['Any kind of resource:', declareResourceCommands],
  ['Any kind of resource:', declareEditCommands],
  ['Conversations:', declareAgentCommands],
  ['What agents read and make:', declareContentCommands],
  ['What runs:', declareOperationCommands],
];

/** All commands with their options; what they do is loaded when they run. */
export const buildProgram = async (host: Host): Promise<Command> => {
  const { Command } = await import('commander');
  const program = new Command('svc')
    .version(
      `svc ${VERSION}`,
      '-V, --version',
      'version of this program; `svc version` asks the server for its own too',
    )
    .description('Control plane and runtime for conversational agents.')
    .option('--server <url>', 'address of the server (SVC_SERVER, default http://127.0.0.1:7420)')
    .option('--token <token>', 'bearer token (SVC_TOKEN)')
    .option('--profile <name>', 'saved server and credential (SVC_PROFILE)')
    .option('-n, --namespace <name>', 'namespace (SVC_NAMESPACE, default default)')
    .option('-o, --output <form>', 'table, wide, yaml, json, name, manifest, jsonl or jsonpath=PATH')
    .option('-q, --quiet', 'no notes on standard error')
    .option('--no-color', 'no colours; so does NO_COLOR')
    .option('--timeout <duration>', 'longest wait, such as 30s')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'svc: ')),
      getOutHelpWidth: () => host.stdout.columns,
      getErrHelpWidth: () => host.stderr.columns,
    });
  for (const [heading, declare] of GROUPS) declare(program.commandsGroup(heading), host);
  return program;
};
