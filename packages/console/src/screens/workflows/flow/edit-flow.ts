import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** Changes of a graph, made in the text of the workflow: comments and the order of everything else stay. */

/** What a new step of a type needs at least. */
const NEW_STEPS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  agent: { agent: '', prompt: '' },
  tool: { tool: '', input: {} },
  workflow: { workflow: '', input: {} },
  transform: { input: {} },
  pause: { prompt: '' },
  wait: { duration: '1m' },
};

export const STEP_TYPES: readonly string[] = Object.keys(NEW_STEPS);

/** Adds a step of the type at the end, behind `after` where that is set; answers its id and the text. */
export const addStep = (text: string, type: string, after?: string): { readonly id: string; readonly text: string } => {
  const document = parseDocument(text);
  const used = stepMaps(document).map(idOf);
  const id = freeId(type, used);
  const step = { id, type, ...(after && { after: [after] }), ...NEW_STEPS[type] };
  const steps = document.getIn(['spec', 'steps']);
  // An empty list is written in brackets; the first step begins a list of lines.
  if (isSeq(steps) && steps.items.length > 0) steps.add(document.createNode(step));
  else document.setIn(['spec', 'steps'], document.createNode([step]));
  return { id, text: textOf(document) };
};

/** Removes a step, and waits for it in other steps; expressions that use it stay, for the person to decide. */
export const removeStep = (text: string, id: string): string =>
  changed(text, (document) => {
    const steps = document.getIn(['spec', 'steps']);
    if (!isSeq(steps)) return;
    steps.items = steps.items.filter((step) => !(isMap(step) && idOf(step) === id));
    for (const step of stepMaps(document)) dropAfter(step, id);
  });

/** Makes `to` wait for `from`. */
export const connectSteps = (text: string, from: string, to: string): string =>
  changed(text, (document) => {
    const step = stepMaps(document).find((candidate) => idOf(candidate) === to);
    const after = step?.get('after');
    if (isSeq(after)) {
      if (!waitsFor(after, from)) after.add(from);
    } else if (step !== undefined) step.set('after', document.createNode([from], { flow: true }));
  });

export const disconnectSteps = (text: string, from: string, to: string): string =>
  changed(text, (document) => {
    for (const step of stepMaps(document)) if (idOf(step) === to) dropAfter(step, from);
  });

/** Gives a step another id, everywhere: in the steps that wait for it, in expressions and conditions. */
export const renameStep = (text: string, id: string, next: string): string =>
  changed(text, (document) => {
    for (const step of stepMaps(document)) {
      if (idOf(step) === id) step.set('id', next);
      const after = step.get('after');
      if (isSeq(after))
        after.items = after.items.map((item) => (scalarOf(item) === id ? document.createNode(next) : item));
    }
    // Ids consist of letters, digits, _ and -, so they mean themselves in a pattern.
    const used = new RegExp(`\\$\\.steps(\\.${id}(?![\\w-])|\\["${id}"\\])`, 'g');
    visit(document, {
      Scalar: (_key, node) => {
        if (typeof node.value === 'string') node.value = node.value.replaceAll(used, () => `$.steps.${next}`);
      },
    });
  });

/** Why an id cannot be given to a step, in words; undefined when it can. */
export const idProblem = (id: string, others: readonly string[]): string | undefined => {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(id))
    return 'A letter first, then letters, digits, _ and -, at most 63 characters.';
  return others.includes(id) ? 'Another step has this id.' : undefined;
};

const changed = (text: string, change: (document: Document.Parsed<ParsedNode>) => void): string => {
  const document = parseDocument(text);
  change(document);
  return textOf(document);
};

const textOf = (document: Document.Parsed<ParsedNode>): string => document.toString({ lineWidth: 0 });

const stepMaps = (document: Document.Parsed<ParsedNode>): readonly YAMLMap[] => {
  const steps = document.getIn(['spec', 'steps']);
  return isSeq(steps) ? steps.items.filter(isMap) : [];
};

const idOf = (step: YAMLMap): string => String(step.get('id') ?? '');

const scalarOf = (node: unknown): unknown => (isScalar(node) ? node.value : node);

const waitsFor = (after: YAMLSeq, id: string): boolean => after.items.some((item) => scalarOf(item) === id);

const dropAfter = (step: YAMLMap, id: string): void => {
  const after = step.get('after');
  if (!isSeq(after) || !waitsFor(after, id)) return;
  after.items = after.items.filter((item) => scalarOf(item) !== id);
  if (after.items.length === 0) step.delete('after');
};

const freeId = (type: string, used: readonly string[]): string => {
  let id = type;
  for (let number = 2; used.includes(id); number += 1) id = `${type}-${number}`;
  return id;
};
