import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./oidc-provider.ts', import.meta.url));

/** The provider of tests as it runs; `ask` posts to one of its endpoints. */
export interface ProviderProcess {
  readonly issuer: string;
  ask<T>(path: string, body?: object): Promise<T>;
  token(request: object): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the provider in a process of its own and waits until it listens. */
export const startProvider = async (): Promise<ProviderProcess> => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const issuer = `http://127.0.0.1:${line.toString().trim()}`;
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${issuer}${path}`, init);
    return (await response.json()) as T;
  };
  return {
    issuer,
    ask,
    token: async (request) => (await ask<{ access_token: string }>('/token', request)).access_token,
    stop: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
};
