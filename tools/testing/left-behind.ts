import { readdirSync } from 'node:fs';

/** Names that our tests give to what they make in a temporary folder; other programs clean up after themselves or not. */
const OWN = /^(svc|bench)-/;

/** What tests left of their own in the temporary folder, sorted. */
export const leftBehind = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => OWN.test(name))
    .sort();
