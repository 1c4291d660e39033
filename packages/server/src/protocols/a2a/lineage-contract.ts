import { isRecord } from '../../base/index.ts';

/** The turns that led to a message, as servers tell each other in its metadata. Pure. */

/** Name in the metadata of a message under which the turns that led to it are sent, the first cause first. */
export const LINEAGE = 'svc/lineage';

interface LinkedTurn {
  readonly namespace: string;
  readonly agent: string;
  readonly turnId: string;
}

/** Between the address of a server and a namespace of it; no namespace has it in its name. */
const OF_SERVER = '|';

/** Turns as other servers read them. A turn of this server says so; one that came from elsewhere keeps the server that it has. */
export const writtenLineage = (lineage: readonly LinkedTurn[], serverUrl: string): readonly object[] =>
  lineage.map(({ namespace: named, agent, turnId }) => {
    const at = named.lastIndexOf(OF_SERVER);
    const server = at < 0 ? serverUrl : named.slice(0, at);
    return { server, namespace: named.slice(at + 1), agent, turn_id: turnId };
  });

const STRANGE: LinkedTurn = { namespace: '', agent: '', turnId: '' };
const NAME_CHARS = 1_000;

/**
 * The turns that led to a message, as its sender says. Names of a stranger prove nothing, so they count and say no more: a peer cannot keep
 * an agent of this server out of its own chain by naming it. A trusted sender is believed: its turns of this server are such turns, all
 * others belong to the server that they name.
 */
export const readLineage = (
  metadata: Readonly<Record<string, unknown>>,
  { isTrusted, serverUrl }: { readonly isTrusted: boolean; readonly serverUrl: string },
): readonly LinkedTurn[] => {
  const sent = metadata[LINEAGE];
  if (!Array.isArray(sent)) return [];
  return sent.map((turn: unknown) => (isTrusted ? readTurn(turn, serverUrl) : STRANGE));
};

const readTurn = (turn: unknown, serverUrl: string): LinkedTurn => {
  if (!isRecord(turn)) return STRANGE;
  const { server, namespace, agent, turn_id: turnId } = turn;
  const texts = [server, namespace, agent, turnId];
  if (!texts.every((text) => typeof text === 'string' && text.length <= NAME_CHARS)) return STRANGE;
  const isOwn = server === serverUrl;
  return {
    namespace: isOwn ? String(namespace) : `${String(server)}${OF_SERVER}${String(namespace)}`,
    agent: String(agent),
    turnId: String(turnId),
  };
};
