import type { Command } from 'commander';

/** The flags of every command that reads manifests. */
export const readingManifests = (command: Command): Command =>
  command
    .option('-f, --filename <path...>', 'manifests: files, directories, - for standard input')
    .option('--var <pair...>', 'name=value for {{ vars.name }}, read as YAML')
    .option('--var-string <pair...>', 'name=value that stays text')
    .option('--vars-file <path...>', 'values of variables as YAML or JSON');
