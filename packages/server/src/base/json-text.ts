/** Deepest nesting of JSON that svc accepts when no limit is configured; `limits.jsonDepth` has the same default. */
export const JSON_DEPTH = 100;

/**
 * Deepest nesting that any text is parsed to, with any configuration: the largest value of `limits.jsonDepth`. Code that walks a
 * parsed value calls itself once per level, and several thousand levels would exhaust the stack.
 */
export const JSON_DEPTH_CEILING = 1_000;

/** Offset of the quote that ends the JSON string begun at `start`; the length of the text when it never ends. */
export const jsonStringEnd = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
};

/** True when arrays and objects of a JSON text nest deeper than `limit`; the text need not be valid. */
export const nestsDeeperThan = (text: string, limit: number): boolean => {
  // Each level takes a bracket, so a short text needs no scan.
  if (text.length <= limit) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = jsonStringEnd(text, index);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
};

/** True when a JSON text has more than `limit` lists, objects and values after a comma; the text need not be valid. */
export const hasMoreValuesThan = (text: string, limit: number): boolean => {
  let values = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = jsonStringEnd(text, index);
    else if (code === 0x7b || code === 0x5b || code === 0x2c) {
      values += 1;
      if (values > limit) return true;
    }
  }
  return false;
};

/** As `JSON.parse`, but also throws a SyntaxError for a text that nests deeper than `depth`. */
export const parseJsonText = (text: string, depth = JSON_DEPTH_CEILING): unknown => {
  if (nestsDeeperThan(text, depth)) throw new SyntaxError(`nested deeper than ${depth}`);
  return JSON.parse(text) as unknown;
};
