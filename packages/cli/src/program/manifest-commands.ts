import type { Command } from 'commander';
import type { ExportOptions } from '../archive/index.ts';
import type { ExplainOptions } from '../explain/index.ts';
import type { Host } from '../host.ts';
import type { ApplyOptions, ManifestOptions, PruneOptions } from '../manifests/index.ts';
import { readingManifests } from './manifest-options.ts';
import { example, run, takingKind } from './run-action.ts';

/** Commands that read manifests. */
export const declareManifestCommands = (program: Command, host: Host): void => {
  const load = () => import('../manifests/index.ts');
  const pruning = (command: Command): Command =>
    command
      .option('--set <name>', 'apply set that the resources belong to')
      .option('--prune-namespaces', 'also delete namespaces')
      .option('--allow-empty', 'an empty input deletes all of the set')
      .option('-y, --yes', 'do not ask before deleting');
  pruning(
    readingManifests(
      example(program.command('apply'), 'svc apply -f team/ --wait', 'svc apply -f team/ --set team --prune'),
    ),
  )
    .description('create or update resources from manifests')
    .option('--manager <name>', 'on whose behalf fields are managed (svc-cli)')
    .option('--force-conflicts', 'take fields over from other managers')
    .option('--dry-run [where]', 'client: only read; server: try and undo')
    .option('--no-atomic', 'one by one instead of all or nothing')
    .option('--keep-going', 'continue after a failure, with --no-atomic')
    .option('--no-create-namespaces', 'missing namespaces are an error')
    .option('--prune', 'delete what the set held before and no longer holds')
    .option('--wait [duration]', 'until everything is ready, at most this long (5m)')
    .action(run<ApplyOptions>(async (_words, options) => (await load()).apply(host, options)));
  readingManifests(example(program.command('diff'), 'svc diff -f team/'))
    .description('what apply would change')
    .action(run<ManifestOptions>(async (_words, options) => (await load()).diff(host, options)));
  readingManifests(example(program.command('render'), 'svc render -f agent.yaml --var name=helper'))
    .description('manifests with their variables, checked, in canonical form')
    .action(run<ManifestOptions>(async (_words, options) => (await load()).render(host, options)));
  takingKind(example(program.command('explain <kind>'), 'svc explain agent', 'svc explain agent.modelPolicy.profiles'))
    .description('what a kind or a field means, with type, rules and default; needs no server')
    .action(
      run<ExplainOptions>(async ([word = ''], options) =>
        (await import('../explain/index.ts')).explainKind(host, word, options),
      ),
    );
  example(program.command('export'), 'svc export -A > everything.yaml', 'svc export -A --data > everything.jsonl')
    .description('everything that people wrote, as manifests or as one archive')
    .option('-A, --all-namespaces', 'of every namespace')
    .option('--data', 'one archive with files, sessions and messages too')
    .option('--uids', 'manifests with their uids, for svc import; an archive always has them')
    .action(
      run<ExportOptions>(async (_words, options) => (await import('../archive/index.ts')).exportAll(host, options)),
    );
  example(program.command('import <file>'), 'svc import everything.yaml')
    .description('import what was exported, one resource at a time')
    .action(
      run<ApplyOptions>(async ([file = ''], options) =>
        (await import('../archive/index.ts')).importFile(host, file, options),
      ),
    );
  pruning(readingManifests(example(program.command('prune'), 'svc prune -f team/ --set team')))
    .description('delete resources of the set that are not in the manifests')
    .action(run<PruneOptions>(async (_words, options) => (await load()).prune(host, options)));
};
