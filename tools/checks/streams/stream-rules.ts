import { isTestCode, type SourceFile } from '../source-files.ts';

const serverRoot = 'packages/server/src/';
const sharedFolder = `${serverRoot}streams/`;

/** What `streams/` writes once, and how a second version of it would look. */
const rules: readonly {
  readonly pattern: RegExp;
  /** What makes it no second version. */
  readonly unless?: RegExp;
  readonly advice: string;
  /** Files that may have it. */
  readonly elsewhere?: RegExp;
}[] = [
  {
    pattern: /\bclass \w*Hub\b(?! extends Hub<)/,
    advice: 'a hub extends Hub of streams/, which fans events out',
  },
  {
    pattern: /\bclass \w*(?:EventBuffer|WaitingEvents|Backlog|RingBuffer)\b/,
    advice: 'what waits for a slow client is kept by Reader of streams/, what a client may resume by RecentFeed',
  },
  {
    pattern: /\binterface \w*(?:Sink|Outlet)\b/,
    advice: 'events leave through Sink of streams/',
    // What transport hands to operations: a Sink by its shape, for transport knows no streams.
    elsewhere: /^packages\/server\/src\/(?:operations\/\w+)\.ts$/,
  },
  {
    pattern: /\bclass \w*Cursors?\w*\b/,
    unless: /\bfrom '[^']*\/streams\/index\.ts'/,
    advice: 'the text of a cursor is made and read by Cursors or CursorLine of streams/',
    // Cursors over bytes are places in a message that is being read.
    elsewhere: /^packages\/server\/src\/transport\/codec\//,
  },
  {
    pattern: /\.toString\(36\)/,
    advice: 'places become text in CursorLine of streams/',
    elsewhere: /^packages\/server\/src\/store\/rows\/token-source\.ts$/,
  },
];

/** Production code outside `streams/` that does itself what `streams/` does for every stream: "file: advice". */
export function findStreamViolations(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith(serverRoot) && !path.startsWith(sharedFolder) && !isTestCode(path))
    .flatMap(({ path, text }) =>
      rules
        .filter(({ elsewhere, unless }) => elsewhere?.test(path) !== true && unless?.test(text) !== true)
        .filter(({ pattern }) => pattern.test(text))
        .map(({ advice }) => `${path}: ${advice}`),
    );
}

/** Every class of production code that declares a stream, by the file it is in. */
export function declaredFeeds(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith(serverRoot) && !isTestCode(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bclass (\w+)(?:<[^{]*>)? implements Feed</g)].map(([, name = '']) => `${path} ${name}`),
    );
}
