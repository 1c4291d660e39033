import type { RemoteState, RemoteTask } from '../../../protocols/a2a/client-contract.ts';
import type { PeerPart } from '../../../protocols/a2a/contract.ts';
import type { ObjectData } from '../../../runtime/contract.ts';

/** What is kept of agents elsewhere, and what their cards, answers and modes mean. Pure. */

/** How an agent elsewhere is reached, and its side of the conversation. */
export interface RemotePlace {
  readonly cardUrl: string;
  /** '' = no credential. */
  readonly secretRef: string;
  /** Media types that the connection takes; empty = text and JSON. */
  readonly outputModes: readonly string[];
  /** How long it may be out of reach, in seconds. */
  readonly timeoutSeconds: number;
  /** '' until it has named its context. */
  readonly contextId: string;
  /** The task that waits for an answer; '' = none. */
  readonly askedTaskId: string;
}

/** Work of an agent elsewhere. */
export interface RemoteWork {
  readonly state: 'open' | 'completed' | 'failed' | 'stopped' | 'expired' | 'asks';
  /** The reply, or how things are. */
  readonly text: string;
  /** '' until the agent has named its task. */
  readonly taskId: string;
}

/** A part of an answer that is kept as an artifact. */
export interface RemoteFile {
  readonly mediaType: string;
  readonly filename: string;
  readonly content: Uint8Array;
}

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';
const DEFAULT_MODES: readonly string[] = [TEXT, JSON_TYPE];

/** Characters of a reply that are kept, and files of one. */
export const REPLY_CHARS = 200_000;
const FILES_MAX = 20;

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** True for a media type that one of the modes names, such as `text/*`. */
const covers = (modes: readonly string[], mediaType: string): boolean =>
  modes.some((mode) => {
    const [type, subtype] = mode.toLowerCase().split(';', 1).join('').trim().split('/');
    const [ownType, ownSubtype] = mediaType.toLowerCase().split('/');
    return (type === '*' || type === ownType) && (subtype === '*' || subtype === ownSubtype);
  });

/**
 * The message in a form that both the connection and the card take; as a text, why there is none. A card or a connection that names
 * no modes takes text and JSON.
 */
export const messageForm = (
  text: string,
  declared: readonly string[],
  ofCard: readonly string[],
): { readonly parts: readonly PeerPart[] } | { readonly problem: string } => {
  const wanted = declared.length === 0 ? DEFAULT_MODES : declared;
  const taken = ofCard.length === 0 ? DEFAULT_MODES : ofCard;
  if (covers(wanted, TEXT) && covers(taken, TEXT)) return { parts: [{ kind: 'text', text }] };
  const modes = `the agent takes ${taken.join(', ')}, the connection gives ${wanted.join(', ')}`;
  if (!(covers(wanted, JSON_TYPE) && covers(taken, JSON_TYPE))) return { problem: modes };
  try {
    return { parts: [{ kind: 'data', value: JSON.parse(text) as unknown }] };
  } catch {
    return { problem: `${modes}: the message must be JSON` };
  }
};

/** Bytes of one file, and of all files of a message, that are sent within it; what is larger is sent as a link. */
const INLINE_BYTES = 1_048_576;
const INLINE_TOTAL_BYTES = 4 * INLINE_BYTES;

/** A file that goes with a message: its bytes are read when it is sent. */
export interface SentFile {
  readonly object: ObjectData;
  readonly as: 'bytes' | 'link';
}

/** How the files of a message are sent; as a text, why one cannot be. `hasLinks`: this server is reached from elsewhere. */
export const filesForm = (
  objects: readonly ObjectData[],
  {
    declared,
    ofCard,
    hasLinks,
  }: { readonly declared: readonly string[]; readonly ofCard: readonly string[]; readonly hasLinks: boolean },
): { readonly files: readonly SentFile[] } | { readonly problem: string } => {
  const taken = ofCard.length === 0 ? DEFAULT_MODES : ofCard;
  const files: SentFile[] = [];
  let inline = 0;
  for (const object of objects) {
    const { filename, mediaType, sizeBytes } = object;
    if (!covers(taken, mediaType))
      return { problem: `${filename} is ${mediaType}, the agent takes ${taken.join(', ')}` };
    if (declared.length > 0 && !covers(declared, mediaType))
      return { problem: `${filename} is ${mediaType}, the connection gives ${declared.join(', ')}` };
    const isSmall = sizeBytes <= INLINE_BYTES && inline + sizeBytes <= INLINE_TOTAL_BYTES;
    if (!isSmall && !hasLinks)
      return {
        problem: `${filename} is too large to be sent within the message, and server.publicUrl names no address for a link`,
      };
    if (isSmall) inline += sizeBytes;
    files.push({ object, as: isSmall ? 'bytes' : 'link' });
  }
  return { files };
};

/** What the work has come to. */
export const workState = (state: RemoteState): RemoteWork['state'] => WORK_STATES[state];

const WORK_STATES: Readonly<Record<RemoteState, RemoteWork['state']>> = {
  working: 'open',
  completed: 'completed',
  failed: 'failed',
  canceled: 'stopped',
  'input-required': 'asks',
  'auth-required': 'asks',
};

const EMPTY_TEXTS: Readonly<Record<RemoteState, string>> = {
  working: 'working',
  completed: '',
  failed: 'it failed',
  canceled: 'it was cancelled by its own server',
  'input-required': 'It asks something, and does not say what.',
  'auth-required': 'It wants someone to sign in, and does not say where.',
};

/** The text of a task that has come to something, and what of it becomes artifacts: parts that the connection does not take. */
export const remoteReply = (
  { state, parts, statusParts }: RemoteTask,
  outputModes: readonly string[],
): { readonly text: string; readonly files: readonly RemoteFile[] } => {
  const modes = outputModes.length === 0 ? DEFAULT_MODES : outputModes;
  const shown = state === 'completed' ? [...parts, ...(parts.length === 0 ? statusParts : [])] : statusParts;
  const texts: string[] = [];
  const files: RemoteFile[] = [];
  for (const part of shown) {
    const found = readPart(part, modes);
    if (typeof found === 'string') texts.push(found);
    else if (files.length < FILES_MAX) files.push(found);
  }
  const text = texts.join('\n') || (files.length === 0 ? EMPTY_TEXTS[state] : '');
  const said = state === 'auth-required' ? `It waits for someone to sign in: ${text}` : text;
  return { text: cut(said).toWellFormed(), files };
};

const readPart = (part: PeerPart, modes: readonly string[]): string | RemoteFile => {
  if (part.kind === 'url') return `File: ${part.url}${part.mediaType === '' ? '' : ` (${part.mediaType})`}`;
  if (part.kind === 'text')
    return covers(modes, TEXT) ? part.text : fileOf(TEXT, 'reply.txt', new TextEncoder().encode(part.text));
  if (part.kind === 'data') {
    const json = JSON.stringify(part.value) ?? 'null';
    return covers(modes, JSON_TYPE) ? json : fileOf(JSON_TYPE, 'reply.json', new TextEncoder().encode(json));
  }
  const isText = part.mediaType.startsWith('text/') || part.mediaType === JSON_TYPE;
  if (isText && covers(modes, part.mediaType)) return new TextDecoder().decode(part.bytes);
  return fileOf(part.mediaType, part.filename, part.bytes);
};

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

const fileOf = (mediaType: string, filename: string, content: Uint8Array): RemoteFile => ({
  mediaType: MEDIA_TYPE.test(mediaType) ? mediaType : 'application/octet-stream',
  filename: filename === '' ? 'file' : filename,
  content,
});

const cut = (text: string): string =>
  text.length <= REPLY_CHARS
    ? text
    : `${text.slice(0, REPLY_CHARS)}\n[the rest of ${text.length} characters was left out]`;

/** How long to wait before the task is asked for again. */
export const nextDelayMs = (before: number): number => Math.min(Math.max(before * 2, MIN_DELAY_MS), MAX_DELAY_MS);
