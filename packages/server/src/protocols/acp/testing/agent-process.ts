import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { AgentPipe } from '../contract.ts';
import { DEMO_AGENT } from '../generated/demo-agent-program.ts';

/** A folder that is the home of agents in a test; removed by `close`. */
export const agentHome = (): { readonly path: string; readonly program: string; readonly close: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'svc-agent-'));
  const program = join(path, 'demo-agent.mjs');
  writeFileSync(program, DEMO_AGENT);
  return { path, program, close: () => rmSync(path, { recursive: true, force: true }) };
};

/** A process without a jail, as a pipe to it. */
export const agentProcess = (
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly pipe: AgentPipe; readonly ended: Promise<void> } => {
  const [command = process.execPath, ...args] = argv;
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined);
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (child.stdin.destroyed) resolve();
      else child.stdin.write(bytes, () => resolve());
    });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { child, pipe: { output: child.stdout, write }, ended };
};
