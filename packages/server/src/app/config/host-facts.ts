/** Facts about the machine that defaults depend on. */
export interface HostFacts {
  /** Memory this process may use, in bytes; container limits included. */
  readonly memoryBytes: number;
  /** Files and connections this process may have open at once; undefined if the system does not report it. */
  readonly openFiles: number | undefined;
  /** True when standard output is a terminal. */
  readonly isTerminal: boolean;
}
