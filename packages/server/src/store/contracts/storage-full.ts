import { Fault, isFault } from '../../base/index.ts';

/** Message of every refusal for lack of room. A log line of others that quotes it says nothing new. */
export const DISK_FULL_TEXT = "the server's disk is full";

/** RESOURCE_EXHAUSTED STORAGE_FULL: the store refuses writes until there is room on its disk; reads continue. */
export const storageFull = (cause: unknown): Fault =>
  new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', DISK_FULL_TEXT, { cause });

/** True for a write that was refused because the disk of the store is full. */
export const isStorageFull = (error: unknown): error is Fault => isFault(error) && error.reason === 'STORAGE_FULL';
