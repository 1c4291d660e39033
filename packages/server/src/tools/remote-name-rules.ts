import { createHash } from 'node:crypto';

/** A tool of a server as an agent refers to both. */
export interface RemoteName {
  /** The agent's own word for the server. */
  readonly server: string;
  readonly tool: string;
}

const NAME_MAX = 64;
/** What is kept of a name that gets a hash: with `_` and 8 hex digits that makes 64 characters. */
const KEPT = 55;

/** `mcp_<server>_<tool>`: lower case, and everything but letters, digits and `_` as one underscore. */
const plainName = ({ server, tool }: RemoteName): string => `mcp_${wordOf(server)}_${wordOf(tool)}`;

/** What the names of all tools of a server begin with, shortened ones included. */
export const serverPrefix = (server: string): string => `mcp_${wordOf(server)}_`.slice(0, KEPT);

/** The tool that asks a person to sign in to a server: no tool of a server has two underscores after its server's name. */
export const signInName = (server: string): string => `${serverPrefix(server)}_sign_in`.slice(0, NAME_MAX);

const wordOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');

/**
 * Names under which models call the tools, in the order given. A name that is too long, and every one of several that would be the
 * same, ends in a hash of what it stands for, so that it does not depend on the order of servers and lists.
 */
export const modelNames = (tools: readonly RemoteName[]): readonly string[] => {
  const plain = tools.map(plainName);
  const seen = new Map<string, number>();
  for (const name of plain) seen.set(name, (seen.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    const isPlain = name.length <= NAME_MAX && seen.get(name) === 1;
    return isPlain ? name : hashedName(tools[index] as RemoteName);
  });
};

/** Names that one tool can have among others: the plain one where it fits, else and where others have the same the one with a hash. */
export const possibleNames = (remote: RemoteName): readonly string[] => {
  const plain = plainName(remote);
  return [...(plain.length <= NAME_MAX ? [plain] : []), hashedName(remote)];
};

const hashedName = (remote: RemoteName): string => {
  const hash = createHash('sha256').update(`${remote.server}/${remote.tool}`).digest('hex').slice(0, 8);
  return `${plainName(remote).slice(0, KEPT)}_${hash}`;
};
