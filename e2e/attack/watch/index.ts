/**
 * watch: what a test of the `attack` suite measures. Start a real server with `ServerProcess`, then
 * `await withstand(server, { budgetMs: ONE_REQUEST_MS, attack: async () => { ... } })`: it runs the attack up to three times
 * while a thread of its own asks `/healthz` every 4 ms, and fails unless the process lives, every answer is 200, the best run
 * stays within the budget and resident memory comes back within 30 s. The answer of `withstand` has the figures.
 *
 * Why a busy machine does not decide: from each wait the time is subtracted in which the main thread of the server, or the
 * watching thread, was ready to run and the kernel ran something else (field 2 of `/proc/.../schedstat`). What remains is the
 * server's own: running code, or blocked in a system call. Where a system does not count that time, the wait counts whole.
 * A stall over the budget is judged by what the same processor needs at that moment for a fixed piece of work: budgets are those
 * of an ordinary machine, and a slower one has up to three times as much (`machine-speed.ts`).
 * And a stall that the code causes happens in each of the three runs, one that the machine causes does not.
 *
 * The attack may send from another loopback address than the watch (`localAddress: '127.0.0.2'`), so that limits per address
 * apply to the attacker only. It must be bounded in count and time, and must be able to run three times on the same server.
 */
export { residentBytes } from './process-facts.ts';
export { FLOOD_MS, ONE_REQUEST_MS, withstand } from './withstand.ts';
