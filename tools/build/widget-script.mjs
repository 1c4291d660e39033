import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * The chat widget as one file for one script tag.
 *
 *   node tools/build/widget-script.mjs > svc-chat.js
 */

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The program of packages/widget with everything that it uses; throws what the bundler throws.
 *
 * @param {string} [root] absolute path of the checkout
 * @returns {Promise<string>}
 */
export async function widgetScript(root = CHECKOUT) {
  const made = await rolldown({
    input: join(root, 'packages', 'widget', 'src', 'svc-chat.ts'),
    platform: 'browser',
    logLevel: 'silent',
    transform: { target: 'es2022' },
  });
  const { output } = await made.generate({ format: 'iife', minify: true, codeSplitting: false });
  await made.close();
  return output[0].code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await widgetScript());
}
