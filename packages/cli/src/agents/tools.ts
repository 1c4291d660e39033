import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapsOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless, renderTable, shortLine, sizeText } from '../terminal/index.ts';

export interface TryOptions extends GlobalOptions {
  /** Seconds until the call is given up. */
  readonly wait?: string;
  /** Allows a call that a person has to allow. */
  readonly yes?: boolean;
}

const DESCRIPTION_COLUMNS = 200;
const WAIT_DEFAULT_SECONDS = 60;
const WAIT_MAX_SECONDS = 600;

/** `svc agent tools AGENT`: the tools that the agent would be offered now, and what it does not have and why. */
export const listTools = async (host: Host, agent: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target } = await openPlain(host, options);
  const answer = await call('ToolService/ListAgentTools', { ns: target.namespace, agent });
  const tools = mapsOf(answer['tools']);
  if (form.form === 'name')
    return host.stdout.write(tools.map((tool) => `${harmless(textOf(tool['name']))}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(['TOOL', 'EFFECT', 'APPROVAL', 'DESCRIPTION'], tools.map(toolRow), columns));
  const missing = mapsOf(answer['missing']);
  if (missing.length === 0) return;
  host.stdout.write(`\n${renderTable(['MISSING', 'REASON', 'WHY'], missing.map(missingRow), columns)}`);
};

const toolRow = (tool: JsonObject): readonly string[] => [
  harmless(textOf(tool['name'])),
  textOf(tool['effect']),
  textOf(tool['approval']),
  shortLine(textOf(tool['description']), DESCRIPTION_COLUMNS),
];

const missingRow = (one: JsonObject): readonly string[] => [
  harmless(`${one['kind'] === 'mcp_server' ? 'MCP server ' : ''}${textOf(one['name'])}`),
  textOf(one['reason']),
  harmless(textOf(one['message'])),
];

/** `svc agent try AGENT TOOL [ARGUMENTS]`: calls one tool as the agent would, and prints what the model would read. */
export const tryTool = async (
  host: Host,
  [agent = '', tool = '', argumentsJson = '{}']: readonly string[],
  options: TryOptions,
): Promise<void> => {
  const form = outputForm(options.output);
  const waitSeconds = secondsOf(options.wait);
  const context = await openPlain(host, options);
  const request = { ns: context.target.namespace, agent, tool, argumentsJson, waitSeconds };
  const answer = await confirmed(context, request, options.yes === true);
  if (form.form !== 'table' && form.form !== 'wide') await printValue(host, answer, form);
  else for (const part of mapsOf(answer['content'])) host.stdout.write(`${shownPart(part)}\n`);
  if (answer['ok'] !== true) throw failed(tool, answer);
  context.note(
    `${tool} took ${textOf(answer['tookMs']) || '0'} ms${answer['truncated'] === true ? '; the result is cut' : ''}`,
  );
};

/** Asks the person where the agent would have to. */
const confirmed = async (
  { call, host }: Pick<PlainContext, 'call' | 'host'>,
  request: JsonObject,
  isAgreed: boolean,
): Promise<JsonObject> => {
  try {
    return await call('ToolService/TryTool', { ...request, confirm: isAgreed });
  } catch (error) {
    if (isAgreed || !isSvcError(error) || error.reason !== 'TOOL_NEEDS_CONFIRMATION') throw error;
    await confirm(host, {
      text: `the agent has to ask before each call of ${textOf(request['tool'])}: allow this one?`,
      isAgreed: false,
      refusal: 'nothing was called',
    });
    return call('ToolService/TryTool', { ...request, confirm: true });
  }
};

const secondsOf = (text: string | undefined): number => {
  const seconds = Number(text ?? WAIT_DEFAULT_SECONDS);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= WAIT_MAX_SECONDS) return seconds;
  throw new CommandFailure(`--wait takes seconds, 1 to ${WAIT_MAX_SECONDS}`);
};

const shownPart = (part: JsonObject): string => {
  const type = textOf(part['mediaType']);
  if (type === '') return harmless(textOf(part['text']));
  const size = sizeText(Number(part['sizeBytes'] ?? 0));
  return harmless(`[file ${textOf(part['filename'])} (${type}, ${size})]`);
};

const failed = (tool: string, answer: JsonObject): CommandFailure => {
  const code = textOf(answer['failureCode']);
  if (code === '') return new CommandFailure(`${tool} reports a failure`);
  const url = textOf(answer['signInUrl']);
  return new CommandFailure(
    `${tool}: ${harmless(textOf(answer['error']))} (${code})`,
    url === '' ? {} : { hint: harmless(url) },
  );
};
