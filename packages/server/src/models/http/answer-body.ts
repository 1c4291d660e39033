/** How much of an error body is read to classify it. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** A body as JSON; undefined when it is not one. */
export const parseJsonBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
