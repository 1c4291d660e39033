import { malformed } from '../envelope/index.ts';

const form = /^([0-9]{1,8})([HMSmun])$/;
const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000_001 };
/** The longest delay a timer takes; longer deadlines are as good as none. */
const LONGEST_MS = 0x7fff_ffff;

/** `grpc-timeout` in milliseconds; undefined without one. Throws INVALID_ARGUMENT when malformed. */
export const grpcTimeoutMs = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const match = form.exec(header);
  if (match === null) throw malformed('grpc-timeout is malformed');
  return Math.min(LONGEST_MS, Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0));
};
