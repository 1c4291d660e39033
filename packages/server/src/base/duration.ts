const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const FORM = /^(\d{1,12})(ms|s|m|h|d)$/;

/** Milliseconds of a text such as `250ms`, `10s`, `5m`, `2h`, `7d`; undefined when it is not one. */
export const parseDurationMs = (text: string): number | undefined => {
  const match = FORM.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ''];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
};
