/** A detail panel: what it shows, and of which thing. */
export interface OpenPanel {
  /** A row of app/panels/panel-table.ts. */
  readonly type: string;
  /** Names the thing in the way of that type. */
  readonly key: string;
}

/** The panels in the text of an address, the newest last. */
export const panelsOf = (text: string | undefined): readonly OpenPanel[] =>
  (text ?? '')
    .split('|')
    .filter((entry) => entry.includes(' '))
    .map((entry) => ({
      type: entry.slice(0, entry.indexOf(' ')),
      key: decodeURIComponent(entry.slice(entry.indexOf(' ') + 1)),
    }));

/** The text of an address for these panels; undefined for none. */
export const panelText = (panels: readonly OpenPanel[]): string | undefined =>
  panels.length === 0 ? undefined : panels.map(({ type, key }) => `${type} ${encodeURIComponent(key)}`).join('|');
