import { resolve } from 'node:path';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { followRun } from './follow-run.ts';

export interface StartOptions extends GlobalOptions {
  readonly input?: string;
  readonly inputFile?: string;
  readonly follow?: boolean;
}

/** `svc workflow run NAME`: begins a run; with --follow shows what happens in it until it ends. */
export const startRun = async (host: Host, workflow: string, options: StartOptions): Promise<void> => {
  const form = outputForm(options.output);
  const inputJson = await inputOf(host, options);
  const { call, target, note } = await openPlain(host, options);
  const answer = await call('WorkflowService/CreateRun', { ns: target.namespace, workflow, inputJson });
  const id = textOf(mapOf(answer['run'])['id']);
  if (options.follow === true) return followRun(host, { workflow, runId: id }, options);
  if (form.form === 'name') return host.stdout.write(`run/${id}\n`);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  host.stdout.write(`workflow/${workflow} started run ${id}\n`);
  note(`see how it went with: svc workflow get ${workflow} ${id}`);
};

/** The input as JSON text, which the server checks; the file `-` is standard input. */
const inputOf = async (host: Host, { input, inputFile }: StartOptions): Promise<string> => {
  if (input !== undefined && inputFile !== undefined)
    throw new CommandFailure('give --input or --input-file, not both');
  if (inputFile === undefined) return input ?? '';
  const text = inputFile === '-' ? await host.stdin.readAll() : host.files.readText(resolve(host.cwd, inputFile));
  if (text === undefined) throw new CommandFailure(`there is no file ${inputFile}`);
  return text;
};
