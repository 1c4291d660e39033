import { type ResourceChangedEvent, ResourceChangeType } from '@svc/api/events';
import { type CommandContext, type PlainContext, withClient } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Item, Kind } from '../kinds/index.ts';
import { liveEvents } from '../live-stream.ts';
import { type OutputForm, printValue } from '../output.ts';
import { columnWidths, type PaintCell, phasePainter, renderRow, styleFor, textWidth } from '../terminal/index.ts';
import { fullJson } from '../typed-resource.ts';

/** What `get --watch` shows. */
interface Watched {
  readonly kind: Kind;
  /** None means all. */
  readonly names: readonly string[];
  readonly isAcross: boolean;
  readonly form: OutputForm;
}

const WORDS: Readonly<Partial<Record<ResourceChangeType, string>>> = {
  [ResourceChangeType.CREATED]: 'created',
  [ResourceChangeType.UPDATED]: 'updated',
  [ResourceChangeType.DELETED]: 'deleted',
};

/** What exists, then every change until Ctrl-C; a broken connection is reopened without a gap. */
export const watchItems = async (plain: PlainContext, watched: Watched): Promise<void> => {
  const { kind, names, isAcross, form } = watched;
  const context = await withClient(plain);
  const { scope } = context;
  const printer = new ChangePrinter(context, watched);
  for await (const event of events(context, { kind, isAcross })) {
    if (event.changeType === ResourceChangeType.BOOKMARK) {
      printer.present();
      continue;
    }
    if (event.resource === undefined) continue;
    const item = kind.itemOf({ ...scope, namespace: event.namespace || scope.namespace }, fullJson(event.resource));
    if (names.length > 0 && !names.includes(item.name)) continue;
    await printer.take(item, WORDS[event.changeType] ?? '');
  }
  if (form.form === 'table') context.note('the watch has ended');
};

const events = (
  context: CommandContext,
  wanted: { readonly kind: Kind; readonly isAcross: boolean },
): AsyncIterable<ResourceChangedEvent> => {
  const { client, scope } = context;
  const ns = wanted.isAcross || !wanted.kind.isNamespaced ? '-' : scope.namespace;
  const request = { ns, kinds: [wanted.kind.name], labelSelector: scope.selector };
  let resourceVersion = '';
  return liveEvents(context, {
    canResume: () => resourceVersion !== '',
    async *open(signal, onOpen) {
      for await (const event of client.resources.watchResources({ ...request, resourceVersion }, { signal, onOpen })) {
        yield event;
        // Existing resources come with the version at which they were read; only the bookmark says that all were sent.
        if (event.changeType === ResourceChangeType.BOOKMARK || resourceVersion !== '')
          resourceVersion = event.resourceVersion;
      }
    },
  });
};

/** Prints what existed as one table, then one line for each change in the same columns. */
class ChangePrinter {
  readonly #context: CommandContext;
  readonly #watched: Watched;
  #first: Item[] | undefined = [];
  #widths: readonly number[] = [];
  #headings: readonly string[] = [];
  readonly #paint: PaintCell;

  constructor(context: CommandContext, watched: Watched) {
    this.#context = context;
    const { host, options } = context;
    this.#paint = phasePainter(styleFor(host.stdout, host.environment, options.color));
    this.#watched = watched;
    if (watched.form.form === 'manifest' || watched.form.form === 'jsonpath')
      throw new CommandFailure(`-o ${watched.form.form} does not go with --watch`, {
        hint: 'table, wide, name or jsonl',
      });
  }

  async take(item: Item, word: string): Promise<void> {
    const { form } = this.#watched;
    if (form.form === 'table' || form.form === 'wide') {
      if (this.#first !== undefined) this.#first.push(item);
      else this.#line([word, ...this.#cells(item)]);
    } else if (form.form === 'name') {
      this.#context.host.stdout.write(`${this.#watched.kind.name.toLowerCase()}/${item.name} ${word}\n`);
    } else {
      await printValue(this.#context.host, { change: word, object: item.json }, { form: 'jsonl' });
    }
  }

  /** Everything that existed has been sent. */
  present(): void {
    const items = this.#first;
    const { form, kind, isAcross } = this.#watched;
    if (items === undefined || (form.form !== 'table' && form.form !== 'wide')) return;
    this.#first = undefined;
    const headings = [
      'change',
      ...(isAcross ? ['namespace'] : []),
      ...kind.headings,
      ...(form.form === 'wide' ? kind.wideHeadings : []),
    ].map((heading) => heading.toUpperCase());
    const rows = items.map((item) => ['-', ...this.#cells(item)]);
    const { stdout } = this.#context.host;
    this.#widths = columnWidths(headings, [...rows, LEAST], stdout.isTerminal ? stdout.columns : undefined);
    this.#headings = headings;
    this.#line(headings);
    for (const row of rows) this.#line(row);
  }

  #cells(item: Item): readonly string[] {
    const { form, isAcross } = this.#watched;
    const all = [...(isAcross ? [item.namespace] : []), ...item.cells];
    return form.form === 'wide' ? [...all, ...item.wideCells] : all;
  }

  /** In a pipe a cell wider than its column is written whole. */
  #line(cells: readonly string[]): void {
    const { stdout } = this.#context.host;
    const widths = stdout.isTerminal
      ? this.#widths
      : this.#widths.map((width, index) => Math.max(width, textWidth(cells[index] ?? '')));
    stdout.write(renderRow(cells, widths, { headings: this.#headings, paint: this.#paint }));
  }
}

/** A placeholder row: the first column holds what happened. */
const LEAST: readonly string[] = ['created'];
