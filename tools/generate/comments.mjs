/**
 * The comments of proto/svc as a table, by full name of what they describe: generated messages carry none, and both the reference
 * in docs/ and `svc explain` are made of them. Called by generate.mjs.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const LARGEST = 64 * 1024 * 1024;

/** Numbers of the fields of descriptor.proto by which source locations name a place. */
const inFile = { message: 4, enum: 5, service: 6 };
const inMessage = { field: 2 };
const inEnum = { value: 2 };
const inService = { method: 2 };

/** Writes gen/comments.js and its declaration below `target`. */
export function generateComments(root, target) {
  const image = execFileSync(join(root, 'node_modules', '.bin', 'buf'), ['build', '--path', 'proto/svc', '-o', '-'], {
    cwd: root,
    maxBuffer: LARGEST,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const files = fromBinary(FileDescriptorSetSchema, image).file.filter(({ package: name }) => name.startsWith('svc.'));
  const comments = Object.fromEntries(files.flatMap(commentsOf).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  mkdirSync(join(target, 'gen'), { recursive: true });
  const header = '// Generated from the comments of proto/svc by tools/generate/comments.mjs; do not edit.\n';
  const text = JSON.stringify(comments, null, 2);
  writeFileSync(join(target, 'gen', 'comments.js'), `${header}export const comments = ${text};\n`);
  writeFileSync(
    join(target, 'gen', 'comments.d.ts'),
    `${header}export declare const comments: Readonly<Record<string, string>>;\n`,
  );
}

function commentsOf(file) {
  const texts = new Map(
    (file.sourceCodeInfo?.location ?? []).map(({ path, leadingComments }) => [path.join(), oneLine(leadingComments)]),
  );
  const found = (name, ...path) => {
    const text = texts.get(path.join()) ?? '';
    return text === '' ? [] : [[name, text]];
  };
  const members = (list, owner, path) =>
    list.flatMap((member, index) => found(`${owner}.${member.name}`, ...path, index));
  const kinds = [
    [file.messageType, inFile.message, (item) => item.field, inMessage.field],
    [file.enumType, inFile.enum, (item) => item.value, inEnum.value],
    [file.service, inFile.service, (item) => item.method, inService.method],
  ];
  return kinds.flatMap(([items, number, membersOf, memberNumber]) =>
    items.flatMap((item, index) => {
      const name = `${file.package}.${item.name}`;
      return [...found(name, number, index), ...members(membersOf(item), name, [number, index, memberNumber])];
    }),
  );
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}
