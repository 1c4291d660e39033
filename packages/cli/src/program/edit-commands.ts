import type { Command } from 'commander';
import type { GlobalOptions } from '../connection.ts';
import type { LabelOptions, PatchOptions } from '../editing/index.ts';
import type { Host } from '../host.ts';
import { example, run } from './run-action.ts';

/** Commands that change one resource in place. */
export const declareEditCommands = (program: Command, host: Host): void => {
  const load = () => import('../editing/index.ts');
  example(program.command('edit <kind> [name]'), 'svc edit agent helper')
    .description('change a resource in your editor (SVC_EDITOR, VISUAL, EDITOR)')
    .action(run<GlobalOptions>(async (words, options) => (await load()).edit(host, words, options)));
  example(program.command('patch <kind> [name]'), `svc patch agent helper -p '{"spec": {"systemPrompt": "Be brief."}}'`)
    .description('apply a merge patch to a resource: maps merge, lists are replaced, null removes')
    .option('-p, --patch <text>', 'the patch as YAML or JSON')
    .option('--patch-file <path>', 'file with the patch, - for standard input')
    .option('--dry-run', 'try and undo')
    .action(run<PatchOptions>(async (words, options) => (await load()).patch(host, words, options)));
  const selecting = (command: Command): Command =>
    command
      .option('--overwrite', 'replace other values of these keys')
      .option('-l, --selector <labels>', 'all with these labels, instead of names')
      .option('--all', 'all of the namespace, instead of names');
  selecting(example(program.command('label <kind> [words...]'), 'svc label agent helper team=red old-'))
    .description('set labels with key=value, remove them with key-')
    .action(run<LabelOptions>(async (words, options) => (await load()).changeLabels(host, words, options)));
  selecting(example(program.command('annotate <kind> [words...]'), 'svc annotate channel room owner=ann'))
    .description('set annotations with key=value, remove them with key-')
    .action(run<LabelOptions>(async (words, options) => (await load()).changeAnnotations(host, words, options)));
};
