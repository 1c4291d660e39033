import { Fault } from '../../../base/index.ts';
import {
  PACKAGE_HOSTS,
  type SandboxNetwork,
  type SandboxProvider,
  type SandboxResult,
} from '../../../sandbox/contract.ts';
import type { ResolvedSandbox } from './sandbox-resolution.ts';

/** Output of a failed setup that its condition shows; a condition takes less. */
const OUTPUT_BYTES = 4_096;

/** Setup may always reach the sources of packages. */
const setupNetwork = (network: SandboxNetwork): SandboxNetwork => {
  if (network.mode === 'none') return { mode: 'hosts', hosts: PACKAGE_HOSTS };
  return network.mode === 'hosts' ? { mode: 'hosts', hosts: [...PACKAGE_HOSTS, ...network.hosts] } : network;
};

const lastOutput = ({ stdout, stderr }: SandboxResult): string =>
  Buffer.concat([stdout, stderr]).subarray(-OUTPUT_BYTES).toString('utf8').trim();

/** Installs packages, then runs commands; throws a Fault SANDBOX_SETUP with the output of what failed. */
export const runSetup = async (
  provider: SandboxProvider,
  { plan, setup }: ResolvedSandbox,
  signal: AbortSignal,
): Promise<void> => {
  const packages = setup.packages.length === 0 ? [] : provider.installCommands(setup.packages);
  const commands = setup.commands.map((text) => ['/bin/sh', '-c', text]);
  const network = setupNetwork(plan.network);
  for (const argv of [...packages, ...commands]) {
    const command = { argv, cwd: '', env: {}, timeoutMs: setup.timeoutMs, setup: { network } };
    const result = await provider.exec(plan, command, signal);
    signal.throwIfAborted();
    if (result.exitCode === 0 && result.endedBy === 'exit') continue;
    const ended = result.endedBy === 'exit' ? `code ${result.exitCode}` : result.endedBy;
    throw new Fault('FAILED_PRECONDITION', 'SANDBOX_SETUP', `the setup failed (${ended}): ${lastOutput(result)}`);
  }
};
