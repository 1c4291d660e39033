/** True when `If-None-Match` names the validator (in its quotes), also weakly or among others, or any (RFC 9110). */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  (header ?? '')
    .split(',')
    .map((named) => named.trim().replace(/^W\//, ''))
    .some((named) => named === '*' || named === tag);
