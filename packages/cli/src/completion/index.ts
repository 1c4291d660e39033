/**
 * completion: scripts for four shells and the command they call: `svc __complete -- WORDS`, one candidate a line. Live names of
 * resources are requested from the server for at most 300 ms; without it, everything else still completes.
 */
import type { Command } from 'commander';
import { openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { type Item, kindOf } from '../kinds/index.ts';
import { type Completion, complete } from './candidates.ts';
import { scripts } from './scripts.ts';

/** Longest time a key press may wait for a server. */
const BUDGET_MS = 300;
const NAMES_SHOWN = 200;

/** `svc completion SHELL`. */
export const printScript = (host: Host, shell: string): void => {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new CommandFailure(`there is no completion for ${shell}`, { hint: Object.keys(scripts).join(', ') });
  host.stdout.write(script);
};

/** `svc __complete -- WORDS`; never fails, because a shell has no place to show an error. */
export const printCompletions = async (host: Host, program: Command, words: readonly string[]): Promise<void> => {
  const completion = complete(program, words[0] === '--' ? words.slice(1) : words);
  const current = words.at(-1) ?? '';
  const live = await Promise.race([liveNames(host, completion), budget(host)]);
  const names = live.filter((name) => name.startsWith(current)).map((text) => ({ text, help: '' }));
  for (const { text, help } of [...completion.candidates, ...names])
    host.stdout.write(help === '' ? `${text}\n` : `${text}\t${help}\n`);
};

const budget = async (host: Host): Promise<readonly string[]> => {
  await host.sleep(BUDGET_MS);
  return [];
};

const liveNames = async (host: Host, completion: Completion): Promise<readonly string[]> => {
  if (completion.liveKind === undefined) return [];
  try {
    const kind = kindOf(completion.liveKind);
    const { scope } = await openPlain(host, { ...completion.flags, limit: String(NAMES_SHOWN) });
    const items = await kind.list(scope);
    return items.map((item) => pathOf(item) ?? item.name);
  } catch {
    // No server, no rights, a broken profile: there are no names to offer.
    return [];
  }
};

/** People refer to files and documents by path. */
const pathOf = ({ json }: Item): string | undefined => {
  const { kind, spec } = json;
  if ((kind !== 'File' && kind !== 'Knowledge') || typeof spec !== 'object' || spec === null || !('path' in spec))
    return undefined;
  return typeof spec.path === 'string' ? spec.path : undefined;
};
