/** The first message of a connection to PostgreSQL, and others that a server or client of tests writes itself. */

const CANCEL = 80_877_102;
const ASKS_FOR_TLS = 80_877_103;
const VERSION_AT = 4;
const SETTINGS_AT = 8;

/** What a client wants that connects; `settings` are names and values of a session. */
export type Startup =
  | { readonly wants: 'session'; readonly database: string; readonly settings: ReadonlyMap<string, string> }
  | { readonly wants: 'cancel' | 'tls' };

/** Undefined while the message has not come whole. */
export const readStartup = (bytes: Buffer): Startup | undefined => {
  if (bytes.length < SETTINGS_AT || bytes.length < bytes.readInt32BE(0)) return undefined;
  const version = bytes.readInt32BE(VERSION_AT);
  if (version === CANCEL) return { wants: 'cancel' };
  if (version === ASKS_FOR_TLS) return { wants: 'tls' };
  const words = bytes.toString('utf8', SETTINGS_AT, bytes.readInt32BE(0)).split('\0');
  const settings = new Map<string, string>();
  for (let at = 0; at + 1 < words.length && words[at] !== ''; at += 2)
    settings.set(words[at] ?? '', words[at + 1] ?? '');
  return { wants: 'session', database: settings.get('database') ?? settings.get('user') ?? '', settings };
};

/** The same for another database. */
export const startupFor = (database: string, bytes: Buffer, settings: ReadonlyMap<string, string>): Buffer => {
  const words = [...new Map([...settings, ['database', database]])].flat();
  const body = Buffer.from(`${words.join('\0')}\0\0`);
  const head = Buffer.from(bytes.subarray(0, SETTINGS_AT));
  head.writeInt32BE(SETTINGS_AT + body.length, 0);
  return Buffer.concat([head, body]);
};

const simpleQuery = (text: string): Buffer => {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5, 'Q');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};

/** A message for each statement, each of which is answered by itself: some may not run in one transaction with others. */
export const queries = (statements: readonly string[]): readonly Buffer[] => statements.map(simpleQuery);

/** The refusal of a connection, in the words of the server. */
export const noSuchDatabase = (database: string): Buffer => {
  const fields = ['SFATAL', 'VFATAL', 'C3D000', `Mdatabase "${database}" does not exist`];
  const body = Buffer.from(`${fields.join('\0')}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};
