/** What one caller is offered over the Model Context Protocol, for the feature that knows what that is. */

/** A tool as clients list it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
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

export interface McpToolResult {
  readonly text: string;
  /** A JSON object that says the same. */
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
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
  /** Undefined when there is no such tool. */
  call(call: McpToolCall): Promise<McpToolResult | undefined>;
  documents(): Promise<readonly McpDocument[]>;
  read(uri: string): Promise<{ readonly mediaType: string; readonly text: string } | undefined>;
  prompts(): Promise<readonly McpPrompt[]>;
  /** The text of a prompt; undefined when there is none of the name. */
  prompt(name: string): Promise<string | undefined>;
}

/** The tools of one client that is served over a pipe. */
export type McpToolOffer = Pick<McpOffer, 'tools' | 'call'>;

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
