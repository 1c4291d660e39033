import type { Command, Option } from 'commander';
import { kinds } from '../kinds/index.ts';

/** One completion; `help` is shown by shells that can. */
interface Candidate {
  readonly text: string;
  readonly help: string;
}

/** What the current word may become without asking a server, and which kind's live names would fit. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Plural of a kind, or undefined if no names fit here. */
  readonly liveKind: string | undefined;
  /** Flags already typed, for the address of the server. */
  readonly flags: Readonly<Record<string, string>>;
}

const outputForms = ['table', 'wide', 'yaml', 'json', 'name', 'manifest', 'jsonl', 'jsonpath='];
const fixedValues: Readonly<Record<string, readonly string[]>> = {
  output: outputForms,
  whenBusy: ['queue', 'steer', 'interrupt', 'reject'],
  purpose: ['memory', 'artifact', 'skill'],
  index: ['none', 'search', 'retrieval'],
  retention: ['retained', 'ephemeral'],
  cascade: ['background', 'foreground', 'orphan'],
  for: ['condition=Ready', 'phase=', 'delete'],
  dryRun: ['client', 'server'],
  kind: kinds.map((kind) => kind.plural),
};
/** Plural of the kind whose live names an argument takes, by the name of the argument. */
const liveArguments: Readonly<Record<string, string>> = {
  agent: 'agents',
  session: 'sessions',
  namespace: 'namespaces',
  channel: 'channels',
  schedule: 'schedules',
  secret: 'secrets',
  worker: 'workers',
  file: 'files',
  document: 'knowledges',
};
const liveValues: Readonly<Record<string, string>> = {
  namespace: 'namespaces',
  agent: 'agents',
  session: 'sessions',
  template: 'templates',
};
const kindWords = kinds.map((kind) => ({ text: kind.plural, help: `kind ${kind.name}` }));

/** Follows the words through the command tree. */
export const complete = (program: Command, words: readonly string[]): Completion => {
  const current = words.at(-1) ?? '';
  const walk = follow(program, words.slice(0, -1));
  const { command, pending, flags } = walk;
  const only = (candidates: readonly Candidate[], liveKind?: string): Completion => ({
    candidates: candidates.filter((candidate) => candidate.text.startsWith(current)),
    liveKind,
    flags,
  });
  if (pending !== undefined) {
    const name = pending.attributeName();
    return only(
      (fixedValues[name] ?? []).map((text) => ({ text, help: '' })),
      liveValues[name],
    );
  }
  const [, long, value] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  if (value !== undefined) {
    const words =
      fixedValues[
        optionsOf(command)
          .find((option) => option.long === long)
          ?.attributeName() ?? ''
      ] ?? [];
    return only(words.map((text) => ({ text: `${long}=${text}`, help: '' })));
  }
  if (current.startsWith('-'))
    return only(optionsOf(command).map((option) => ({ text: option.long ?? option.flags, help: option.description })));
  const subcommands = command.commands.map((sub) => ({ text: sub.name(), help: sub.description() }));
  if (subcommands.length > 0) return only(subcommands);
  return argumentCompletion(walk, only);
};

interface Walk {
  readonly command: Command;
  /** Option that the next word is the value of. */
  readonly pending: Option | undefined;
  /** Arguments already typed. */
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

const follow = (program: Command, words: readonly string[]): Walk => {
  let command = program;
  let pending: Option | undefined;
  const args: string[] = [];
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (pending !== undefined) {
      flags[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', ...value] = word.split('=');
      const found = optionsOf(command).find((option) => option.long === name || option.short === name);
      if (value.length > 0 && found !== undefined) flags[found.attributeName()] = value.join('=');
      else pending = found?.required === true ? found : undefined;
    } else {
      const sub = command.commands.find((candidate) => candidate.name() === word || candidate.aliases().includes(word));
      if (sub === undefined) args.push(word);
      else command = sub;
    }
  }
  return { command, pending, args, flags };
};

/** Options of a command and of its parents. */
const optionsOf = (command: Command): readonly Option[] => [
  ...command.options,
  ...(command.parent === null ? [] : optionsOf(command.parent)),
];

const argumentCompletion = (
  walk: Walk,
  only: (candidates: readonly Candidate[], liveKind?: string) => Completion,
): Completion => {
  const { command, args } = walk;
  const argument = command.registeredArguments[Math.min(args.length, command.registeredArguments.length - 1)];
  switch (argument?.name()) {
    case 'kind':
      return only(kindWords);
    case 'shell':
      return only(['bash', 'zsh', 'fish', 'powershell'].map((text) => ({ text, help: '' })));
    case 'decision':
      return only(['allow', 'deny'].map((text) => ({ text, help: '' })));
    case 'name':
    case 'words':
      return only([], kinds.find((kind) => kind.words.includes((args[0] ?? '').toLowerCase()))?.plural);
    default:
      return only([], liveArguments[argument?.name() ?? '']);
  }
};
