/** A REST path such as `/v1/shelves/{shelf}/books/{book_id}:return`, taken apart. */
export interface PathTemplate {
  /** Literal text, or undefined for a variable. */
  readonly segments: readonly (string | undefined)[];
  /** Names of the variables in order. */
  readonly variables: readonly string[];
  /** Text after the `:` of the last segment, '' when there is none. */
  readonly verb: string;
  /** Name of a last `{x=**}`, which takes the rest of the path. */
  readonly rest: string | undefined;
}

const variable = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const restVariable = /^\{([A-Za-z_][A-Za-z0-9_]*)=\*\*\}$/;

/** Throws on a template that no path could match, because it is part of the program, not input. */
export const parseTemplate = (text: string): PathTemplate => {
  if (!text.startsWith('/')) throw new Error(`${text}: a path template starts with /`);
  const parts = text === '/' ? [] : text.slice(1).split('/');
  const last = parts.at(-1) ?? '';
  const rest = restVariable.exec(last)?.[1];
  const colon = last.lastIndexOf(':');
  const verb = colon > 0 ? last.slice(colon + 1) : '';
  if (verb !== '') parts[parts.length - 1] = last.slice(0, colon);
  if (rest !== undefined) parts.pop();
  const variables: string[] = [];
  const segments = parts.map((part) => {
    const name = variable.exec(part)?.[1];
    if (name === undefined) {
      if (part === '' || /[{}:]/.test(part)) throw new Error(`${text}: bad segment ${part}`);
      return part;
    }
    variables.push(name);
    return undefined;
  });
  if (rest !== undefined) variables.push(rest);
  return { segments, variables, verb, rest };
};
