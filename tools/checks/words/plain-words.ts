/**
 * The words that this project does not use, and what it says instead. A reader who never saw it shall understand every comment,
 * log line, error and page at first reading. Some words of the same kind cannot be judged by a pattern and are left to review:
 * a piece of a body, a pass over keys and what somebody looks for are good English, a "piece" for a batch is not.
 */
import { maskCode } from '../mask-code.ts';
import { isTestCode, type SourceFile } from '../source-files.ts';
import { knownNames, knownTexts } from './known-words.ts';
import type { ProseLine } from './prose.ts';

interface WordRule {
  /** Names the rule in the table of exceptions. */
  readonly word: string;
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly say: string;
}

/** Words of prose. */
const wordRules: readonly WordRule[] = [
  { word: 'nobody', pattern: /\bnobody\b/i, say: 'no one, or name who' },
  { word: 'whoever', pattern: /\bwhoever\b/i, say: 'name the caller, or "any caller"' },
  { word: 'beside', pattern: /\bbeside\b/i, say: 'next to, with, in addition to' },
  { word: 'go on', pattern: /\b(?:go|goes|went|going) on\b/i, say: 'continue, or "still running"' },
  { word: 'stand', pattern: /\bstands?\b(?! (?:for|still|alone|apart|in for)\b|-)/i, say: 'is, are, comes' },
  {
    word: 'told',
    pattern: /\b(?:is|are|was|were|(?:can|could)(?:not| not)? be) told\b/i,
    say: 'learns, is reported, is known',
  },
  {
    word: 'is no',
    pattern: /(?<!\b(?:there|here|where|answer) )\b(?:is|are|was|were) no (?!longer|more|one)[a-z]/i,
    say: 'is not a',
  },
  {
    word: 'none answers',
    pattern: /\bnone answers\b|\bdoes not tell\b|\bno end within\b/i,
    say: 'no server answers, does not report',
  },
  { word: 'pass over', pattern: /\bpassed over\b|\bto pass over\b/i, say: 'skip, or reconcile' },
  {
    word: 'look',
    pattern: /\b(?:a|one|each|every|another) look\b(?!-)|\blooks? whether\b|\blooked at\b/i,
    say: 'check, read',
  },
  { word: 'wish', pattern: /\bwish(?:es|ed)?\b/i, say: 'request' },
  { word: 'surroundings', pattern: /\bsurroundings\b/i, say: 'environment, host, dependencies' },
  { word: 'door', pattern: /\bdoors?\b/i, say: 'operation, API, entry' },
  { word: 'hint', pattern: /\bhints?\b/i, say: 'notification' },
  { word: 'owed', pattern: /\bowed\b/i, say: 'pending, due' },
  { word: 'anew', pattern: /\banew\b/i, say: 'again' },
  { word: 'laid over', pattern: /\b(?:laid|lays|laying) over\b/i, say: 'overrides, is merged into' },
];

/** Fixtures of tests may be worlds. */
const productionRules: readonly WordRule[] = [
  { word: 'world', pattern: /\bworlds?\b/, say: 'state, host, environment' },
];

/** Words that no name in production code has as one of its parts. */
const nameWords: ReadonlySet<string> = new Set([
  'nobody',
  'whoever',
  'beside',
  'wish',
  'wishes',
  'door',
  'doors',
  'surroundings',
  'owed',
  'homeless',
  'bury',
  'entomb',
  'lost-race',
]);

/** Citations of a document that readers do not have. Tables of proofs and titles of tests keep its numbers. */
const chapterRules: readonly WordRule[] = [
  { word: 'chapter', pattern: /\b(?:RT|API|PL|CO|WIRE|AD)-[A-Z]?\d/, say: 'the reason in words' },
  {
    word: 'chapter',
    pattern: /\b[a-z-]+\.md,? (?:chapter )?\d/,
    say: 'the reason in words',
  },
  { word: 'chapter', pattern: /\b(?:architecture|chapter) \d/, say: 'the reason in words' },
];
const invariantRule: WordRule = {
  word: 'chapter',
  pattern: /(?<![\w'"`/.-])[KRX]\d{1,2}\b(?!.*docs\/proofs\/guarantees\.md)/,
  say: 'the reason in words, or point to docs/proofs/guarantees.md',
};
const proofTable = /^docs\/proofs\//;

/** Lines with a word of the lists, one readable text each; those of the table of exceptions are left out. */
export function findWordViolations(lines: readonly ProseLine[]): readonly string[] {
  return lines.flatMap((line) =>
    brokenRules(line)
      .filter(({ word }) => !knownTexts.some((known) => known.word === word && line.path.startsWith(known.path)))
      .map(({ word, say }) => `${line.path}:${line.line} says "${word}" in: ${line.text.trim()} (say: ${say})`),
  );
}

/** Rules that a line breaks, whatever the table of exceptions says. */
export function brokenRules(line: ProseLine): readonly WordRule[] {
  const { path, kind, text } = line;
  const rules = [
    ...wordRules,
    ...(isTestCode(path) ? [] : productionRules),
    ...(proofTable.test(path) ? [] : chapterRules),
    ...(kind === 'comment' ? [invariantRule] : []),
  ];
  return rules.filter(({ pattern }) => pattern.test(text));
}

/** Names in production code of which a part is on the list, one readable text each, but for the table of exceptions. */
export function findNameViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    strangeNames(file)
      .filter((name) => !knownNames.some(({ names }) => names.includes(name)))
      .map((name) => `${file.path} has the name ${name}`),
  );
}

/** Names in a file of production code, and that of the file itself, with a part that is on the list. */
export function strangeNames({ path, text }: SourceFile): readonly string[] {
  if (isTestCode(path)) return [];
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  const names = new Set([file, ...(maskCode(text).code.match(/[A-Za-z_$][\w$]*/g) ?? [])]);
  return [...names].filter((name) => partsOf(name).some((part) => nameWords.has(part)));
}

/** `LostRace` as `lost`, `race` and `lost-race`. */
function partsOf(name: string): readonly string[] {
  const parts = name.split(/[-_$]|(?<=[a-z\d])(?=[A-Z])/).map((part) => part.toLowerCase());
  return [...parts, ...parts.slice(1).map((part, index) => `${parts[index]}-${part}`)];
}
