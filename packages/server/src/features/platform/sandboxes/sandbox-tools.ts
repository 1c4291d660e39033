import { isFault, textOrEmpty } from '../../../base/index.ts';
import type { SandboxCommand, SandboxResult } from '../../../sandbox/contract.ts';
import {
  errorResult,
  type Tool,
  type ToolContext,
  type ToolGrants,
  type ToolResult,
  type ToolSource,
  type ToolTurn,
  textResult,
} from '../../../tools/contract.ts';
import type { OpenSandbox, SandboxHolder } from './sandbox-holder.ts';

export interface SandboxToolsDeps {
  readonly holder: Pick<SandboxHolder, 'use'>;
  /** Whether the policy of that name ('' = `default`) leads to a class for an agent of the namespace. */
  readonly isResolved: (namespace: string, policy: string) => Promise<boolean>;
}

const DEFAULT_MS = 30_000;
const MOST_MS = 300_000;
/** Leasing, setting up and the longest command together. */
const TOOL_MS = 600_000;
const FILE_BYTES = 256 * 1_024;
const ENTRIES_MAX = 500;
const CODE_MAX = 200_000;
const COMMAND_MAX = 100_000;
const INPUTS_BYTES = 65_536;
const PATH_MAX = 1_024;

/** How each language reads a program from its standard input. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  python: ['python3', '-'],
  javascript: ['node', '-'],
  shell: ['/bin/sh', '-s'],
};

/** The feature of type `sandbox` names the policy; '' = `default`. */
const policyOf = (grants: ToolGrants): string => grants.features.find(({ type }) => type === 'sandbox')?.name ?? '';

const timeout = { type: 'integer', minimum: 100, maximum: MOST_MS, description: 'milliseconds, 30000 if absent' };
const pathSchema = {
  type: 'string',
  minLength: 1,
  maxLength: PATH_MAX,
  description: 'absolute, or within the workspace',
};

const timeoutOf = (input: Readonly<Record<string, unknown>>): number => {
  const given = input['timeout_ms'];
  return typeof given === 'number' ? given : DEFAULT_MS;
};

/** Tools that run code and use files in the sandbox of a session. Offered where the policy of the agent leads to a class. */
export const sandboxToolSource = (deps: SandboxToolsDeps): ToolSource => {
  const tools = (grants: ToolGrants): readonly Tool[] => {
    const policy = policyOf(grants);
    return [runCode, execCommand, readFile, listFiles, writeFile].map((make) => make({ ...deps, policy }));
  };
  return {
    name: 'sandboxes',
    toolsets: ['code', 'sandbox'],
    names: ['run_code', 'sandbox_exec', 'sandbox_read_file', 'sandbox_list', 'sandbox_write_file'],
    concerns: ({ capabilities }) => Object.hasOwn(capabilities, 'code') || Object.hasOwn(capabilities, 'sandbox'),
    tools: async ({ grants }: ToolTurn) =>
      (await deps.isResolved(grants.namespace, policyOf(grants))) ? tools(grants) : [],
  };
};

type Made = SandboxToolsDeps & { readonly policy: string };
type Work = (sandbox: OpenSandbox) => Promise<ToolResult>;

const RESET_NOTE = 'The sandbox was lost and replaced: the workspace was reset, files of earlier calls are gone.';

/** Runs a call in its sandbox; what a model can act on becomes a result. */
const inSandbox = async (
  { holder, policy, tool }: Made & { readonly tool: string },
  call: ToolContext,
  work: Work,
): Promise<ToolResult> => {
  const { namespace, agent, turnId, idempotencyKey, signal } = call;
  // Steps of a workflow have no session: their run has the sandbox, so that no other run sees its files.
  const sessionId = call.sessionId === '' ? turnId : call.sessionId;
  const request = { namespace, agent, sessionId, turnId, callKey: idempotencyKey };
  try {
    const { value, isReset } = await holder.use({ request, policy, signal }, (sandbox) => {
      call.progress();
      return work(sandbox);
    });
    if (!isReset) return value;
    return { ...value, content: [{ type: 'text', text: RESET_NOTE }, ...value.content] };
  } catch (error) {
    if (!isFault(error) || signal.aborted) throw error;
    const isBusy = error.reason === 'SANDBOX_QUOTA';
    const isMissing = error.code === 'UNAVAILABLE' || error.code === 'ABORTED';
    const word = REASONS[error.reason];
    const text = word === undefined ? error.message : `${word}: ${error.message}`;
    return errorResult(tool, isBusy || isMissing ? 'unavailable' : 'failed', text, isBusy || isMissing);
  }
};

/** Names that programs know these failures by. */
const REASONS: Readonly<Record<string, string>> = {
  SANDBOX_QUOTA: 'sandbox_quota',
  SANDBOX_FAILED: 'sandbox_failed',
};

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const commandResult = (tool: string, result: SandboxResult): ToolResult => {
  const facts = {
    exit_code: result.exitCode,
    stdout: decode(result.stdout),
    stderr: decode(result.stderr),
    ...(result.isCut ? { output_cut: true } : {}),
  };
  if (result.endedBy === 'exit') return textResult(JSON.stringify(facts), facts);
  const code = result.endedBy === 'timeout' ? 'timeout' : 'failed';
  const why = {
    timeout: 'it took too long',
    stopped: 'it was stopped',
    memory: 'it used up its memory',
    disk: 'it used up its disk',
  };
  const failed = { ok: false, tool, code, error: why[result.endedBy], retryable: false, ...facts };
  return { content: [{ type: 'text', text: JSON.stringify(failed) }], structured: failed, isError: true };
};

const runCode = (made: Made): Tool => ({
  name: 'run_code',
  description:
    'Runs a program in the sandbox of this conversation, in its workspace, and answers its exit code and output. `inputs` are in the environment variable INPUTS as JSON. Files stay for later calls.',
  inputSchema: {
    type: 'object',
    properties: {
      language: { type: 'string', enum: Object.keys(LANGUAGES) },
      code: { type: 'string', minLength: 1, maxLength: CODE_MAX },
      inputs: { description: 'any JSON value for the program' },
      timeout_ms: timeout,
    },
    required: ['language', 'code'],
    additionalProperties: false,
  },
  effect: 'external',
  needsTurn: true,
  timeoutMs: TOOL_MS,
  capability: { name: 'code', action: 'run' },
  run: async (context, input) => {
    const inputs = JSON.stringify(input['inputs'] ?? null);
    if (Buffer.byteLength(inputs) > INPUTS_BYTES)
      return errorResult('run_code', 'invalid_arguments', `inputs: has more than ${INPUTS_BYTES} bytes as JSON`);
    const command: SandboxCommand = {
      argv: LANGUAGES[textOrEmpty(input['language'])] ?? [],
      cwd: '',
      env: { INPUTS: inputs },
      stdin: new TextEncoder().encode(textOrEmpty(input['code'])),
      timeoutMs: timeoutOf(input),
    };
    return inSandbox({ ...made, tool: 'run_code' }, context, async (sandbox) =>
      commandResult('run_code', await sandbox.exec(command)),
    );
  },
});

const execCommand = (made: Made): Tool => ({
  name: 'sandbox_exec',
  description: 'Runs a shell command in the sandbox of this conversation and answers its exit code and output.',
  inputSchema: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, maxLength: COMMAND_MAX },
      cwd: { ...pathSchema, description: 'absolute path of the folder to run in; the workspace if absent' },
      timeout_ms: timeout,
    },
    required: ['command'],
    additionalProperties: false,
  },
  effect: 'external',
  needsTurn: true,
  timeoutMs: TOOL_MS,
  capability: { name: 'sandbox', action: 'exec' },
  run: async (context, input) => {
    const cwd = textOrEmpty(input['cwd']);
    if (cwd !== '' && !cwd.startsWith('/'))
      return errorResult('sandbox_exec', 'invalid_arguments', 'cwd: must be an absolute path');
    const argv = ['/bin/sh', '-c', textOrEmpty(input['command'])];
    const command = { argv, cwd, env: {}, timeoutMs: timeoutOf(input) };
    return inSandbox({ ...made, tool: 'sandbox_exec' }, context, async (sandbox) =>
      commandResult('sandbox_exec', await sandbox.exec(command)),
    );
  },
});

const onePath = { type: 'object', properties: { path: pathSchema }, required: ['path'], additionalProperties: false };

const readFile = (made: Made): Tool => ({
  name: 'sandbox_read_file',
  description: 'Reads a text file of the sandbox, at most 256 KiB.',
  inputSchema: onePath,
  effect: 'read',
  needsTurn: true,
  timeoutMs: TOOL_MS,
  capability: { name: 'sandbox', action: 'read' },
  run: (context, input) =>
    inSandbox({ ...made, tool: 'sandbox_read_file' }, context, async ({ provider, plan, signal }) => {
      const bytes = await provider.readFile(plan, textOrEmpty(input['path']), { signal, limitBytes: FILE_BYTES });
      try {
        return textResult(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      } catch {
        return errorResult(
          'sandbox_read_file',
          'failed',
          `the file is not text: ${bytes.length} bytes that are not UTF-8`,
        );
      }
    }),
});

const listFiles = (made: Made): Tool => ({
  name: 'sandbox_list',
  description: 'Lists the entries of a folder of the sandbox.',
  inputSchema: onePath,
  effect: 'read',
  needsTurn: true,
  timeoutMs: TOOL_MS,
  capability: { name: 'sandbox', action: 'read' },
  run: (context, input) =>
    inSandbox({ ...made, tool: 'sandbox_list' }, context, async ({ provider, plan, signal }) => {
      const path = textOrEmpty(input['path']);
      const entries = await provider.listFiles(plan, path, { signal, limitEntries: ENTRIES_MAX });
      const shown = entries.map(({ name, type, sizeBytes }) => ({ name, type, size_bytes: sizeBytes }));
      return textResult(JSON.stringify(shown), shown);
    }),
});

const writeFile = (made: Made): Tool => ({
  name: 'sandbox_write_file',
  description: 'Makes or replaces a text file of the sandbox, and the folders above it.',
  inputSchema: {
    ...onePath,
    properties: { path: pathSchema, content: { type: 'string', maxLength: FILE_BYTES } },
    required: ['path', 'content'],
  },
  effect: 'write',
  needsTurn: true,
  timeoutMs: TOOL_MS,
  capability: { name: 'sandbox', action: 'write' },
  run: (context, input) =>
    inSandbox({ ...made, tool: 'sandbox_write_file' }, context, async ({ provider, plan, signal }) => {
      const bytes = new TextEncoder().encode(textOrEmpty(input['content']));
      await provider.writeFile(plan, textOrEmpty(input['path']), { signal, bytes });
      return textResult(`${bytes.length} bytes written`, { bytes: bytes.length });
    }),
});
