import type { JsonObject } from '@bufbuild/protobuf';
import { durationMs, type GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless } from '../terminal/index.ts';

export interface ExecOptions extends GlobalOptions {
  readonly cwd?: string;
  readonly for?: string;
}

/** More than the command may take: the answer is on its way then. */
const ANSWER_MS = 15_000;
const FOR_MS = 30_000;

/**
 * `svc sandbox exec NAME -- COMMAND`: one command, with its output as it was. Output at a terminal loses what would steer it. Fails when
 * the command does.
 */
export const execSandbox = async (host: Host, words: readonly string[], options: ExecOptions): Promise<void> => {
  const form = outputForm(options.output);
  const [name = '', ...argv] = words;
  const timeoutMs = options.for === undefined ? FOR_MS : durationMs('--for', options.for);
  const { call, target, note } = await openPlain(host, options);
  const request = { ns: target.namespace, name, argv, cwd: options.cwd ?? '', timeLimitMs: timeoutMs };
  const ended = await call('SandboxService/ExecSandbox', request, { timeoutMs: timeoutMs + ANSWER_MS });
  if (form.form !== 'table' && form.form !== 'wide') await printValue(host, ended, form);
  else show(host, ended);
  if (ended['outputCut'] === true) note('the output is longer; the rest was dropped');
  const failure = failureOf(ended);
  if (failure !== undefined) throw new CommandFailure(failure, { exitCode: exitCodes.refused });
};

const show = (host: Host, { stdout, stderr }: JsonObject): void => {
  for (const [out, text] of [
    [host.stdout, textOf(stdout)],
    [host.stderr, textOf(stderr)],
  ] as const)
    if (text !== '') out.write(out.isTerminal ? text.split('\n').map(harmless).join('\n') : text);
};

const WHY: Readonly<Record<string, string>> = {
  timeout: 'the command took too long; --for gives it more time',
  stopped: 'the command was stopped',
  memory: 'the command used up the memory of the sandbox',
  disk: 'the command used up the disk of the sandbox',
};

/** Why the command did not succeed; undefined where it did. */
const failureOf = ({ endedBy, exitCode }: JsonObject): string | undefined => {
  const why = WHY[textOf(endedBy)];
  if (why !== undefined) return why;
  const code = Number(exitCode ?? 0);
  return code === 0 ? undefined : `the command ended with exit code ${code}`;
};
