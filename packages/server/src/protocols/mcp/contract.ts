/** What the product needs of the Model Context Protocol as a client, without a word of its wire. */

/** Era of the protocol to speak: `auto` tries the stateless one (2026-07-28) first, then the one with sessions. */
export type McpEra = 'auto' | '2026' | '2025';

/** A server reached over HTTP; `sse` is the older form of it, with one long event stream. */
export interface McpHttpTarget {
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** True for a server that the operator declared: it may have an address inside the private network. */
  readonly isTrusted: boolean;
}

/** A server that runs as a process of this machine. */
export interface McpProcessTarget {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to PATH, HOME and the like; nothing else is inherited. */
  readonly environment: Readonly<Record<string, string>>;
}

export type McpTarget = McpHttpTarget | McpProcessTarget;

/** A bearer token for each request, and what is done when the server does not take it. */
export interface McpAuthorization {
  token(): Promise<string>;
  /** After an HTTP 401; the request is sent once more with the next `token()`. */
  rejected(): Promise<void>;
}

export interface McpConnectOptions {
  readonly era: McpEra;
  readonly signal: AbortSignal;
  readonly authorization?: McpAuthorization;
}

export interface McpConnector {
  /** Negotiates the protocol; rejects with McpFailure, and leaves nothing open then. */
  connect(target: McpTarget, options: McpConnectOptions): Promise<McpConnection>;
}

/** What a server says about itself. */
export interface McpServerFacts {
  readonly name: string;
  readonly version: string;
  /** The negotiated version, such as `2026-07-28`. */
  readonly protocol: string;
}

/** A tool as its server describes it; nothing of it is to be trusted. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The server's word that a call changes nothing. */
  readonly isReadOnly: boolean;
  /** For people. */
  readonly title?: string | undefined;
  /** What the server says of a call; absent where it does not say. */
  readonly isDestructive?: boolean | undefined;
  readonly isIdempotent?: boolean | undefined;
  readonly isOpenWorld?: boolean | undefined;
  /** The server answers calls of it with a task, and only when it is asked for one; it is so in the older era alone. */
  readonly needsTask?: boolean;
}

/** What a server asks a person in the middle of a call. */
export interface McpQuestion {
  /** The same for the same question, also when the call runs again. */
  readonly key: string;
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a person said to it. */
export type McpReply =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' };

export interface McpCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Sent in `_meta` of the request, next to what the protocol puts there. */
  readonly meta: Readonly<Record<string, string>>;
  /** When it aborts, the server learns that the call is cancelled. */
  readonly signal: AbortSignal;
  readonly progress: () => void;
  /** What is known already; undefined ends the call with the question. */
  readonly reply: (question: McpQuestion) => McpReply | undefined;
  /** `needsTask` of the tool. */
  readonly asTask?: boolean;
}

export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly mediaType: string; readonly name: string; readonly bytes: Uint8Array };

export interface McpResult {
  readonly content: readonly McpContent[];
  readonly structured?: unknown;
  readonly isError: boolean;
}

/** Work of a server that outlives the request which began it. */
export interface McpTask {
  /** At most 256 visible ASCII characters. */
  readonly id: string;
  /** How long to wait between two questions about it, 1 s to 60 s. */
  readonly intervalMs: number;
  /** How long the server keeps it; absent = it does not say. */
  readonly lifeMs?: number;
}

/** What a task asks a person; `id` is the server's own name for the question. */
export interface McpTaskQuestion {
  readonly id: string;
  readonly question: McpQuestion;
}

/** What became of a task. One that needs input in the older era has no questions: they would come in requests of their own. */
export type McpTaskState =
  | { readonly status: 'working'; readonly task: McpTask }
  | { readonly status: 'input_required'; readonly task: McpTask; readonly questions: readonly McpTaskQuestion[] }
  | { readonly status: 'completed'; readonly result: McpResult }
  /** `reason` is what the server wrote, cut; '' when it wrote none. */
  | { readonly status: 'failed' | 'cancelled'; readonly reason: string };

/** A call ended, or became a task, or it needs an answer first and has to be made again with it. */
export type McpOutcome =
  | { readonly result: McpResult }
  | { readonly task: McpTask }
  | { readonly question: McpQuestion };

/** A skill as its server lists it; nothing of it is to be trusted. */
export interface McpSkill {
  /** Where its SKILL.md is: what the server knows it by. */
  readonly uri: string;
  /** Lower case letters, digits and hyphens; several skills of a server may have one name. */
  readonly name: string;
  readonly description: string;
  /** Changes with the text; '' where the server makes the text for each reader. */
  readonly digest: string;
  /** Its other files that can be read; none where the server does not describe them. */
  readonly files: readonly McpSkillFile[];
  /** The entry itself, by which the text and the files are checked when they are read. */
  readonly entry: unknown;
}

/** A file of a skill besides its SKILL.md. */
export interface McpSkillFile {
  /** Below the folder of the skill, such as `references/forms.md`. */
  readonly path: string;
  readonly uri: string;
  readonly sizeBytes: number;
}

export interface McpSkillList {
  /** At most 50. */
  readonly skills: readonly McpSkill[];
  /** How many entries do not keep to the rules. */
  readonly refused: number;
}

/** An open connection. Its calls may run side by side. */
export interface McpConnection {
  readonly server: McpServerFacts;
  /** True once the connection is of no use any more; calls then reject. */
  readonly isClosed: boolean;
  /** All pages of the list, at most 1,000 tools. Rejects with McpFailure. */
  tools(signal: AbortSignal): Promise<readonly McpTool[]>;
  /** Rejects with McpFailure. */
  call(call: McpCall): Promise<McpOutcome>;
  /** Asks what became of a task. Rejects with McpFailure: `rejected` when the server does not know it. */
  task(id: string, signal: AbortSignal): Promise<McpTaskState>;
  /** Answers questions of a task by their ids. Rejects with McpFailure. */
  answerTask(id: string, replies: Readonly<Record<string, McpReply>>, signal: AbortSignal): Promise<void>;
  /** Tells the server that a task is not needed any more. Rejects with McpFailure. */
  cancelTask(id: string, signal: AbortSignal): Promise<void>;
  /** Skills of the server, none where it has no such thing. Rejects with McpFailure. */
  skills(signal: AbortSignal): Promise<McpSkillList>;
  /** Instructions of a skill, checked against its entry. Rejects with McpFailure: `malformed` for a text that differs from the entry. */
  skillText(skill: McpSkill, signal: AbortSignal): Promise<string>;
  /** Bytes of a file of a skill, checked against its entry. Rejects with McpFailure as `skillText` does. */
  skillFile(skill: McpSkill, file: McpSkillFile, signal: AbortSignal): Promise<Uint8Array>;
  /** Called when the server says that its resources changed, which its skills are. */
  onSkillsChanged(listen: () => void): void;
  /** Asks for a sign of life where the era has one. Rejects with McpFailure. */
  ping(signal: AbortSignal): Promise<void>;
  /** Called when the server says that its list of tools changed. */
  onToolsChanged(listen: () => void): void;
  /** Ends the session, or the process; never rejects. */
  close(): Promise<void>;
}

/**
 * Why a server could not be used. `refused`: its address is not allowed; `auth`: it does not accept the credentials; `lost`: the
 * connection ended in the middle; `expired`: the server forgot the session and did nothing; `malformed`: it does not keep to the
 * protocol or to its own schema; `rejected`: it answered with an error.
 */
export type McpFailureKind = 'connect' | 'refused' | 'auth' | 'timeout' | 'lost' | 'expired' | 'malformed' | 'rejected';

/** Its message is safe to show: no headers, no credentials, nothing that the server wrote. */
export class McpFailure extends Error {
  readonly kind: McpFailureKind;
  /** HTTP status of the server's answer, where there was one. */
  readonly status: number | undefined;
  /** Scopes that the token lacks, as the server names them, separated by spaces; '' where it does not ask for any. */
  readonly requiredScope: string;

  constructor(
    kind: McpFailureKind,
    message: string,
    options?: ErrorOptions & { readonly status?: number | undefined; readonly requiredScope?: string },
  ) {
    super(message, options);
    this.name = 'McpFailure';
    this.kind = kind;
    this.status = options?.status;
    this.requiredScope = options?.requiredScope ?? '';
  }
}
