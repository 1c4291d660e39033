import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { type Host, interrupt, type LineTerminal } from '../host.ts';
import { mapsOf, msOf, textOf } from '../json-value.ts';
import { harmless, localTime } from '../terminal/index.ts';
import { askData } from './answer-data.ts';
import { openRequests } from './list-inbox.ts';

export interface AnswerOptions extends GlobalOptions {
  readonly allow?: boolean;
  readonly deny?: boolean;
  readonly option?: string;
  readonly data?: string;
  readonly comment?: string;
}

const ALLOW = 'PERMISSION_DECISION_ALLOW';
const DENY = 'PERMISSION_DECISION_DENY';

interface Decision {
  readonly decision: string;
  readonly optionId: string;
  readonly answerJson: string;
}

/** The open request with this id, looked for in the namespace given, else in all that the caller may read. */
const findRequest = async (host: Host, id: string, options: GlobalOptions): Promise<JsonObject> => {
  const requests = await openRequests(host, {
    ...options,
    recursive: true,
    allNamespaces: options.namespace === undefined,
  });
  const found = requests.filter((request) => textOf(request['id']).startsWith(id));
  const [request] = found;
  if (request !== undefined && found.length === 1) return request;
  throw new CommandFailure(
    found.length === 0 ? `no open request ${id}` : `${id} fits ${found.length} requests; write more of it`,
    { exitCode: exitCodes.notFound, hint: 'svc inbox lists what is open; -n names another namespace' },
  );
};

const placeOf = (request: JsonObject) => ({
  ns: textOf(request['ns']),
  agent: textOf(request['agent']),
  sessionId: textOf(request['sessionId']),
  requestId: textOf(request['id']),
});

/** `svc inbox answer REQUEST`: by the options given, else asked for on the terminal. */
export const answerRequest = async (host: Host, id: string, options: AnswerOptions): Promise<void> => {
  const request = await findRequest(host, id, options);
  const { call } = await openPlain(host, options);
  const decision = decisionOf(request, options) ?? (await askDecision(host, request));
  const { comment = '' } = options;
  await call('SessionControlService/AnswerPermission', { ...placeOf(request), ...decision, comment });
  host.stdout.write(`request/${textOf(request['id'])} ${decision.decision === ALLOW ? 'answered' : 'declined'}\n`);
};

/** `svc inbox link REQUEST`: prints an address at which it can be answered without signing in. */
export const linkRequest = async (host: Host, id: string, options: GlobalOptions): Promise<void> => {
  const request = await findRequest(host, id, options);
  const { call, note } = await openPlain(host, options);
  const { url, expiresAt } = await call('SessionControlService/CreateAnswerLink', placeOf(request));
  host.stdout.write(`${textOf(url)}\n`);
  note(`anyone who has it may answer until ${localTime(msOf(expiresAt))}; it is not shown again`);
};

/** What the options say; undefined where they leave it to the person at the terminal. */
const decisionOf = (request: JsonObject, options: AnswerOptions): Decision | undefined => {
  const { allow, deny, option = '', data } = options;
  const given = [allow, deny, option === '' ? undefined : true, data === undefined ? undefined : true];
  if (given.every((one) => one === undefined)) return undefined;
  if (allow === true && deny === true) throw new CommandFailure('--allow and --deny contradict each other');
  const chosen = mapsOf(request['options']).find((one) => textOf(one['id']) === option);
  if (option !== '' && chosen === undefined)
    throw new CommandFailure(`the request has no option ${option}`, { hint: optionsText(request) });
  const decision = chosen === undefined ? (deny === true ? DENY : ALLOW) : textOf(chosen['decision']);
  return { decision, optionId: option, answerJson: data === undefined ? '' : jsonText(data) };
};

const optionsText = (request: JsonObject): string =>
  mapsOf(request['options'])
    .map((one) => textOf(one['id']))
    .join(', ');

const jsonText = (data: string): string => {
  try {
    return JSON.stringify(JSON.parse(data));
  } catch {
    throw new CommandFailure('--data is not JSON', { hint: `text needs quotes: --data '"Rome"'` });
  }
};

/** Asks the person at the terminal, as the kind of the request wants it. */
const askDecision = async (host: Host, request: JsonObject): Promise<Decision> => {
  if (!host.stdin.isTerminal)
    throw new CommandFailure('there is no terminal to ask on', { hint: '--allow, --deny, --option or --data' });
  const terminal = await host.openTerminal();
  const write = (text: string): void => host.stdout.write(text);
  try {
    write(`${harmless(textOf(request['prompt']))}\n`);
    const decision = await (textOf(request['kind']) === 'input' ? askInput : askOption)(terminal, write, request);
    if (decision === undefined) throw new CommandFailure('nothing was answered', { exitCode: exitCodes.interrupted });
    return decision;
  } finally {
    terminal.close();
  }
};

type Ask = (
  terminal: LineTerminal,
  write: (text: string) => void,
  request: JsonObject,
) => Promise<Decision | undefined>;

const askInput: Ask = async (terminal, write, request) => {
  const data = await askData(terminal, write, textOf(request['schemaJson']));
  return data === undefined ? undefined : { decision: ALLOW, optionId: '', answerJson: JSON.stringify(data.value) };
};

const askOption: Ask = async (terminal, write, request) => {
  const url = textOf(request['url']);
  if (url !== '') write(`sign in at ${harmless(url)}\n`);
  // A sign-in is completed where its address leads; here it can only be declined.
  const options = mapsOf(request['options']).filter((one) => url === '' || textOf(one['decision']) === DENY);
  for (const [index, one] of options.entries()) write(`  [${index + 1}] ${harmless(textOf(one['name']))}\n`);
  for (;;) {
    const line = await terminal.ask('which? ');
    if (line === interrupt || line === undefined) return undefined;
    const chosen = options[Number(line.trim()) - 1];
    if (chosen !== undefined)
      return { decision: textOf(chosen['decision']), optionId: textOf(chosen['id']), answerJson: '' };
    write(`please answer a number from 1 to ${options.length}\n`);
  }
};
