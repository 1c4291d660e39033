import type { SandboxCommand, SandboxPlan, SandboxResult } from '../contract.ts';

const MIB = 1_048_576;

/** A plan with small limits. */
export const testPlan = (id: string, change: Partial<SandboxPlan> = {}): SandboxPlan => ({
  id,
  volume: '',
  image: '',
  mountPath: '/workspace',
  writable: [],
  readonly: [],
  network: { mode: 'none' },
  limits: { cpu: 1, memoryBytes: 1_024 * MIB, pids: 64, diskBytes: 16 * MIB, outputBytes: 4_096 },
  env: {},
  ...change,
});

/** A command with room to end by itself on a busy machine. */
export const testCommand = (argv: readonly string[], change: Partial<SandboxCommand> = {}): SandboxCommand => ({
  argv,
  cwd: '',
  env: {},
  timeoutMs: 50_000,
  ...change,
});

/** Both streams of a result as text. */
export const shown = (result: SandboxResult): { readonly out: string; readonly err: string } => ({
  out: Buffer.from(result.stdout).toString('utf8'),
  err: Buffer.from(result.stderr).toString('utf8'),
});
