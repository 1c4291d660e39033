import type { TurnCause } from '../../../runtime/contract.ts';

/** The parts of a W3C `traceparent`; its form was checked when it was stored. */
interface ParsedTraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Parses a `traceparent` header (W3C); undefined when it is malformed. */
export const parseTraceParent = (text: string): ParsedTraceParent | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = text.split('-');
  if (traceId.length !== 32 || spanId.length !== 16) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

/** A turn without a caller's trace uses its own id, a UUID of 16 bytes, as trace id: all its attempts share one trace. */
export const traceIdOfTurn = (turnId: string): string => turnId.replaceAll('-', '');

/** Trace of a turn's spans and log lines: its caller's, else its own. */
export const traceIdOf = (turnId: string, cause: Pick<TurnCause, 'traceParent'>): string =>
  (cause.traceParent === undefined ? undefined : parseTraceParent(cause.traceParent)?.traceId) ?? traceIdOfTurn(turnId);
