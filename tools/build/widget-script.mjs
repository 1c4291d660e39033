import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { writePackedForms } from './packed-forms.mjs';

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
 * @param {(path: string) => void} [note] called for each file before it is read
 * @returns {Promise<string>}
 */
export async function widgetScript(root = CHECKOUT, note = () => undefined) {
  const made = await rolldown({
    input: sourceOf(root),
    platform: 'browser',
    logLevel: 'silent',
    transform: { target: 'es2022' },
    plugins: [{ name: 'note-inputs', load: (id) => void (existsSync(id) && note(id)) }],
  });
  const { output } = await made.generate({ format: 'iife', minify: true, codeSplitting: false });
  await made.close();
  return output[0].code;
}

/**
 * Writes svc-chat.js and its packed forms to the folder, for the server to hand out; nothing for a checkout without the widget.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path
 * @param {(path: string) => void} [note] called for each file before it is read
 */
export async function placeWidget(root, folder, note) {
  if (!existsSync(sourceOf(root))) return;
  const path = join(folder, 'svc-chat.js');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, await widgetScript(root, note));
  writePackedForms(path);
}

function sourceOf(root) {
  return join(root, 'packages', 'widget', 'src', 'svc-chat.ts');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await widgetScript());
}
