/** Paths and `${...}` expressions of workflows: read at write to refuse faults, at a run to find values. */

type PathMember = string | number;

/** `$.input.a[0]` as its members. */
export type Path = readonly PathMember[];

type TextPart = { readonly literal: string } | { readonly path: Path };

export interface ParsedText {
  readonly parts: readonly TextPart[];
  /** Readable, '' when the text is well formed. */
  readonly problem: string;
}

const KEY = /^[A-Za-z_][A-Za-z0-9_-]*/;
const INDEX = /^\[(0|[1-9][0-9]{0,8})\]/;
const QUOTED = /^\[("(?:[^"\\]|\\.)*")\]/;

const matchAt = (form: RegExp, text: string, at: number): RegExpExecArray | null => form.exec(text.slice(at));

const stringOf = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
};

interface Member {
  readonly member: PathMember;
  readonly end: number;
}

const memberAt = (text: string, at: number): Member | undefined => {
  if (text[at] === '.') {
    const key = matchAt(KEY, text, at + 1);
    return key === null ? undefined : { member: key[0], end: at + 1 + key[0].length };
  }
  const index = matchAt(INDEX, text, at);
  if (index !== null) return { member: Number(index[1]), end: at + index[0].length };
  const quoted = matchAt(QUOTED, text, at);
  const key = quoted === null ? undefined : stringOf(quoted[1] ?? '');
  return quoted === null || key === undefined ? undefined : { member: key, end: at + quoted[0].length };
};

/** The path that begins at `at`, and where it ends; undefined when none does. */
const pathAt = (text: string, at: number): { readonly path: Path; readonly end: number } | undefined => {
  if (text[at] !== '$') return undefined;
  const path: PathMember[] = [];
  let end = at + 1;
  for (let next = memberAt(text, end); next !== undefined; next = memberAt(text, end)) {
    path.push(next.member);
    end = next.end;
  }
  return { path, end };
};

/** A whole text as a path; undefined when it is not one. */
export const parsePath = (text: string): Path | undefined => {
  const found = pathAt(text, 0);
  return found === undefined || found.end !== text.length || found.path.length === 0 ? undefined : found.path;
};

/** A text with its expressions; `$${` stands for a literal `${`. */
export const parseExpressionText = (text: string): ParsedText => {
  const parts: TextPart[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      literal += '${';
      at += 3;
    } else if (text.startsWith('${', at)) {
      const found = pathAt(text, at + 2);
      if (found === undefined || text[found.end] !== '}' || found.path.length === 0)
        return { parts, problem: `malformed or unterminated expression at character ${at + 1}` };
      if (literal !== '') parts.push({ literal });
      literal = '';
      parts.push({ path: found.path });
      at = found.end + 1;
    } else {
      literal += text[at];
      at += 1;
    }
  }
  if (literal !== '') parts.push({ literal });
  return { parts, problem: '' };
};

/** The paths of a text without those of a malformed rest. */
export const pathsOf = (text: ParsedText): readonly Path[] =>
  text.parts.flatMap((part) => ('path' in part ? [part.path] : []));

const STEP_MEMBERS: ReadonlySet<PathMember> = new Set(['status', 'output', 'resume', 'suspend', 'error', 'attempt']);
const RUN_MEMBERS: ReadonlySet<PathMember> = new Set(['id', 'workflow', 'namespace', 'status']);

/** What a path names; a problem when it does not begin at `input`, `state`, `steps` or `run`. */
export const rootOf = (path: Path): { readonly step?: string; readonly problem: string } => {
  const [root, second, third] = path;
  if (root === 'input' || root === 'state') return { problem: '' };
  if (root === 'run')
    return {
      problem: second !== undefined && RUN_MEMBERS.has(second) ? '' : 'run has id, workflow, namespace and status',
    };
  if (root !== 'steps') return { problem: 'a path begins with $.input, $.state, $.steps or $.run' };
  if (typeof second !== 'string') return { problem: 'steps needs the id of a step' };
  const isMember = third !== undefined && STEP_MEMBERS.has(third);
  return {
    step: second,
    problem: isMember ? '' : 'a step has status, output, resume, suspend, error and attempt',
  };
};
