import type { Lexer } from 'yaml';

/** Tokens of one text: marks, names, values, spaces, line ends. */
const LEXEMES_MAX = 2_000_000;
const COMMENTS_MAX = 50_000;
/** Anchors, aliases and tags together. */
const ANCHORS_MAX = 10_000;
/** Nested brackets and braces; the reader of documents has the exact limit. */
const FLOW_DEPTH_MAX = 200;

/** The lexer reports this before each plain, quoted or block text. */
const TEXT_FOLLOWS = '\u001f';

type Fault = readonly [description: string, reason: string];

/** What is counted in a text, by the first character of a lexeme. */
type Counter = 'comments' | 'anchors' | 'opened' | 'closed';
const COUNTERS: Readonly<Record<string, Counter>> = {
  '#': 'comments',
  '&': 'anchors',
  '*': 'anchors',
  '!': 'anchors',
  '[': 'opened',
  '{': 'opened',
  ']': 'closed',
  '}': 'closed',
};

/** Why a YAML text is not parsed: its tokens are counted first, because parsing takes far longer. */
export const lexemeFault = (lexer: Lexer, text: string): Fault | undefined => {
  const counts = { comments: 0, anchors: 0, opened: 0, closed: 0 };
  let lexemes = 0;
  let isText = false;
  for (const lexeme of lexer.lex(text)) {
    lexemes += 1;
    const counter = isText ? undefined : COUNTERS[lexeme.charAt(0)];
    isText = lexeme === TEXT_FOLLOWS;
    if (counter !== undefined) counts[counter] += 1;
    const fault = lexemes > LEXEMES_MAX ? TOO_MANY : counter === undefined ? undefined : countFault(counts);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const TOO_MANY: Fault = [`more than ${LEXEMES_MAX} names, values and marks`, 'TOO_LARGE'];

const countFault = ({ comments, anchors, opened, closed }: Readonly<Record<Counter, number>>): Fault | undefined => {
  if (comments > COMMENTS_MAX) return [`more than ${COMMENTS_MAX} comments`, 'TOO_LARGE'];
  if (anchors > ANCHORS_MAX) return [`more than ${ANCHORS_MAX} anchors, aliases and tags`, 'ALIAS'];
  return opened - closed > FLOW_DEPTH_MAX ? ['nested deeper than 100', 'SYNTAX'] : undefined;
};
