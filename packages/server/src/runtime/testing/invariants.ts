import type { MessageRow, TurnRow } from '../../store/contracts/index.ts';
import { PART, type Part } from '../contract.ts';
import { partId } from '../record/turn-record.ts';
import type { Machine } from './machine.ts';
import type { Accepted } from './run-record.ts';

type Stored = Omit<MessageRow, 'parts'> & { readonly parts: readonly Part[] };

const ASSISTANT = 2;
const TERMINAL = new Set(['COMPLETED', 'FAILED', 'STOPPED']);

const callId = (part: Part): string => String(part.payload?.['tool_call_id']);

/** History that a provider accepts: every call has one result behind it, every result its call. */
const pairProblems = (message: Stored): string[] => {
  const problems: string[] = [];
  const open = new Set<string>();
  const closed = new Set<string>();
  for (const part of message.parts) {
    const id = callId(part);
    if (part.type === PART.TOOL_CALL && (open.has(id) || closed.has(id))) problems.push(`${id} is there twice`);
    if (part.type === PART.TOOL_CALL) open.add(id);
    if (part.type !== PART.TOOL_RESULT) continue;
    if (!open.delete(id)) problems.push(`result of ${id} without its call, or twice`);
    closed.add(id);
  }
  for (const id of open) problems.push(`${id} has no result`);
  return problems.map((text) => `pairs in ${message.id}: ${text}`);
};

/** Part ids count from 000000; questions have answers; ERROR comes last. */
const orderProblems = (message: Stored): string[] => {
  const problems: string[] = [];
  for (const [index, part] of message.parts.entries())
    if (part.id !== partId(index)) problems.push(`part ${index} of ${message.id} has id ${part.id}`);
  const asked = message.parts.filter((part) => part.type === PART.REQUEST_PERMISSION).length;
  const answered = message.parts.filter((part) => part.type === PART.PERMISSION_RESULT).length;
  if (asked !== answered) problems.push(`${message.id} has ${asked} questions and ${answered} answers`);
  const error = message.parts.findIndex((part) => part.type === PART.ERROR);
  if (error !== -1 && error !== message.parts.length - 1) problems.push(`ERROR is not the last part of ${message.id}`);
  return problems;
};

const isText = (part: Part): boolean => part.type === PART.TEXT || part.type === PART.REASONING;

/** R16 of docs/proofs/guarantees.md: what a client of the session shows equals what is stored. */
const textProblems = (machine: Machine, message: Stored): string[] => {
  if (machine.clients.get(message.sessionId)?.isBlind === true) return [];
  const stored = message.parts.filter(isText).map((part) => `${part.type}:${part.content ?? ''}`);
  const shown = (machine.clients.get(message.sessionId)?.shown(message.id) ?? []).map(
    (part) => `${part.type}:${part.text}`,
  );
  return stored.join('|') === shown.join('|')
    ? []
    : [`R16: ${message.id} stores [${stored.join('|')}] and shows [${shown.join('|')}]`];
};

const turnProblems = async (machine: Machine, turn: TurnRow): Promise<string[]> => {
  const { id } = turn;
  const problems: string[] = [];
  if (!TERMINAL.has(turn.state)) problems.push(`R3: turn ${id} is ${turn.state}`);
  if (turn.worker !== '' || turn.ready) problems.push(`turn ${id} is ended and still claimed or ready`);
  const seen =
    machine.clients
      .get(turn.sessionId)
      ?.terminalEvents(id)
      .filter((event) => event.sequence > 0) ?? [];
  const isBlind = machine.clients.get(turn.sessionId)?.isBlind === true;
  const published = machine.record.terminalEvents(id).length;
  if (published > 1) problems.push(`R3: ${published} terminal events of ${id} were published`);
  if (seen.length !== 1 && !isBlind)
    problems.push(`R3: client saw ${seen.length} terminal events of ${id} (${turn.state})`);
  const ends = await machine.hookEnds(id);
  if (ends !== 1) problems.push(`end hook ran ${ends} times for ${id}`);
  return problems;
};

const messageProblems = (machine: Machine, messages: readonly Stored[], accepted: readonly Accepted[]): string[] => {
  const problems = messages
    .filter((message) => message.role === ASSISTANT)
    .flatMap((message) => [...pairProblems(message), ...orderProblems(message), ...textProblems(machine, message)]);
  for (const one of accepted) {
    const found = messages.filter((message) => message.id === one.messageId);
    if (found.length !== 1) problems.push(`R10: accepted message ${one.messageId} is stored ${found.length} times`);
  }
  const order = messages.map((message) => message.id);
  if ([...order].sort().join() !== order.join()) problems.push(`R7: message ids are out of order: ${order.join(' ')}`);
  return problems;
};

const sessionProblems = async (machine: Machine, sessionId: string): Promise<string[]> => {
  const row = await machine.row(sessionId);
  if (row === undefined) return [];
  const problems: string[] = [];
  if (row.state !== 'IDLE' || row.openTurns !== 0 || row.activeTurnId !== '')
    problems.push(`session ${sessionId} is ${row.state}, ${row.openTurns} open, active '${row.activeTurnId}'`);
  const steers = await machine.store.read((tx) => tx.log.steers(sessionId));
  if (steers.length > 0) problems.push(`session ${sessionId} has ${steers.length} steer entries left`);
  const accepted = machine.record.accepted.filter((one) => one.sessionId === sessionId && one.epoch === row.epoch);
  problems.push(...messageProblems(machine, await machine.messages(sessionId), accepted));
  const turns = await machine.store.read((tx) => tx.log.turns(sessionId, { limit: 500 }));
  for (const turn of turns) problems.push(...(await turnProblems(machine, turn)));
  for (const one of accepted)
    if (!turns.some((turn) => turn.id === one.turnId)) problems.push(`R8: accepted turn ${one.turnId} is gone`);
  return problems;
};

/** K22 of docs/proofs/guarantees.md: what was charged is what the journaled and final USAGE parts say, whatever crashed in between. */
const chargeProblems = async (machine: Machine): Promise<string[]> => {
  if (!machine.isMetered) return [];
  let stored = 0;
  for (const id of machine.sessions)
    for (const { parts } of await machine.messages(id))
      for (const part of parts) if (part.type === PART.USAGE) stored += Number(part.payload?.['total_tokens'] ?? 0);
  const charged = await machine.chargedTokens();
  return charged === stored ? [] : [`K22: ${charged} tokens were charged, ${stored} are stored`];
};

/** Nothing stays reserved for a turn that ended, however it did. */
const holdProblems = async (machine: Machine): Promise<string[]> => {
  const turnIds = new Set(machine.record.accepted.map(({ turnId }) => turnId));
  const problems: string[] = [];
  for (const id of turnIds) if (await machine.holdsMoney(id)) problems.push(`money is still reserved for turn ${id}`);
  return problems;
};

/** Everything that must hold when all turns have ended; empty = nothing is wrong. */
export const findProblems = async (machine: Machine): Promise<string[]> => {
  const problems = [...machine.record.violations, ...machine.errors];
  for (const id of machine.sessions) problems.push(...(await sessionProblems(machine, id)));
  problems.push(...(await chargeProblems(machine)), ...(await holdProblems(machine)));
  if (machine.processes.length > 0)
    problems.push(...(await machine.seen.problems({ ...machine, models: machine.process.models })));
  const open = await machine.questions();
  if (open.length > 0) problems.push(`${open.length} permission requests are still open`);
  const left = machine.processes.filter(({ runtime }) => runtime.worker.running > 0);
  if (left.length > 0) problems.push(`R17: ${left.length} workers still hold turns`);
  return problems;
};
