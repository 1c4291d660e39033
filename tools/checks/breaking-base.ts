import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What to compare the contract with: a commit, or the reason why there is nothing to compare with. */
type BreakingBase = { readonly commit: string } | { readonly reason: string };

/** Runs git and returns its trimmed output, or undefined when git refuses (or is not there). */
export type Git = (...parameters: string[]) => string | undefined;

/** Git in a directory. */
export function gitIn(directory: string): Git {
  return (...parameters) => {
    try {
      return execFileSync('git', parameters, {
        cwd: directory,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      return undefined;
    }
  };
}

/**
 * On a branch: where it left main. On main: the commit before. Without either (no repository, shallow clone, first
 * commit, no contract there yet) there is only a reason.
 */
export function chooseBase(git: Git): BreakingBase {
  const head = git('rev-parse', 'HEAD');
  if (head === undefined) return { reason: 'no git history here' };
  const fork = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main');
  const commit = fork !== undefined && fork !== head ? fork : git('rev-parse', '--verify', '--quiet', 'HEAD~1');
  if (commit === undefined) return { reason: 'HEAD has no previous commit in this clone' };
  if (git('cat-file', '-e', `${commit}:buf.yaml`) === undefined) {
    return { reason: `commit ${commit.slice(0, 9)} has no contract yet` };
  }
  return { commit };
}

/**
 * Writes the contract as of a commit into an empty directory. buf could read the commit from git by itself, but not the
 * module that lives in node_modules, which no commit contains.
 */
export function extractContract(root: string, commit: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  const archive = execFileSync('git', ['archive', commit, 'buf.yaml', 'proto'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  if (existsSync(join(root, 'node_modules'))) symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
}
