/** True for objects and lists. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The text; '' for anything else. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
