import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(
  new URL('../../packages/server/src/store/postgres/testing/postgres-process.ts', import.meta.url),
);

/** A server that can be stopped, crashed and started again on its data; gone with the test. */
export class PostgresService implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child;
    this.#lines = lines;
  }

  /**
   * Undefined on a machine without PostgreSQL, which says so on standard error. One that outlives its test file ends with the process
   * of the test, and keeps its data outside of the temporary folder of the file.
   */
  static async start({ outlivesFile = false } = {}): Promise<PostgresService | undefined> {
    const { SVC_TEST_OUTER: outer = '' } = process.env;
    const env = outlivesFile && outer !== '' ? { ...process.env, TMPDIR: outer } : process.env;
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], env });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done === true) throw new Error('PostgreSQL did not start');
    if (first.value === 'none') return undefined;
    return new PostgresService(child, lines);
  }

  /** Address of a fresh database. */
  async createDatabase(): Promise<string> {
    return this.#ask('create');
  }

  /**
   * Address of a migrated database that holds nothing, until it is given back. Sessions in it that a process left idle are used by
   * the next one, since to start one takes longer than most of what is asked in it.
   */
  async takeDatabase(): Promise<string> {
    return this.#ask('take');
  }

  /** No one uses the database any more. */
  async giveDatabase(url: string): Promise<void> {
    await this.#tell(`give ${url}`);
  }

  /** Stops it in order; open connections are ended. */
  async down(): Promise<void> {
    await this.#tell('down');
  }

  /** Ends it as a crash of its machine would. */
  async crash(): Promise<void> {
    await this.#tell('crash');
  }

  /** Ends every connection that svc has; the server lives on. */
  async cut(): Promise<void> {
    await this.#tell('cut');
  }

  async up(): Promise<void> {
    await this.#tell('up');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.stdin?.end();
    await gone;
  }

  async #tell(line: string): Promise<void> {
    const answer = await this.#ask(line);
    if (answer !== 'ok') throw new Error(`PostgreSQL answered ${answer} to ${line}`);
  }

  async #ask(line: string): Promise<string> {
    this.#child.stdin?.write(`${line}\n`);
    const answer = await this.#lines.next();
    if (answer.done === true) throw new Error(`PostgreSQL ended and did not answer to ${line}`);
    return answer.value;
  }
}
