import type { JsonObject } from '@bufbuild/protobuf';
import { mapOf, mapsOf, msOf, textOf } from '../json-value.ts';
import { counted, harmless, localTime, type Style, sizeText } from '../terminal/index.ts';
import { nameOfStep } from './step-name.ts';

const STATE_PREFIX = 'STEP_REQUEST_STATE_';

/** exact, different or unavailable. */
const stateOf = (request: JsonObject): string => textOf(request['state']).replace(STATE_PREFIX, '').toLowerCase();

/** True for a request whose content can be shown. */
export const isShown = (request: JsonObject): boolean => stateOf(request) !== 'unavailable';

const count = (value: JsonObject, field: string): number => Number(textOf(value[field]) || 0);

/** What a piece is, such as `skill research` or `transcript 0193... 000001`. */
const titleOf = (piece: JsonObject): string =>
  ['source', 'name', 'messageId', 'partId']
    .map((field) => harmless(textOf(piece[field])))
    .filter(Boolean)
    .join(' ');

const formNote = (piece: JsonObject): string => {
  const form = textOf(piece['form']);
  if (form === 'result') return piece['isError'] === true ? 'result, error' : 'result';
  return form === 'text' || form === 'tool' ? '' : form;
};

const sizeNote = (piece: JsonObject): string => {
  const cached = count(piece, 'cachedTokens');
  const before = count(piece, 'tokensBeforeCut');
  return [
    counted(count(piece, 'tokens'), 'token'),
    ...(cached === 0 ? [] : [`${cached} cached`]),
    ...(before === 0 ? [] : [`cut from ${before} to save space`]),
  ].join(', ');
};

const fileLine = (piece: JsonObject): string => {
  const url = textOf(piece['url']);
  if (url !== '') return `[${harmless(url)}]\n`;
  const { filename, mediaType, sizeBytes, sha256 } = mapOf(piece['object']);
  if (textOf(piece['form']) !== 'media') return '';
  const facts = [filename, mediaType].map((value) => harmless(textOf(value)));
  return `[${facts.join(', ')}, ${sizeText(Number(textOf(sizeBytes)))}, sha256 ${harmless(textOf(sha256))}]\n`;
};

const withEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const contentOf = (piece: JsonObject): string => `${fileLine(piece)}${withEnd(harmless(textOf(piece['text'])))}`;

const OMISSIONS: Readonly<Record<string, string>> = {
  over_budget: 'dropped, since the window had no room',
  summarised: 'part of the summary',
  not_read: 'with all before it, older than what the window has room for',
};

const omissionLine = (omission: JsonObject): string => {
  const reason = textOf(omission['reason']);
  const tokens = count(omission, 'tokens');
  const size = tokens === 0 ? '' : ` (${counted(tokens, 'token')})`;
  return `not sent: ${harmless(textOf(omission['messageId']))}, ${OMISSIONS[reason] ?? harmless(reason)}${size}\n`;
};

const titleOfStep = (step: JsonObject): string => {
  const name = nameOfStep({ step: count(step, 'step'), compaction: count(step, 'compaction') });
  const kind = textOf(step['kind']);
  return kind === 'compaction' || kind === 'harness' ? `step ${name}, ${kind}` : `step ${name}`;
};

/** Facts of a call and its answer in a few lines. */
export const callLines = (request: JsonObject, style: Style): string => {
  const step = mapOf(request['step']);
  const usage = mapOf(step['usage']);
  const first = textOf(step['firstPieceMs']);
  const model = `${harmless(textOf(step['provider']))}/${harmless(textOf(step['model']))}`;
  const times = `${count(step, 'modelMs')} ms${first === '' ? '' : `, first piece after ${first} ms`}`;
  const state = stateOf(request);
  const verdict =
    state === 'exact'
      ? style.green(`exact, ${sizeText(count(step, 'sentBytes'))}`)
      : style.red(`${state}: ${harmless(textOf(request['explanation']))}`);
  const used = `${count(usage, 'inputTokens')} in (${count(usage, 'cachedInputTokens')} cached), ${count(usage, 'outputTokens')} out`;
  return [
    style.bold(`${titleOfStep(step)}  ${model}  ${harmless(textOf(step['outcome']))}`),
    `sent     ${localTime(msOf(step['startedAt']))}, ${times}`,
    `usage    ${used}`,
    `request  ${verdict}`,
    '',
  ].join('\n');
};

/** The pieces one after the other, each below a line that says what it is. */
export const requestText = (request: JsonObject, style: Style): string => {
  const pieces = mapsOf(request['pieces']).map((piece) => {
    const notes = [textOf(piece['role']), formNote(piece), sizeNote(piece)].filter(Boolean).join(', ');
    return `\n${style.cyan(`== ${titleOf(piece)}`)} ${style.dim(`(${notes})`)}\n${contentOf(piece)}`;
  });
  const omissions = mapsOf(request['omissions']).map(omissionLine);
  return `${omissions.length === 0 ? '' : `${omissions.join('')}`}${pieces.join('')}`;
};

/** As `requestText`, without what differs between any two requests, for a comparison. */
export const comparedText = (request: JsonObject): string =>
  mapsOf(request['pieces'])
    .map(
      (piece) =>
        `== ${titleOf(piece)} (${[textOf(piece['role']), formNote(piece)].filter(Boolean).join(', ')})\n${contentOf(piece)}`,
    )
    .join('\n');
