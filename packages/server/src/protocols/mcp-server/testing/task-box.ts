import type { McpOfferedCall, McpTask, McpTaskQuestion, McpTaskReply, McpTool, McpToolResult } from '../contract.ts';

interface Work {
  readonly id: string;
  readonly createdAtMs: number;
  /** When it ends by itself. */
  readonly endsAtMs: number;
  readonly result: McpToolResult;
  open: McpTaskQuestion[];
  isCancelled: boolean;
}

const FORM = { type: 'object', properties: { confirm: { type: 'boolean' } } };
const NAMES = ['slow_compute', 'failing_job', 'confirm_delete', 'multi_input'];
const QUESTIONS: Readonly<Record<string, readonly string[]>> = { confirm_delete: ['a'], multi_input: ['a', 'b'] };
const FAILING_MS = 1_000;

/** The tools with tasks that the conformance suite asks for, kept in memory. */
export class TaskBox {
  readonly #works = new Map<string, Work>();

  readonly tools: readonly McpTool[] = ['greet', ...NAMES].map((name) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object' },
    isReadOnly: true,
    mayBeTask: name !== 'greet',
  }));

  has(name: string): boolean {
    return name === 'greet' || NAMES.includes(name);
  }

  /** A task where the client takes one, else the result at once. */
  call({ name, input, asTask }: McpOfferedCall): McpToolResult | { readonly task: McpTask } {
    const isError = name === 'failing_job';
    if (name === 'greet' || asTask === 'never') return { text: `Hello, ${String(input['name'])}!`, isError };
    const now = Date.now();
    const lastsMs = isError ? FAILING_MS : Number(input['seconds'] ?? 0) * 1_000;
    const work: Work = {
      id: `task-${this.#works.size}`,
      createdAtMs: now,
      endsAtMs: now + lastsMs,
      result: { text: 'done', isError },
      open: (QUESTIONS[name] ?? []).map((id) => ({ id, message: `Question ${id}?`, schema: FORM })),
      isCancelled: false,
    };
    this.#works.set(work.id, work);
    return { task: shown(work) };
  }

  task(id: string): McpTask | undefined {
    const work = this.#works.get(id);
    return work === undefined ? undefined : shown(work);
  }

  cancel(id: string): boolean {
    const work = this.#works.get(id);
    if (work !== undefined && Date.now() < work.endsAtMs) work.isCancelled = true;
    return work !== undefined;
  }

  answer(id: string, replies: readonly McpTaskReply[]): boolean {
    const work = this.#works.get(id);
    if (work === undefined) return false;
    work.open = work.open.filter((question) => !replies.some(({ questionId }) => questionId === question.id));
    return true;
  }
}

const shown = (work: Work): McpTask => {
  const { id, createdAtMs, endsAtMs, open, isCancelled, result } = work;
  const facts = { id, message: '', createdAtMs, updatedAtMs: createdAtMs, questions: open };
  if (isCancelled) return { ...facts, status: 'cancelled' };
  if (open.length > 0) return { ...facts, status: 'input_required' };
  if (Date.now() < endsAtMs) return { ...facts, status: 'working' };
  return { ...facts, status: result.isError ? 'failed' : 'completed', result };
};
