/**
 * Runs the table of issue 2 against svc and against the model alone and prints a Markdown table for RESULTS.md.
 *
 *   node bench/run.mjs --load PATH/load.mjs [--runs 3] [--only TEXT] [--json FILE] [--postgres URL]
 *
 * The load tool is not part of this repository: its path comes from `--load` or SVC_BENCH_LOAD. The server runs on CPU 0,
 * load tool and mock model on CPU 1. Medians of `--runs` runs; every single result goes to `--json`. With `--postgres` each
 * server has a database of its own in the PostgreSQL at that address, whose user may create databases.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values: options } = parseArgs({
  options: {
    load: { type: 'string', default: process.env['SVC_BENCH_LOAD'] ?? '' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    json: { type: 'string', default: '' },
    postgres: { type: 'string', default: '' },
  },
});
if (options.load === '') throw new Error('give the load tool: --load PATH/load.mjs, or SVC_BENCH_LOAD');

const environment = {
  ...process.env,
  NODE: process.execPath,
  SVC_MAIN: here(options.postgres === '' ? '../packages/cli/bin/svc.mjs' : 'serve-postgres.mjs'),
  SVC_BENCH_POSTGRES: options.postgres,
};

/** One process whose last line of output is its result. */
const resultOf = async (parameters) => {
  const child = spawn(process.execPath, parameters, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const line = output.trim().split('\n').at(-1) ?? '';
  const result = JSON.parse(line === '' ? '{"failed":"no output"}' : line);
  if (options.json !== '') appendFileSync(options.json, `${line}\n`);
  if (typeof result.failed === 'string')
    throw new Error(`${parameters.join(' ')}\n${result.failed}\n${result.serverLog ?? ''}`);
  return result;
};

const flagsOf = (given) =>
  Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value).replace('{proto}', here('../proto'))]);

const measure = (target, given) => {
  if (given.scenario === 'send') return resultOf([here('send-messages.mjs'), options.load]);
  const tool = [options.load, ...flagsOf(given)];
  if (target === 'direct') return resultOf([...tool, '--target', 'direct']);
  return resultOf([...tool, '--target', 'svc', '--profile', here('profile.json')]);
};

const median = (values) => {
  if (values.some((value) => typeof value !== 'number')) return [...new Set(values)].join(', ');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
const shown = (value) => {
  if (typeof value !== 'number') return value;
  return value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
};

console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, Node.js ${process.version}, medians of ${options.runs} runs\n`);
console.log('| scenario | figure | target | svc |\n|---|---|---|---|');
for (const { name, runs, figures } of scenarios.filter((scenario) => scenario.name.includes(options.only))) {
  try {
    const results = [];
    for (let run = 0; run < Number(options.runs); run += 1) {
      const result = {};
      for (const [target, given] of Object.entries(runs)) result[target] = await measure(target, given);
      results.push(result);
    }
    for (const figure of figures) {
      console.log(`| ${name} | ${figure.name} | ${figure.target} | ${shown(median(results.map(figure.read)))} |`);
    }
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    console.log(`| ${name} | failed | | |`);
  }
}
