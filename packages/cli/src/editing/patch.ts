import { resolve } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { isMap } from '../json-value.ts';
import { addressOf, isAuthorable, kindAndName } from '../kinds/index.ts';

import { updateLive } from './replace-resource.ts';

export interface PatchOptions extends GlobalOptions {
  /** The patch itself, YAML or JSON. */
  readonly patch?: string;
  /** File with the patch, `-` for standard input. */
  readonly patchFile?: string;
  readonly dryRun?: boolean;
}

/** `svc patch KIND NAME`: applies a merge patch (RFC 7396) to the manifest: maps merge by key, lists are replaced, null removes. */
export const patch = async (host: Host, words: readonly string[], options: PatchOptions): Promise<void> => {
  const { kind, name } = kindAndName(words);
  if (!isAuthorable(kind.name)) throw new CommandFailure(`a ${kind.name} is made by the system: it cannot be patched`);
  const wanted = await readPatch(host, options);
  const context = await openContext(host, options);
  const { mergePatch } = await host.loadManifests();
  const done = await updateLive(context, addressOf(context.scope, kind.name, name), {
    change: (manifest) => mergePatch(manifest as never, wanted as never) as JsonObject,
    isNested: !/"[A-Za-z]+Json"\s*:/.test(JSON.stringify(wanted)),
    dryRun: options.dryRun === true,
  });
  const verb = done === 'unchanged' ? 'unchanged' : options.dryRun === true ? 'would be patched' : 'patched';
  host.stdout.write(`${kind.name.toLowerCase()}/${name} ${verb}\n`);
};

const readPatch = async (host: Host, options: PatchOptions): Promise<JsonObject> => {
  const { patch: given, patchFile } = options;
  if ((given === undefined) === (patchFile === undefined))
    throw new CommandFailure('what is to be patched?', {
      hint: `svc patch agent helper -p '{"spec": {"systemPrompt": "Be brief."}}', or a file with --patch-file`,
    });
  const text = given ?? (await readFileText(host, patchFile ?? ''));
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`the patch is not YAML or JSON: ${reason}`, { cause: error });
  }
  if (!isMap(value)) throw new CommandFailure('the patch must be a map such as {"spec": {"title": "x"}}');
  return value;
};

const readFileText = async (host: Host, path: string): Promise<string> => {
  const text = path === '-' ? await host.stdin.readAll() : host.files.readText(resolve(host.cwd, path));
  if (text === undefined) throw new CommandFailure(`there is no file ${path}`);
  return text;
};
