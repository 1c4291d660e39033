import type { Command } from 'commander';
import type { Host } from '../host.ts';
import type { BackupOptions, MigrateOptions, RestoreOptions } from '../upkeep/index.ts';
import { example, run } from './run-action.ts';

const load = () => import('../upkeep/index.ts');

/** Which store to use. */
const ofStore = (command: Command): Command =>
  command.option('--config <path>', 'configuration file').option('--data-dir <path>', 'data directory of the store');

const withPassphrase = (command: Command): Command =>
  command.option('--passphrase-file <path>', 'file with the passphrase of the keys (or SVC_PASSPHRASE)');

/** Commands that back up, restore and migrate a store. */
export const declareUpkeepCommands = (program: Command, host: Host): void => {
  withPassphrase(
    ofStore(
      example(
        program.command('backup [file]'),
        'svc backup svc-2026.tar.zst --include-keys --passphrase-file pass.txt',
      ),
    ),
  )
    .description('one archive of everything; through the server if it is running')
    .option('--include-keys', 'the keys too, encrypted by a passphrase')
    .option('--verify', 'only check FILE, every byte of it')
    .action(run<BackupOptions>(async ([file], options) => (await load()).backup(host, file, options)));
  withPassphrase(
    ofStore(
      example(
        program.command('restore <file>'),
        'svc restore svc-2026.tar.zst --data-dir ./svc-data --passphrase-file pass.txt',
      ),
    ),
  )
    .description('restore a backup, into an empty data directory')
    .option('--replace', 'over an existing store, which is kept aside')
    .option('--without-keys', 'leave the keys of the archive out')
    .action(run<RestoreOptions>(async ([file = ''], options) => (await load()).restore(host, file, options)));
  const migrate = program.command('migrate').description('the schema of a store whose server is stopped');
  ofStore(example(migrate.command('status'), 'svc migrate status'))
    .description('which migrations are applied, pending, and can be undone')
    .action(run<MigrateOptions>(async (_args, options) => (await load()).migrate(host, 'status', options)));
  ofStore(example(migrate.command('up'), 'svc migrate up --yes'))
    .description('apply pending migrations; SQLite is copied first')
    .option('--yes', 'also migrations that cannot be undone, without a fresh backup')
    .action(run<MigrateOptions>(async (_args, options) => (await load()).migrate(host, 'up', options)));
  ofStore(example(migrate.command('down'), 'svc migrate down --to 3'))
    .description('undo the newest migration; SQLite is copied first')
    .option('--to <schema>', 'undo all migrations above this one')
    .action(run<MigrateOptions>(async (_args, options) => (await load()).migrate(host, 'down', options)));
};
