import type { Command } from 'commander';
import type { GlobalOptions } from '../connection.ts';
import type { Host } from '../host.ts';
import type { GraphOptions, ListRunsOptions, StartOptions } from '../workflows/index.ts';
import { example, run } from './run-action.ts';

interface CancelOptions extends GlobalOptions {
  readonly reason?: string;
}

/** `svc workflow`: runs are begun, shown and changed. */
export const declareWorkflows = (workflow: Command, host: Host): void => {
  const load = () => import('../workflows/index.ts');
  example(workflow.command('run <workflow>'), `svc workflow run refund --input '{"order":"A7"}' --follow`)
    .description('begin a run')
    .option('--input <json>', 'its input')
    .option('--input-file <file>', 'its input from a file, - for standard input')
    .option('--follow', 'show what happens in it until it ends')
    .action(run<StartOptions>(async ([name = ''], options) => (await load()).startRun(host, name, options)));
  example(workflow.command('list [workflow]').alias('runs'), 'svc workflow list refund --status SUSPENDED')
    .description('runs of a workflow, or of all of the namespace, newest first')
    .option('--status <status>', 'only those, such as RUNNING, SUSPENDED or FAILED')
    .option('-l, --selector <selector>', 'only those with these labels')
    .option('--limit <count>', 'runs to show, default 100')
    .action(run<ListRunsOptions>(async ([name], options) => (await load()).listRuns(host, name, options)));
  example(workflow.command('get <workflow> <run>').alias('show'), 'svc workflow get refund RUN')
    .description('a run with its steps')
    .action(
      run<GlobalOptions>(async ([name = '', runId = ''], options) =>
        (await load()).showRun(host, { workflow: name, runId }, options),
      ),
    );
  example(workflow.command('resume <workflow> <run> <step> [value]'), 'svc workflow resume refund RUN approve true')
    .description('answer a step that waits, with JSON or a text')
    .action(
      run<GlobalOptions>(async ([name = '', runId = '', stepId = '', value], options) =>
        (await load()).resumeRun(host, { workflow: name, runId, stepId, value }, options),
      ),
    );
  example(workflow.command('cancel <workflow> <run>'), 'svc workflow cancel refund RUN')
    .description('end a run and everything that it began')
    .option('--reason <text>', 'why, as the run shows it')
    .action(
      run<CancelOptions>(async ([name = '', runId = ''], options) =>
        (await load()).cancelRun(host, { workflow: name, runId, reason: options.reason ?? '' }, options),
      ),
    );
  example(workflow.command('events <workflow> <run>').alias('follow'), 'svc workflow events refund RUN')
    .description('what happened in a run, then what happens, until it ends')
    .action(
      run<GlobalOptions>(async ([name = '', runId = ''], options) =>
        (await load()).followRun(host, { workflow: name, runId }, options),
      ),
    );
  example(
    workflow.command('graph <workflow> [run]'),
    'svc workflow graph refund',
    'svc workflow graph refund RUN --mermaid',
  )
    .description('its steps and what they wait for, with their states in a run')
    .option('--mermaid', 'as a Mermaid flowchart')
    .action(
      run<GraphOptions>(async ([name = '', runId], options) =>
        (await load()).showGraph(host, { workflow: name, runId }, options),
      ),
    );
};
