import type { ServerResponse } from 'node:http';

/** A request as the engine under test reads it. */
export interface EngineRequest {
  readonly method: string;
  /** Without the version. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Labels = Readonly<Record<string, string>>;

/** A refusal; the engine says it as `{message}`. */
export class EngineError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Answers with a JSON text. */
export const json = (answer: ServerResponse, status: number, value: unknown): true => {
  answer.writeHead(status, { 'content-type': 'application/json', 'api-version': '1.47', ostype: 'linux' });
  answer.end(`${JSON.stringify(value)}\n`);
  return true;
};

/** Whether labels have all that the filter of a list names. */
export const matchesLabels = (labels: Labels, query: URLSearchParams): boolean => {
  const { label = [] } = JSON.parse(query.get('filters') ?? '{}') as { readonly label?: readonly string[] };
  return label.every((wanted) => {
    const [name = '', value] = wanted.split('=');
    return Object.hasOwn(labels, name) && (value === undefined || labels[name] === value);
  });
};
