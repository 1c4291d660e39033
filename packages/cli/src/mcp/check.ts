import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapsOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { counted, harmless, renderTable, shortLine } from '../terminal/index.ts';

export interface CheckOptions extends GlobalOptions {
  /** Whose sign-in is used. */
  readonly identity?: string;
}

const DESCRIPTION_COLUMNS = 200;

/** `svc mcp check SERVER`: connects to a server as agents do, and shows its tools. Fails where it cannot be used. */
export const checkServer = async (host: Host, server: string, options: CheckOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const { identity = '' } = options;
  const answer = await call('ToolService/CheckMcpServer', { ns: target.namespace, server, identity });
  const tools = mapsOf(answer['tools']);
  if (form.form === 'name') host.stdout.write(tools.map((tool) => `${harmless(textOf(tool['name']))}\n`).join(''));
  else if (form.form !== 'table' && form.form !== 'wide') await printValue(host, answer, form);
  else if (answer['reachable'] === true) show(host, { server, answer, tools });
  if (answer['reachable'] !== true) throw unusable(server, answer);
  const more = Number(answer['toolCount'] ?? 0) - tools.length;
  if (more > 0) note(`${counted(more, 'further tool')} not shown: the list is too large`);
  const missing = Array.isArray(answer['missingTools']) ? answer['missingTools'].map(textOf) : [];
  if (missing.length > 0) note(`the allowlist names tools that the server does not have: ${missing.join(', ')}`);
};

const show = (
  { stdout }: Host,
  {
    server,
    answer,
    tools,
  }: { readonly server: string; readonly answer: JsonObject; readonly tools: readonly JsonObject[] },
): void => {
  const about = `${textOf(answer['serverName'])} ${textOf(answer['serverVersion'])}`.trim();
  const facts = [about, `protocol ${textOf(answer['protocol'])}`, `${textOf(answer['tookMs']) || '0'} ms`];
  stdout.write(`${server} answers: ${harmless(facts.filter((fact) => fact !== '').join(', '))}\n`);
  if (tools.length === 0) return stdout.write('it has no tools\n');
  const rows = tools.map((tool) => [
    harmless(textOf(tool['name'])),
    tool['allowed'] === true ? harmless(textOf(tool['agentName'])) : '(not allowed)',
    hintsOf(tool),
    shortLine(textOf(tool['description']), DESCRIPTION_COLUMNS),
  ]);
  stdout.write(
    renderTable(
      ['TOOL', 'AGENTS CALL IT', 'HINTS', 'DESCRIPTION'],
      rows,
      stdout.isTerminal ? stdout.columns : undefined,
    ),
  );
};

/** What the server says of calls of the tool. */
const hintsOf = (tool: JsonObject): string =>
  [
    tool['readOnly'] === true ? 'reads only' : '',
    tool['destructive'] === true ? 'destructive' : '',
    tool['idempotent'] === true ? 'idempotent' : '',
  ]
    .filter((hint) => hint !== '')
    .join(', ');

const unusable = (server: string, answer: JsonObject): CommandFailure => {
  const reason = textOf(answer['reason']);
  const hint = reason === 'SignInNeeded' ? { hint: `svc mcp login ${server}` } : {};
  return new CommandFailure(
    `MCP server ${server} cannot be used: ${harmless(textOf(answer['message']))} (${reason})`,
    hint,
  );
};
