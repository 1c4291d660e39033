/** Where the words of plain-words.ts stay for now, and why. An entry that is no longer needed fails the check. */

/** Texts: a file or folder, and the rule that its errors or paragraphs still break. */
export const knownTexts: readonly { readonly path: string; readonly word: string; readonly reason: string }[] = [];

/** Names in code. */
export const knownNames: readonly { readonly names: readonly string[]; readonly reason: string }[] = [];
