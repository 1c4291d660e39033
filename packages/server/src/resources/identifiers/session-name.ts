/** Names that identify a session uniquely. */
export interface SessionAddress {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}

const FORM = /^@Namespace\/([^/]+)\/Agent\/([^/]+)\/@\/Session\/([^/]+)$/;

/** Canonical session name, segments percent-encoded. */
export const formatSessionName = (address: SessionAddress): string =>
  `@Namespace/${encodeURIComponent(address.namespace)}/Agent/${encodeURIComponent(address.agent)}/@/Session/${encodeURIComponent(address.sessionId)}`;

/** Reads a canonical session name, a raw `:` in the namespace included; undefined when it is malformed. */
export const parseSessionName = (text: string): SessionAddress | undefined => {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  try {
    const [namespace = '', agent = '', sessionId = ''] = match.slice(1).map(decodeURIComponent);
    return { namespace, agent, sessionId };
  } catch {
    return undefined;
  }
};
