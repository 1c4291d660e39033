/**
 * Names of the product that transport must not know: it serves protocols, and what an operation or a resource is, its declaration
 * says. Standard services (health, reflection) are protocols and may be named.
 */
import type { DescMessage } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import { scanImports } from '../imports.ts';
import { maskCode } from '../mask-code.ts';
import { isTestCode, type SourceFile } from '../source-files.ts';

const transportRoot = 'packages/server/src/transport/';
/** The modules of `@svc/api` that tell nothing of a single operation or message of the product. */
const openModules: ReadonlySet<string> = new Set(['@svc/api/health', '@svc/api/methods', '@svc/api/reflection']);
const fullName = /\bsvc\.[a-z]+\.[A-Z]\w*/g;
const word = /\b[A-Za-z_]\w*\b/g;

/** Names that transport holds of operations, messages and their fields, one readable line each. */
export function findProductNames(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path }) => path.startsWith(transportRoot) && !isTestCode(path)).flatMap(judgeFile);
}

function judgeFile({ path, text }: SourceFile): readonly string[] {
  const modules = scanImports(text)
    .map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith('@svc/api') && !openModules.has(specifier))
    .map((specifier) => `${path} imports ${specifier}: transport knows no message of the product`);
  const { code, passages } = maskCode(text);
  const said = passages.map((passage) => passage.text).join('\n');
  const found = new Set([
    ...(said.match(fullName) ?? []),
    ...[...(code.match(word) ?? []), ...(said.match(word) ?? [])].filter((name) => productNames.has(name)),
  ]);
  return [...modules, ...[...found].map((name) => `${path} names ${name}: transport knows no operation and no field`)];
}

/** Every message that operations take or answer, with those inside of it. */
function messagesOf(): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (found.has(message) || !message.typeName.startsWith('svc.')) return;
    found.add(message);
    for (const field of message.fields) if (field.message !== undefined) visit(field.message);
  };
  for (const { input, output } of methods) for (const message of [input, output]) visit(message);
  return found;
}

/** Names of operations, and names of several words of messages and fields: one word alone may mean anything. */
function collectNames(): ReadonlySet<string> {
  const names = methods.flatMap(({ name, descriptor }) => [name, descriptor.localName]);
  for (const message of messagesOf()) {
    names.push(`${message.name}Schema`);
    if (/[a-z][A-Z]/.test(message.name)) names.push(message.name);
    for (const { name, localName } of message.fields) if (name.includes('_')) names.push(name, localName);
  }
  return new Set(names);
}

/** Words of transport's own, which messages use for something else. */
const sharedNames = ['requestId', 'request_id', 'sizeBytes', 'expiresAt', 'apiKey', 'apiVersion'];
const productNames = new Set([...collectNames()].filter((name) => !sharedNames.includes(name)));
