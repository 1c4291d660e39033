/**
 * features/authoring/files/memory: what agents remember as people see it: listed by its owner, and forgotten. Memory is files; the tools
 * that write it are next to those of files. Called by features/authoring/files only.
 */
export { memoryOperations } from './memory-operations.ts';
