interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Where a moment is on the axis, from 0 to 1. */
export type TimeScale = (ms: number) => number;

/** Between two spans at most this part of the time in which something ran is drawn: pauses of days would hide what took seconds. */
const LONGEST_PAUSE = 0.02;

/** One axis over all spans, with long pauses between them drawn short. */
export const timeScale = (spans: readonly Span[]): TimeScale => {
  const busy = merged(spans);
  const busyMs = busy.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const pauseMs = busyMs * LONGEST_PAUSE;
  const stops: { readonly ms: number; readonly at: number }[] = [];
  let at = 0;
  let reachedMs = busy[0]?.startMs ?? 0;
  for (const { startMs, endMs } of busy) {
    at += Math.min(startMs - reachedMs, pauseMs);
    stops.push({ ms: startMs, at });
    at += endMs - startMs;
    stops.push({ ms: endMs, at });
    reachedMs = endMs;
  }
  return (ms) => (at === 0 ? 0 : placeAt(stops, ms) / at);
};

const placeAt = (stops: readonly { readonly ms: number; readonly at: number }[], ms: number): number => {
  const after = stops.findIndex((stop) => stop.ms >= ms);
  const last = stops.at(-1);
  if (after <= 0) return after === 0 ? 0 : (last?.at ?? 0);
  const from = stops[after - 1];
  const to = stops[after];
  if (from === undefined || to === undefined) return 0;
  const share = to.ms === from.ms ? 1 : (ms - from.ms) / (to.ms - from.ms);
  return from.at + share * (to.at - from.at);
};

const merged = (spans: readonly Span[]): readonly Span[] => {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = result.at(-1);
    if (last === undefined || span.startMs > last.endMs) result.push(span);
    else result[result.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, span.endMs) };
  }
  return result;
};
