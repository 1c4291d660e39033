import { PermissionDecision, type PermissionOption, type PermissionRequest } from '@svc/api/data';
import { type Client, isSvcError, type Session } from '@svc/client';
import { interrupt, type LineTerminal } from '../host.ts';
import { askData } from '../inbox/index.ts';
import { harmless, type Style } from '../terminal/index.ts';

export interface QuestionParts {
  readonly client: Client;
  readonly session: Session;
  readonly terminal: LineTerminal;
  readonly write: (text: string) => void;
  readonly style: Style;
  readonly columns: number;
}

/** Characters of a tool's input that a question shows at most. */
const INPUT_SHOWN = 2_000;

/** Open requests of a turn; empty if they were answered meanwhile, here or elsewhere. */
export const openRequests = async (
  parts: Pick<QuestionParts, 'client' | 'session'>,
  turnId: string,
): Promise<readonly PermissionRequest[]> => {
  const { turn } = await parts.client.sessionControl.getTurn({ ...parts.session.key, turnId });
  return turn?.pendingPermissions ?? [];
};

/** Asks until there is an answer and sends it. False when the person interrupted instead. */
export const askPermission = async (parts: QuestionParts, request: PermissionRequest): Promise<boolean> => {
  if (request.kind === 'input') return askForData(parts, request);
  if (request.kind === 'sign_in') return askForSignIn(parts, request);
  const { write, style, terminal, columns } = parts;
  const input = harmless(request.inputJson).slice(0, INPUT_SHOWN);
  // The line of the tool call above shows the input unless it was too long.
  if (input.length > columns / 2) write(`${style.dim(input)}\n`);
  for (const [index, option] of request.options.entries()) write(`  [${index + 1}] ${harmless(option.name)}\n`);
  while (true) {
    const line = await terminal.ask(`allow? (${keysText(request.options)}) `);
    if (line === interrupt || line === undefined) return false;
    const option = chosen(line.trim().toLowerCase(), request.options);
    if (option !== undefined) {
      await answer(parts, request, option);
      return true;
    }
    write(`please answer ${keysText(request.options)}\n`);
  }
};

/** Waits until the person has signed in, which alone can answer the request, or declines. */
const askForSignIn = async (parts: QuestionParts, request: PermissionRequest): Promise<boolean> => {
  const { write, terminal } = parts;
  write(`sign in at ${harmless(request.url)}\n`);
  const decline = request.options.find((option) => !isAllow(option));
  for (;;) {
    const line = await terminal.ask('signed in? (Enter once you have, n to decline) ');
    if (line === interrupt || line === undefined) return false;
    if (decline !== undefined && ['n', 'no'].includes(line.trim().toLowerCase())) {
      await answer(parts, request, decline);
      return true;
    }
    const open = await openRequests(parts, request.turnId);
    if (open.every(({ id }) => id !== request.id)) return true;
    write('the server has not seen the sign-in yet\n');
  }
};

/** Asks for the data that the agent wants, and sends it. */
const askForData = async (parts: QuestionParts, request: PermissionRequest): Promise<boolean> => {
  const { terminal, write, session } = parts;
  write(`${harmless(request.prompt)}\n`);
  for (;;) {
    const data = await askData(terminal, write, request.schemaJson);
    if (data === undefined) return false;
    try {
      await session.answerPermission(request.id, { allow: true, data: data.value });
      return true;
    } catch (error) {
      if (isSvcError(error) && error.reason === 'PERMISSION_CLOSED') {
        write('this was decided elsewhere meanwhile\n');
        return true;
      }
      if (!isSvcError(error) || error.reason !== 'FIELD_INVALID') throw error;
      write(`${harmless(error.message)}\n`);
    }
  }
};

const keysText = (options: readonly PermissionOption[]): string =>
  ['y', 'n', ...options.map((_, index) => String(index + 1))].join('/');

const isAllow = (option: PermissionOption): boolean => option.decision === PermissionDecision.ALLOW;

/** A number names an option; y and n choose the first one that allows or denies. */
const chosen = (word: string, options: readonly PermissionOption[]): PermissionOption | undefined => {
  if (word === 'y' || word === 'yes') return options.find(isAllow);
  if (word === 'n' || word === 'no') return options.find((option) => !isAllow(option));
  return /^\d+$/.test(word) ? options[Number(word) - 1] : undefined;
};

const answer = async (parts: QuestionParts, request: PermissionRequest, option: PermissionOption): Promise<void> => {
  try {
    await parts.session.answerPermission(request.id, { allow: isAllow(option), optionId: option.id });
  } catch (error) {
    if (!isSvcError(error) || error.reason !== 'PERMISSION_CLOSED') throw error;
    parts.write('this was decided elsewhere meanwhile\n');
  }
};
