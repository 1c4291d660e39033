import { resolve } from 'node:path';
import type { CommandContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { sizeText } from '../terminal/index.ts';
import { hashOf, verified } from './content.ts';
import { Progress } from './progress.ts';

/** Content as ReadFile and ReadArtifact answer it. */
export interface Answered {
  readonly content: Uint8Array;
  readonly downloadUrl: string;
}

/** Bytes to fetch, and where to. */
interface Download {
  /** Their name in messages. */
  readonly label: string;
  readonly sizeBytes: number;
  /** '' when the server says none. */
  readonly sha256: string;
  /** File on this machine; '' or `-` means standard output. */
  readonly local: string;
  readonly read: () => Promise<Answered>;
}

const MODE = 0o644;
/** Bytes at the start of a file that tell text from other things. */
const LOOKED_AT = 8_192;

/** Fetches the bytes and checks their hash, unless the local file has them already. A failure leaves no partial file. */
export const download = async (context: CommandContext, wanted: Download): Promise<void> => {
  const { host } = context;
  const { local, label, sizeBytes, sha256 } = wanted;
  if (local === '' || local === '-') return toStandardOutput(context, wanted);
  const path = resolve(host.cwd, local);
  if (host.files.facts(path)?.isDirectory === true)
    throw new CommandFailure(`${local} is a directory`, { hint: 'name the file to write' });
  const present = await host.files.openBlob(path);
  if (present !== undefined && sha256 !== '' && present.size === sizeBytes && (await hashOf(present)) === sha256)
    return context.note(`${local} is up to date`);
  const progress = new Progress(context, `fetching ${label}`, sizeBytes);
  try {
    const pieces = progress.count(await piecesOf(context, await wanted.read()));
    await host.files.writePieces(path, verified(pieces, sha256), MODE);
  } finally {
    progress.end();
  }
  context.note(`${local} written (${sizeText(sizeBytes)})`);
};

const toStandardOutput = async (context: CommandContext, wanted: Download): Promise<void> => {
  const { stdout } = context.host;
  let isFirst = true;
  for await (const piece of verified(await piecesOf(context, await wanted.read()), wanted.sha256)) {
    if (isFirst && stdout.isTerminal && piece.subarray(0, LOOKED_AT).includes(0))
      throw new CommandFailure(`${wanted.label} is not text`, { hint: 'name a file to write it to' });
    isFirst = false;
    await stdout.writeBytes(piece);
  }
};

/** The bytes of an answer, fetched from its link if it has one. Throws CommandFailure. */
export const piecesOf = async ({ host }: CommandContext, answered: Answered): Promise<AsyncIterable<Uint8Array>> => {
  if (answered.downloadUrl === '') return ReadableStream.from([answered.content]);
  const answer = await host.fetch(answered.downloadUrl).catch((error: unknown) => {
    throw new CommandFailure(`the download from ${new URL(answered.downloadUrl).origin} broke off`, {
      exitCode: exitCodes.connection,
      hint: 'try again; server.publicUrl is where downloads come from',
      cause: error,
    });
  });
  if (!answer.ok) throw new CommandFailure(`the download was refused with ${answer.status}`);
  return answer.body ?? ReadableStream.from([]);
};
