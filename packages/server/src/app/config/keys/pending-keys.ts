/** Keys that no code reads yet, grouped by the part that will; a test finds them. */
export const pendingKeys: Readonly<Record<string, readonly string[]>> = {
  'events between nodes': ['bus.url'],
};
