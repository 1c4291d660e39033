import { posix } from 'node:path';
import { isTestCode, type SourceFile } from './source-files.ts';

/** The limits of the style guide, in lines and in files. */
export const sizeLimits = { sourceLines: 400, testLines: 600, medianLines: 120, filesPerFolder: 16 } as const;

const vagueName = /(^|\/)(utils?|helpers?|common|misc|types|manager)(\.tsx?$|\/)/;

/** Folders that are lists: each file is one thing that is found by its name, and none belongs closer to another. */
const flatFolders: readonly string[] = ['packages/console/src/ui'];

/** Files and folders that grew too large or have a name that says nothing, one readable line each. */
export function findSizeViolations(files: readonly SourceFile[]): readonly string[] {
  return [...files.flatMap(judgeFile), ...judgeFolders(files), ...judgeMedian(files)];
}

function judgeFile(file: SourceFile): string[] {
  const limit = isTestCode(file.path) ? sizeLimits.testLines : sizeLimits.sourceLines;
  const lines = countLines(file.text);
  const tooLong = lines > limit ? [`${file.path} has ${lines} lines, allowed are ${limit}: split it`] : [];
  const vague = vagueName.test(file.path) ? [`${file.path} has a name that says nothing about its content`] : [];
  return [...tooLong, ...vague];
}

function judgeFolders(files: readonly SourceFile[]): string[] {
  const folders = new Map<string, number>();
  for (const file of files.filter((candidate) => !isTestCode(candidate.path))) {
    const folder = posix.dirname(file.path);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders]
    .filter(([folder, count]) => count > sizeLimits.filesPerFolder && !flatFolders.includes(folder))
    .map(([folder, count]) => `${folder} has ${count} source files, allowed are ${sizeLimits.filesPerFolder}`);
}

/** A few long files are fine; a long median says that splitting has stopped. */
function judgeMedian(files: readonly SourceFile[]): string[] {
  const lines = files
    .filter((file) => !isTestCode(file.path))
    .map((file) => countLines(file.text))
    .sort((a, b) => a - b);
  const median = lines[Math.floor(lines.length / 2)] ?? 0;
  return median > sizeLimits.medianLines
    ? [`the median source file has ${median} lines, allowed are ${sizeLimits.medianLines}`]
    : [];
}

function countLines(text: string): number {
  return text.endsWith('\n') ? text.split('\n').length - 1 : text.split('\n').length;
}
