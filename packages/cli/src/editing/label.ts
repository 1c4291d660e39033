import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { addressOf, allNames, findSession, type Kind, kindAndNames, type ResourceAddress } from '../kinds/index.ts';
import { updateMetadata } from './replace-resource.ts';

export interface LabelOptions extends GlobalOptions, ScopeOptions {
  readonly overwrite?: boolean;
  readonly all?: boolean;
}

type Part = 'labels' | 'annotations';

/** The new value of each key; undefined removes it. */
type Changes = ReadonlyMap<string, string | undefined>;

/** `svc label KIND NAME... key=value... key-...`, or everything that `-l` or `--all` selects. */
export const changeLabels = (host: Host, words: readonly string[], options: LabelOptions): Promise<void> =>
  changePart(host, { part: 'labels', words }, options);

/** As changeLabels, for annotations. */
export const changeAnnotations = (host: Host, words: readonly string[], options: LabelOptions): Promise<void> =>
  changePart(host, { part: 'annotations', words }, options);

const changePart = async (
  host: Host,
  given: { readonly part: Part; readonly words: readonly string[] },
  options: LabelOptions,
): Promise<void> => {
  const { part } = given;
  const { kind, names, changes } = readWords(given.words, { part, isByList: isByList(options) });
  const context = await openContext(host, options);
  const wanted = isByList(options) ? await allNames(kind, context.scope) : names;
  if (wanted.length === 0) return context.note(`no ${kind.plural} are selected`);
  let done = 0;
  for (const name of wanted) {
    try {
      await changeOne(context, { part, kind, name, changes }, options);
      done += 1;
    } catch (error) {
      if (done === 0 || !(isSvcError(error) || error instanceof CommandFailure)) throw error;
      throw new CommandFailure(`${name}: ${error.message}`, { exitCode: exitCodes.partial, cause: error });
    }
  }
};

const isByList = ({ selector, all }: LabelOptions): boolean => selector !== undefined || all === true;

/** Names come first; the first word with `=`, or with a dash at its end, begins the changes. */
const readWords = (
  words: readonly string[],
  { part, isByList: byList }: { readonly part: Part; readonly isByList: boolean },
): { readonly kind: Kind; readonly names: readonly string[]; readonly changes: Changes } => {
  const { kind, names: rest } = kindAndNames(words);
  const first = rest.findIndex((word, index) => word.includes('=') || (word.endsWith('-') && (byList || index > 0)));
  const names = first < 0 ? rest : rest.slice(0, first);
  const hint = `svc ${part === 'labels' ? 'label' : 'annotate'} ${kind.name.toLowerCase()} NAME team=red old-`;
  if (byList !== (names.length === 0))
    throw new CommandFailure(
      byList ? 'names and a selection do not go together' : `which ${kind.name.toLowerCase()}?`,
      {
        hint,
      },
    );
  if (first < 0) throw new CommandFailure(`which ${part}?`, { hint });
  return { kind, names, changes: new Map(rest.slice(first).map((word) => changeOf(word, hint))) };
};

const changeOf = (word: string, hint: string): [string, string | undefined] => {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  if (at < 0 && word.length > 1 && word.endsWith('-')) return [word.slice(0, -1), undefined];
  throw new CommandFailure(`${word} is neither key=value nor key-`, { hint });
};

const changeOne = async (
  context: CommandContext,
  wanted: { readonly part: Part; readonly kind: Kind; readonly name: string; readonly changes: Changes },
  options: LabelOptions,
): Promise<void> => {
  const { part, kind, name, changes } = wanted;
  const subject = `${kind.name.toLowerCase()}/${name}`;
  const done = await updateMetadata(context, await addressTo(context, kind, name), (metadata) => {
    const present = metadata[part];
    if (options.overwrite !== true) requireNew(subject, { part, present, changes });
    for (const [key, value] of changes)
      if (value === undefined && present[key] === undefined) context.note(`${subject} has no ${key}`);
    return { [part]: changed(present, changes) };
  });
  context.host.stdout.write(`${subject} ${done === 'unchanged' ? 'unchanged' : VERBS[part]}\n`);
};

/** A session is addressed by its agent and id. */
const addressTo = async (context: CommandContext, kind: Kind, name: string): Promise<ResourceAddress> => {
  if (kind.name !== 'Session') return addressOf(context.scope, kind.name, name);
  const key = await findSession(context.scope, name);
  return { ns: key.ns, kind: 'Session', parent: key.agent, name: key.sessionId };
};

const VERBS: Readonly<Record<Part, string>> = { labels: 'labelled', annotations: 'annotated' };

const requireNew = (
  subject: string,
  given: { readonly part: Part; readonly present: Readonly<Record<string, string>>; readonly changes: Changes },
): void => {
  const { part, present, changes } = given;
  const taken = [...changes].filter(
    ([key, value]) => value !== undefined && present[key] !== undefined && present[key] !== value,
  );
  if (taken.length === 0) return;
  const words = taken.map(([key]) => `${key} is ${present[key]}`).join(', ');
  throw new CommandFailure(`${subject} has these ${part} already: ${words}`, { hint: '--overwrite replaces them' });
};

const changed = (present: Readonly<Record<string, string>>, changes: Changes): Record<string, string> => {
  const kept = Object.entries(present).filter(([key]) => !changes.has(key));
  const set = [...changes].flatMap(([key, value]): [string, string][] => (value === undefined ? [] : [[key, value]]));
  return Object.fromEntries([...kept, ...set]);
};
