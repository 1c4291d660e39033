import { create } from '@bufbuild/protobuf';
import {
  type ExecSandboxRequest,
  type ExecSandboxResponse,
  ExecSandboxResponseSchema,
  SandboxService,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { Fault, invalidField } from '../../../base/index.ts';
import type { AppendAudit } from '../../../controllers/contract.ts';
import { admin, type Operation, operation } from '../../../operations/index.ts';
import { formatKey, recordKey, resourceNotFound } from '../../../resources/index.ts';
import type { SandboxCommand } from '../../../sandbox/contract.ts';
import type { Store, StoredResource } from '../../../store/contracts/index.ts';
import { isHeld, leaseOf } from './lease-records.ts';
import type { SandboxBackends } from './sandbox-backends.ts';

export interface ExecSandboxDeps {
  readonly store: Pick<Store, 'write'>;
  readonly audit: AppendAudit;
  readonly backends: Pick<SandboxBackends, 'find' | 'noted'>;
}

const DEFAULT_MS = 30_000;
const MOST_MS = 300_000;
const MS_PER_SECOND = 1_000;
const COMMAND_CHARS = 100_000;
/** Of the command, in the audit log. */
const AUDITED_CHARS = 1_000;
const OUTPUT_BYTES = 256 * 1_024;

const timeoutOf = ({ timeLimitMs }: ExecSandboxRequest): number => (timeLimitMs === 0 ? DEFAULT_MS : timeLimitMs);

/** The operation ExecSandbox: a command in a sandbox, by a person and not by the agent. */
export const execSandboxOperation = (deps: ExecSandboxDeps): Operation =>
  operation(SandboxService.method.execSandbox, {
    access: admin('fields'),
    waits: (request) => Math.ceil(timeoutOf(request) / MS_PER_SECOND),
    handle: (request, call) => execSandbox(deps, request, call),
  });

const execSandbox = async (
  deps: ExecSandboxDeps,
  request: ExecSandboxRequest,
  call: CallContext,
): Promise<ExecSandboxResponse> => {
  const command = commandOf(request);
  const record = await admitted(deps, request, call);
  const { provider, resolved } = await deps.backends.find(record);
  const { plan } = resolved;
  // A sandbox on the disk of another machine is not seen from here.
  if (!(await provider.exists(plan.id)))
    throw notRunning(`nothing of it runs where ${provider.name} of this server looks`);
  const result = await deps.backends.noted(record, command, () => provider.exec(plan, command, call.signal));
  return create(ExecSandboxResponseSchema, {
    exitCode: result.exitCode,
    stdout: decode(result.stdout),
    stderr: decode(result.stderr),
    outputCut: result.isCut,
    endedBy: result.endedBy,
  });
};

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const commandOf = (request: ExecSandboxRequest): SandboxCommand => {
  const { argv, command, cwd } = request;
  if ((argv.length === 0) === (command === '')) throw invalidField('command', 'give either argv or command');
  if (argv[0] === '') throw invalidField('argv', 'names no program');
  if (argv.join(' ').length + command.length > COMMAND_CHARS)
    throw invalidField(command === '' ? 'argv' : 'command', `has more than ${COMMAND_CHARS} characters`);
  if ([...argv, command, cwd].some((text) => text.includes('\0'))) throw invalidField('command', 'has a NUL character');
  if (cwd !== '' && !cwd.startsWith('/')) throw invalidField('cwd', 'must be an absolute path');
  const timeoutMs = timeoutOf(request);
  if (timeoutMs > MOST_MS) throw invalidField('timeLimitMs', `must be at most ${MOST_MS}`);
  const words = command === '' ? argv : ['/bin/sh', '-c', command];
  return { argv: words, cwd, env: {}, timeoutMs, outputBytes: OUTPUT_BYTES };
};

/** The record of the sandbox. What is going to run is in the audit log before it does. */
const admitted = (
  { store, audit }: ExecSandboxDeps,
  { ns, name, argv, command }: ExecSandboxRequest,
  call: CallContext,
): Promise<StoredResource> =>
  store.write(async (tx) => {
    const key = recordKey('Sandbox', ns, name);
    const record = await tx.resources.get(key);
    if (record === undefined) throw resourceNotFound(key);
    const row = await tx.sandboxLeases.get({ id: record.uid });
    const lease = row && leaseOf(row);
    if (lease !== undefined && isHeld(lease, tx.steadyNow()) && !lease.body.isReady)
      throw notRunning('it is still being set up');
    const line = command === '' ? JSON.stringify(argv) : command;
    await audit(tx, call, {
      target: formatKey(key),
      namespace: ns,
      resourceVersion: String(record.version),
      outcome: `exec ${line}`.slice(0, AUDITED_CHARS).toWellFormed(),
    });
    return record;
  });

const notRunning = (why: string): Fault =>
  new Fault('FAILED_PRECONDITION', 'SANDBOX_NOT_RUNNING', `the sandbox cannot run commands: ${why}`);
