import { ScheduleSpecSchema, WorkflowSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { renderText } from '../expressions/index.ts';
import { fieldAt, mapSpecTexts } from './index.ts';

const VALUES: Readonly<Record<string, string>> = { quote: 'a "b" \\ c', list: '[1]' };
const render = (text: string) =>
  renderText(text, {
    owns: new Set(['namespace']),
    passes: new Set(),
    keepsRaw: false,
    resolve: ([, , name = '']) => VALUES[name],
  }).value;

describe('texts of a spec', () => {
  it('that are JSON are rendered inside: values change no structure, whatever is in them', () => {
    const inputJson = '{"a":"{{ namespace.labels.quote }}","b":["x {{ namespace.labels.quote }}",1]}';
    const spec = mapSpecTexts(ScheduleSpecSchema, { inputJson, inputMessage: '{{ namespace.labels.quote }}' }, render);
    expect(JSON.parse(String(spec['inputJson']))).toEqual({ a: VALUES['quote'], b: [`x ${VALUES['quote']}`, 1] });
    expect(spec['inputMessage']).toBe(VALUES['quote']);
  });

  it('that are JSON only once they are rendered are rendered as they are', () => {
    const spec = mapSpecTexts(ScheduleSpecSchema, { inputJson: '{"a": {{ namespace.labels.list }} }' }, render);
    expect(spec).toEqual({ inputJson: '{"a": [1] }' });
  });

  it('are known by their place, and by that of the text around them', () => {
    const seen: string[] = [];
    const steps = [{ whenJson: '{"eq":["{{ x.y }}",1]}', prompt: 'p' }];
    mapSpecTexts(WorkflowSpecSchema, { steps }, (text, place, whole) => {
      seen.push(`${text} ${place.pointer} ${whole.pointer}`);
      return text;
    });
    expect(seen).toEqual(['{{ x.y }} /steps/0/whenJson/eq/0 /steps/0/whenJson', 'p /steps/0/prompt /steps/0/prompt']);
  });

  it('belong to a field as far as there is one', () => {
    expect(fieldAt(WorkflowSpecSchema, ['steps', 3, 'output', 'schemaJson'])?.name).toBe('schema_json');
    expect(fieldAt(WorkflowSpecSchema, ['steps', 3, 'nothing', 'more'])).toBeUndefined();
    expect(fieldAt(WorkflowSpecSchema, [])).toBeUndefined();
  });
});
