import type { ObjectAccess, ObjectData } from '../contract.ts';
import { shownResult } from './shown-result.ts';

/** Objects that a replay needs, by key; undefined bytes = the object is gone. */
export interface LoadedObjects {
  readonly media: ReadonlyMap<string, Uint8Array | undefined>;
  readonly texts: ReadonlyMap<string, string | undefined>;
}

/** For transcripts that name no object. */
export const NO_OBJECTS: LoadedObjects = { media: new Map(), texts: new Map() };

/** What to load: media bytes, and texts with the call whose output they are ('' = no output, never cut). */
export interface WantedObjects {
  readonly media: readonly ObjectData[];
  readonly texts: readonly { readonly object: ObjectData; readonly callId: string }[];
}

/** UTF-16 units of output texts that a process keeps for the next step of its turns. */
const KEPT_UNITS = 8 * 1024 * 1024;
const MAX_TOGETHER = 8;

/**
 * Loads objects of one namespace. Texts are kept as the model sees them (<= 50,000 characters each, least recently used
 * dropped), because every step of a turn replays the outputs of the steps before it.
 */
export const createObjectLoader = (
  read: ObjectAccess['read'],
): ((namespace: string, wanted: WantedObjects) => Promise<LoadedObjects>) => {
  const kept = new Map<string, string>();
  let units = 0;
  const keep = (key: string, text: string): void => {
    kept.set(key, text);
    units += text.length;
    for (const [oldest, value] of kept) {
      if (units <= KEPT_UNITS) break;
      kept.delete(oldest);
      units -= value.length;
    }
  };
  const loadText = async (namespace: string, wanted: WantedObjects['texts'][number]): Promise<string | undefined> => {
    const key = `${namespace} ${wanted.callId} ${wanted.object.key}`;
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const bytes = await read(namespace, wanted.object);
    if (bytes === undefined) return undefined;
    const whole = new TextDecoder().decode(bytes);
    const text = wanted.callId === '' ? whole : shownResult(whole, wanted.callId);
    keep(key, text);
    return text;
  };
  return async (namespace, wanted) => {
    const media = new Map<string, Uint8Array | undefined>();
    const texts = new Map<string, string | undefined>();
    const loads = [
      ...wanted.media.map((object) => async () => void media.set(object.key, await read(namespace, object))),
      ...wanted.texts.map(
        (want) => async () => void texts.set(textKey(want.object, want.callId), await loadText(namespace, want)),
      ),
    ];
    for (let start = 0; start < loads.length; start += MAX_TOGETHER) {
      await Promise.all(loads.slice(start, start + MAX_TOGETHER).map((load) => load()));
    }
    return { media, texts };
  };
};

/** Equal bytes may be the outputs of several calls, whose references differ. */
export const textKey = (object: ObjectData, callId: string): string => `${callId} ${object.key}`;
