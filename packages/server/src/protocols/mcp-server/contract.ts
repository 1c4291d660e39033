/** What one caller is offered over the Model Context Protocol, for the feature that knows what that is. */

/** A tool as clients list it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
  /** Calls of it may be answered with a task. */
  readonly mayBeTask?: boolean;
}

/** One call of a tool. */
export interface McpToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** From `_meta`, '' when absent: calls with the same key have one effect. */
  readonly idempotencyKey: string;
  /** Aborted when the client cancels or is gone. */
  readonly signal: AbortSignal;
  /** Tells the client what was made so far; absent where it did not ask for that. */
  readonly progress: ((text: string) => void) | undefined;
}

/** A call of a client that may know tasks. */
export interface McpOfferedCall extends McpToolCall {
  /** Whether the client takes a task for an answer, or wants nothing else. */
  readonly asTask: 'never' | 'may' | 'must';
}

export interface McpToolResult {
  readonly text: string;
  /** A JSON object that says the same. */
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** Work that outlives the call which began it. */
export interface McpTask {
  readonly id: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** What is to be said of the state; '' for nothing. */
  readonly message: string;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** What it waits for a person to say. */
  readonly questions: readonly McpTaskQuestion[];
  /** What the call would have answered, once it completed or failed. */
  readonly result?: McpToolResult;
}

export interface McpTaskQuestion {
  readonly id: string;
  readonly message: string;
  /** JSON Schema of a flat object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a person says to a question. */
export interface McpTaskReply {
  readonly questionId: string;
  readonly isAccepted: boolean;
  /** By the schema of the question; empty unless it is accepted. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** A document that clients may read. */
export interface McpDocument {
  readonly uri: string;
  readonly name: string;
  readonly mediaType: string;
}

/** A text that people choose to give to their model. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string;
}

/** Everything that one caller may see and do. Each function may throw a Fault, which the client is shown. */
export interface McpOffer {
  tools(): Promise<readonly McpTool[]>;
  /** Undefined when there is no such tool. Answers a task only where the call takes one. */
  call(call: McpOfferedCall): Promise<McpToolResult | { readonly task: McpTask } | undefined>;
  /** Undefined when there is no such task. */
  task(id: string): Promise<McpTask | undefined>;
  /** One page of the tasks that the caller may see; '' begins, and ends the pages. */
  tasks(cursor: string): Promise<{ readonly tasks: readonly McpTask[]; readonly nextCursor: string }>;
  /** Resolves once the task has ended, or `signal` aborts. */
  taskEnded(id: string, signal: AbortSignal): Promise<void>;
  /** False when there is no such task. One that has ended stays as it is. */
  cancelTask(id: string): Promise<boolean>;
  /** False when there is no such task. Replies to questions that are not open are ignored. */
  answerTask(id: string, replies: readonly McpTaskReply[]): Promise<boolean>;
  documents(): Promise<readonly McpDocument[]>;
  read(uri: string): Promise<{ readonly mediaType: string; readonly text: string } | undefined>;
  prompts(): Promise<readonly McpPrompt[]>;
  /** The text of a prompt; undefined when there is none of the name. */
  prompt(name: string): Promise<string | undefined>;
}

/** The tools of one client that is served over a pipe. */
export interface McpToolOffer extends Pick<McpOffer, 'tools'> {
  /** Undefined when there is no such tool. */
  call(call: McpToolCall): Promise<McpToolResult | undefined>;
}

/** Bytes to and from one client. */
export interface McpPipe {
  readonly output: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
}

/** Serves tools to one client over its pipe, until that ends. */
export type ServeTools = (pipe: McpPipe, offer: McpToolOffer) => Promise<void>;

/** Serves requests of both eras of the protocol; keeps nothing between two of them, so that any node may answer each. */
export interface McpServing {
  serve(request: Request, offer: McpOffer): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}
