import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapsOf, textOf } from '../json-value.ts';
import { findSession, listItems } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { renderTable, styleFor } from '../terminal/index.ts';
import { callLines, comparedText, isShown, requestText } from './prompt-text.ts';
import { nameOfStep, type StepName, stepNamed } from './step-name.ts';

export interface PromptOptions extends GlobalOptions, ScopeOptions {
  readonly diff?: boolean;
  readonly steps?: boolean;
  readonly body?: boolean;
}

/** A turn by the names of its requests. */
interface TurnNames {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
}

/** A call of a turn. */
interface Place extends StepName {
  readonly turn: TurnNames;
}

type Calls = Pick<PlainContext, 'call'>;

/** `svc prompt SESSION [TURN [STEP]]`: what a model was sent; the newest call where no other is named. */
export const prompt = async (host: Host, args: readonly string[], options: PromptOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const turn = await turnOf(context, args);
  if (options.steps === true) return printSteps(context, turn, form);
  const place = { turn, ...(await stepOf(context, turn, args[2])) };
  const request = await readRequest(context, place, options.body === true);
  if (options.body === true) return printBody(host, request);
  if (options.diff === true) return printDiff(context, place, request);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, request, form);
  const style = styleFor(host.stdout, host.environment, options.color);
  host.stdout.write(`${callLines(request, style)}${requestText(request, style)}`);
};

const turnOf = async ({ call, scope }: PlainContext, [name = '', turnId]: readonly string[]): Promise<TurnNames> => {
  const key = await findSession(scope, name);
  if (turnId !== undefined) return { ...key, turnId };
  const [newest] = mapsOf((await call('SessionControlService/ListTurns', { ...key, pageSize: 1 }))['turns']);
  if (newest === undefined) throw new CommandFailure(`session ${key.sessionId} has no turn yet`);
  return { ...key, turnId: textOf(newest['id']) };
};

const listSteps = async ({ call }: Calls, turn: TurnNames): Promise<readonly JsonObject[]> =>
  mapsOf((await call('SessionControlService/ListSteps', { ...turn }))['steps']);

const stepOf = async (context: Calls, turn: TurnNames, text: string | undefined): Promise<StepName> => {
  if (text !== undefined) {
    const named = stepNamed(text);
    if (named !== undefined) return named;
    throw new CommandFailure(`${text} is not the number of a step`, { hint: 'steps count from 1; --steps lists them' });
  }
  const last = (await listSteps(context, turn)).at(-1);
  if (last === undefined) throw new CommandFailure(`turn ${turn.turnId} has called no model yet`);
  return placeOf(last);
};

const placeOf = (step: JsonObject): StepName => ({
  step: Number(textOf(step['step'])),
  compaction: Number(textOf(step['compaction']) || 0),
});

/** All pages of the request as one. */
const readRequest = async ({ call }: Calls, { turn, ...place }: Place, includeBody = false): Promise<JsonObject> => {
  const pieces: JsonObject[] = [];
  let whole: JsonObject | undefined;
  let pageToken = '';
  do {
    const page = await call('SessionControlService/GetStepRequest', { ...turn, ...place, pageToken, includeBody });
    whole ??= page;
    pieces.push(...mapsOf(page['pieces']));
    pageToken = textOf(page['nextPageToken']);
  } while (pageToken !== '');
  const { nextPageToken: _last, ...request } = whole;
  return { ...request, pieces };
};

/** The call before, those of compactions left out: they are sent something else. Of the same turn, or the last one of the turn before. */
const placeBefore = async (context: Calls, { turn, step }: Place): Promise<Place | undefined> => {
  if (step > 1) return { turn, step: step - 1, compaction: 0 };
  const { turnId, ...key } = turn;
  const turns = await listItems({ ...context, limit: Number.POSITIVE_INFINITY }, 'SessionControlService/ListTurns', {
    ...key,
    member: 'turns',
  });
  const earlier = turns.slice(turns.findIndex(({ id }) => id === turnId) + 1);
  for (const { id } of earlier) {
    const before = { ...key, turnId: textOf(id) };
    const last = (await listSteps(context, before)).map(placeOf).findLast((place) => place.compaction === 0);
    if (last !== undefined) return { turn: before, ...last };
  }
  return undefined;
};

const nameOf = ({ turn, ...place }: Place): string => `${turn.turnId} ${nameOfStep(place)}`;

const printDiff = async (context: PlainContext, place: Place, request: JsonObject): Promise<void> => {
  const { host, options, note } = context;
  const former = await placeBefore(context, place);
  if (former === undefined) throw new CommandFailure('there is no model call before this one');
  const before = await readRequest(context, former);
  for (const [each, name] of [
    [before, nameOf(former)],
    [request, nameOf(place)],
  ] as const)
    if (!isShown(each)) throw new CommandFailure(`${name} cannot be compared: ${textOf(each['explanation'])}`);
  const { unifiedDiff, paintDiff } = await import('../manifests/index.ts');
  const texts = { before: comparedText(before), after: comparedText(request) };
  const diff = unifiedDiff(texts, { before: nameOf(former), after: nameOf(place) });
  if (diff === '') return note('both requests are the same');
  host.stdout.write(paintDiff(diff, styleFor(host.stdout, host.environment, options.color)));
};

/** The body byte for byte, and nothing else. */
const printBody = (host: Host, request: JsonObject): void => {
  if (!isShown(request)) throw new CommandFailure(textOf(request['explanation']));
  if (request['bodyOmitted'] === true) throw new CommandFailure('the body is too large for an answer');
  host.stdout.write(textOf(request['body']));
};

const HEADINGS = ['STEP', 'MODEL', 'OUTCOME', 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'MS', 'REQUEST'];

const printSteps = async (
  context: PlainContext,
  turn: TurnNames,
  form: ReturnType<typeof outputForm>,
): Promise<void> => {
  const { host, call, note } = context;
  const answer = await call('SessionControlService/ListSteps', { ...turn });
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  const steps = mapsOf(answer['steps']);
  if (steps.length === 0) return note(`turn ${turn.turnId} has called no model yet`);
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(HEADINGS, steps.map(stepRow), columns));
};

const stepRow = (step: JsonObject): readonly string[] => {
  const usage = (step['usage'] ?? {}) as JsonObject;
  const reason = textOf(step['unavailableReason']);
  return [
    nameOfStep(placeOf(step)),
    `${textOf(step['provider'])}/${textOf(step['model'])}`,
    textOf(step['outcome']),
    textOf(step['toolCalls']) || '0',
    ...['inputTokens', 'cachedInputTokens', 'outputTokens'].map((field) => textOf(usage[field]) || '0'),
    textOf(step['modelMs']) || '0',
    reason === '' ? textOf(step['sentBytes']) : reason,
  ];
};
