import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { type Host, interrupt, type LineTerminal } from '../host.ts';
import { mapsOf, msOf, textOf } from '../json-value.ts';
import { harmless, localTime } from '../terminal/index.ts';
import { askData } from './answer-data.ts';
import { openRequests, REQUEST_PREFIX } from './list-inbox.ts';

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

/** Every open request: of the namespace given and below, else of all; of the caller's own where a grant covers no more. */
const allOpen = async (context: PlainContext): Promise<readonly JsonObject[]> => {
  const own = { ns: context.target.namespace, recursive: true };
  if (context.options.namespace !== undefined) return openRequests(context, own, Number.POSITIVE_INFINITY);
  try {
    return await openRequests(context, { ns: '-', recursive: false }, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (!isSvcError(error) || error.code !== 'PERMISSION_DENIED') throw error;
    return openRequests(context, own, Number.POSITIVE_INFINITY);
  }
};

/** The open request with this id, or the only one whose id begins with it. */
const findRequest = async (context: PlainContext, name: string): Promise<JsonObject> => {
  const id = name.startsWith(REQUEST_PREFIX) ? name.slice(REQUEST_PREFIX.length) : name;
  // An empty variable of a script must not answer the only request that is open.
  if (id === '') throw new CommandFailure('the id of the request is empty', { hint: 'svc inbox lists what is open' });
  const found = (await allOpen(context)).filter((request) => textOf(request['id']).startsWith(id));
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
  const context = await openPlain(host, options);
  const request = await findRequest(context, id);
  const decision = decisionOf(request, options) ?? (await askDecision(host, request, options));
  const { comment = '' } = options;
  await context.call('SessionControlService/AnswerPermission', { ...placeOf(request), ...decision, comment });
  host.stdout.write(
    `${REQUEST_PREFIX}${textOf(request['id'])} ${decision.decision === ALLOW ? 'answered' : 'declined'}\n`,
  );
};

/** `svc inbox link REQUEST`: prints an address at which it can be answered without signing in. */
export const linkRequest = async (host: Host, id: string, options: GlobalOptions): Promise<void> => {
  const context = await openPlain(host, options);
  const { call, note } = context;
  const request = await findRequest(context, id);
  const { url, expiresAt } = await call('SessionControlService/CreateAnswerLink', placeOf(request));
  host.stdout.write(`${textOf(url)}\n`);
  note(`anyone who has it may answer until ${localTime(msOf(expiresAt))}; it is not shown again`);
};

/** What the options say; undefined where they leave it to the person at the terminal. */
const decisionOf = (request: JsonObject, options: AnswerOptions): Decision | undefined => {
  const { allow, deny, option = '', data } = options;
  if (allow === undefined && deny === undefined && option === '' && data === undefined) return undefined;
  if (allow === true && deny === true) throw new CommandFailure('--allow and --deny contradict each other');
  const chosen = mapsOf(request['options']).find((one) => textOf(one['id']) === option);
  if (option !== '' && chosen === undefined)
    throw new CommandFailure(`the request has no option ${option}`, { hint: optionsText(request) });
  const decision = chosen === undefined ? (deny === true ? DENY : ALLOW) : textOf(chosen['decision']);
  if ((allow === true && decision === DENY) || (deny === true && decision === ALLOW))
    throw new CommandFailure(`--${allow === true ? 'allow' : 'deny'} and --option ${option} contradict each other`);
  if (asksForData(request) && decision === ALLOW && data === undefined) return undefined;
  return { decision, optionId: option, answerJson: data === undefined ? '' : jsonText(data) };
};

const asksForData = (request: JsonObject): boolean => textOf(request['kind']) === 'input';

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
const askDecision = async (host: Host, request: JsonObject, { allow, option }: AnswerOptions): Promise<Decision> => {
  const isDecided = allow !== undefined || option !== undefined;
  if (!host.stdin.isTerminal)
    throw new CommandFailure('there is no terminal to ask on', {
      hint: isDecided ? '--data, which the request asks for' : '--allow, --deny, --option or --data',
    });
  const terminal = await host.openTerminal();
  const write = (text: string): void => host.stdout.write(text);
  try {
    write(`${harmless(textOf(request['prompt']))}\n`);
    const decision = await (asksForData(request) ? askInput : askOption)(terminal, write, request);
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
  if (textOf(request['kind']) === 'permission') write(`${harmless(textOf(request['inputJson']))}\n`);
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
