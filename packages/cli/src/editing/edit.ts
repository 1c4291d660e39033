import { join } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError, type SvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { isMap } from '../json-value.ts';
import { addressOf, isAuthorable, kindAndName } from '../kinds/index.ts';
import {
  editorText,
  isEmptied,
  refusedText,
  shortValue,
  type TextFinding,
  titleOf,
  valueAt,
  withoutOpening,
} from './editor-text.ts';
import { type LiveResource, readLive } from './live-resource.ts';
import { isEqualJson, mergeDifference, patchedPaths } from './merge-difference.ts';
import { movedFields, replaceLive } from './replace-resource.ts';

/** How often a person may be shown a text again. */
const ROUNDS_MAX = 100;

/** What happened to a text that came back from the editor. */
type Outcome =
  | { readonly is: 'done'; readonly note: string; readonly isWritten: boolean }
  | { readonly is: 'refused'; readonly findings: readonly TextFinding[] }
  | { readonly is: 'conflict'; readonly newer: LiveResource; readonly text: string };

/**
 * `svc edit KIND NAME`: opens the manifest in the person's editor. A refused text opens again with its errors, a conflict
 * with the newer state. Nothing is written if nothing changed. A text that could not be written is kept, and its path printed.
 */
export const edit = async (host: Host, words: readonly string[], options: GlobalOptions): Promise<void> => {
  const { kind, name } = kindAndName(words);
  if (!isAuthorable(kind.name)) throw new CommandFailure(`a ${kind.name} is made by the system: it cannot be edited`);
  const editor = editorOf(host);
  const context = await openContext(host, options);
  const live = await readLive(context, addressOf(context.scope, kind.name, name));
  const directory = host.files.makeTemporaryDirectory();
  const path = join(directory, `${kind.name.toLowerCase()}-${name.replace(/[^A-Za-z0-9._-]/g, '-')}.yaml`);
  try {
    const done = await editUntilDone(context, { live, editor, path });
    host.files.remove(directory);
    if (done.isWritten) host.stdout.write(`${kind.name.toLowerCase()}/${name} ${done.note}\n`);
    else context.note(done.note);
  } catch (error) {
    const text = host.files.readText(path);
    if (text === undefined || text === (await editorText(live))) host.files.remove(directory);
    else context.note(`your text is kept in ${path}`);
    throw error;
  }
};

/** A program named by the environment may be of any sort; the default editor needs a person. */
const editorOf = ({ environment, stdin }: Host): string => {
  const given = [environment['SVC_EDITOR'], environment['VISUAL'], environment['EDITOR']];
  const named = given.find((command) => command !== undefined && command.trim() !== '');
  if (named !== undefined || stdin.isTerminal) return named ?? 'vi';
  throw new CommandFailure('there is no terminal for an editor', {
    hint: '`svc patch` changes without one; SVC_EDITOR names a program that needs none',
  });
};

const editUntilDone = async (
  context: CommandContext,
  given: { readonly live: LiveResource; readonly editor: string; readonly path: string },
): Promise<Outcome & { is: 'done' }> => {
  const { files } = context.host;
  const { editor, path } = given;
  let { live } = given;
  let shown = await editorText(live);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    files.writeText(path, shown, 0o600);
    await runEditor(context.host, editor, path);
    const written = files.readText(path) ?? '';
    const outcome = await attempt(context, live, written);
    if (outcome.is === 'done') return outcome;
    if (outcome.is === 'conflict') {
      live = outcome.newer;
      shown = outcome.text;
      continue;
    }
    if (withoutOpening(written) === withoutOpening(shown) && round > 0) break;
    shown = refusedText(written, live, outcome.findings);
    if (written === shown) break;
    context.note(outcome.findings.map(({ text }) => text).join('\n'));
  }
  throw new CommandFailure('nothing was written: the text was left as it was refused');
};

const runEditor = async (host: Host, editor: string, path: string): Promise<void> => {
  const exit = await host.runEditor(editor, path);
  if (exit === undefined)
    throw new CommandFailure(`the editor ${editor} cannot be started`, {
      hint: 'name one in SVC_EDITOR, VISUAL or EDITOR',
    });
  if (exit !== 0) throw new CommandFailure(`nothing was written: the editor ended with ${exit}`);
};

const attempt = async (context: CommandContext, live: LiveResource, written: string): Promise<Outcome> => {
  if (isEmptied(written)) return { is: 'done', note: 'the file is empty: nothing was written', isWritten: false };
  const { nodeJson, parseManifests } = await context.host.loadManifests();
  const { documents, findings } = parseManifests(withoutOpening(written), { namespace: live.address.ns });
  const [document, second] = documents;
  const resource = document?.resource;
  const moved = resource === undefined ? [] : movedFields(live.address, resource);
  const found = [
    ...findings.map((finding) => ({ line: finding.line, text: lineOf(finding) })),
    ...moved.map((finding) => ({ line: document?.report.positionOf(finding.field).line ?? 0, text: lineOf(finding) })),
    ...(second === undefined ? [] : [{ line: 0, text: `${titleOf(live)} is one document, not ${documents.length}` }]),
  ];
  if (document === undefined || resource === undefined || found.length > 0) return { is: 'refused', findings: found };
  const wanted = nodeJson(document.node);
  if (isMap(wanted) && isEqualJson(wanted, live.manifest))
    return { is: 'done', note: 'nothing was changed', isWritten: false };
  try {
    const done = await replaceLive(context, { address: live.address, resource, version: live.version });
    return done === 'changed'
      ? { is: 'done', note: 'edited', isWritten: true }
      : { is: 'done', note: 'nothing was changed', isWritten: false };
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.reason === 'CONFLICT') return conflict(context, live, isMap(wanted) ? wanted : {});
    return { is: 'refused', findings: serverFindings(error, (field) => document.report.positionOf(field).line) };
  }
};

const lineOf = (finding: { readonly field: string; readonly description: string; readonly reason: string }): string =>
  `${finding.field === '' ? '' : `${finding.field}: `}${finding.description} (${finding.reason})`;

const REFUSALS: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'ALREADY_EXISTS']);

/** The server's findings, at the lines of their fields; errors that another text would not fix are left to the caller. */
const serverFindings = (error: SvcError, lineOfField: (field: string) => number): readonly TextFinding[] => {
  if (!REFUSALS.has(error.code)) throw error;
  if (error.violations.length === 0) return [{ line: 0, text: `${error.message} (${error.reason})` }];
  return error.violations.map((violation) => ({ line: lineOfField(violation.field), text: lineOf(violation) }));
};

/** The person's changes applied to what others wrote meanwhile. */
const conflict = async (context: CommandContext, base: LiveResource, wanted: JsonObject): Promise<Outcome> => {
  const { mergePatch } = await context.host.loadManifests();
  const newer = await readLive(context, base.address);
  const mine = mergeDifference(base.manifest, wanted);
  const theirs = mergeDifference(base.manifest, newer.manifest);
  const merged = mergePatch(newer.manifest as never, mine as never) as JsonObject;
  const own = new Set(patchedPaths(mine));
  const remarks = patchedPaths(theirs).map((path) =>
    own.has(path) && !isEqualJson(valueAt(merged, path) as never, valueAt(newer.manifest, path) as never)
      ? `  ${path}: you both changed it; theirs is ${shortValue(valueAt(newer.manifest, path))}`
      : `  ${path}: changed by others`,
  );
  const text = await editorText({ ...newer, manifest: merged }, [
    'Someone changed it meanwhile. Your changes are on top of the newer state; save and leave to write that.',
    ...remarks,
  ]);
  context.note('someone changed it meanwhile: check the newer state');
  return { is: 'conflict', newer, text };
};
