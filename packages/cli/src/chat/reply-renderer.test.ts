import { create } from '@bufbuild/protobuf';
import { SessionMessagePartType as Type } from '@svc/api/data';
import { SessionMessagePartEventKind as Kind, SessionMessagePartEventSchema } from '@svc/api/events';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../terminal/index.ts';
import { done, event, reset, text, toolCall, toolResult } from '../testing/fake-events.ts';
import { ReplyRenderer } from './reply-renderer.ts';

type Event = ReturnType<typeof event>;

const render = (
  events: readonly Event[],
  options: { showReasoning?: boolean; isColoured?: boolean; columns?: number } = {},
): string => {
  let shown = '';
  const output = { write: () => undefined, isTerminal: options.isColoured === true, columns: 80 };
  const renderer = new ReplyRenderer({
    write: (piece) => {
      shown += piece;
    },
    style: styleFor(output, {}),
    showReasoning: options.showReasoning === true,
    columns: options.columns ?? 80,
  });
  for (const item of events) renderer.show(create(SessionMessagePartEventSchema, item));
  return shown;
};

const answer: readonly Event[] = [
  event({ type: Type.REASONING, text: 'let me see' }),
  text('It '),
  text('is '),
  toolCall('calculate', { expression: '6*7' }),
  toolResult('calculate', '42'),
  text('forty'),
  text('-two.'),
];
const ANSWER = 'It is \n  > calculate {"expression":"6*7"}\n  = 42\nforty-two.\n';

describe('a reply', () => {
  it('shows text as it comes, tools on lines of their own, and no reasoning unless asked', () => {
    expect(render([...answer, done()])).toBe(ANSWER);
    expect(render([...answer, done()], { showReasoning: true })).toBe(`let me see\n${ANSWER}`);
  });

  it('shows failures, files, permissions and summaries in a line each, cut to the terminal', () => {
    const shown = render(
      [
        toolResult('fetch', '{"ok":false}', { is_error: true, output: { error: 'no such host' } }),
        event({ type: Type.REQUEST_PERMISSION, name: 'write', text: 'May I?' }),
        event({ type: Type.PERMISSION_RESULT, name: 'write', payload: { decision: 'PERMISSION_DECISION_DENY' } }),
        event({ type: Type.IMAGE, name: 'cat.png' }),
        event({ type: Type.COMPACTION, text: 'long' }),
        event({ type: Type.USAGE }),
        toolResult('read', 'x'.repeat(99)),
        toolResult('read', ''),
        event({ kind: Kind.ERROR, type: Type.ERROR, text: 'Error: no key.' }),
      ],
      { columns: 40 },
    );
    expect(shown.split('\n')).toEqual([
      '  ! fetch: no such host',
      '  ? write: May I?',
      '  denied',
      '  [cat.png]',
      '  (earlier messages were summarised)',
      `  = ${'x'.repeat(34)}…`,
      '  = (read answered nothing)',
      'Error: no key.',
      '',
    ]);
  });

  it('makes control characters of a model harmless', () => {
    expect(render([text('a\u001b[2Jb\r\nc\ue003d\u0007'), done()])).toBe('a^[[2Jb\nc\ufffdd^G\n');
  });

  it('starts a second message on a new line', () => {
    expect(render([text('one'), text('two', 'm2'), done()])).toBe('one\ntwo\n');
  });

  it('colours by tone', () => {
    expect(render([toolResult('a', 'b'), text('c')], { isColoured: true })).toBe('\u001b[2m  = b\n\u001b[22mc');
  });
});

describe('a message that is sent again after a RESET', () => {
  it.each(answer.map((_, index) => index))(
    'leaves no trace when it repeats what is shown: cut after %i events',
    (cut) => {
      expect(render([...answer.slice(0, cut), reset(), ...answer, done()])).toBe(ANSWER);
    },
  );

  it('leaves no trace when the pieces are cut elsewhere', () => {
    const again = [text('It is '), ...answer.slice(3, 5), text('f'), text('orty-tw'), text('o.')];
    expect(render([...answer, reset(), ...again, done()])).toBe(ANSWER);
  });

  it('leaves no trace through several recoveries', () => {
    const events = [
      ...answer.slice(0, 3),
      reset(),
      ...answer.slice(0, 2),
      reset(),
      ...answer.slice(0, 6),
      reset(),
      ...answer,
      done(),
    ];
    expect(render(events)).toBe(ANSWER);
  });

  it('is shown whole, with a word about it, when it is another answer', () => {
    const shown = render([text('It is four'), reset(), text('It is '), text('six'), done()]);
    expect(shown).toBe('It is four\n  (the answer was interrupted and starts again)\nIt is six\n');
  });

  it('is shown whole when it ends earlier than what was shown', () => {
    expect(render([text('It is four'), reset(), text('It is'), done()])).toBe(
      'It is four\n  (the answer was interrupted and starts again)\nIt is\n',
    );
  });

  it('keeps its colours across the repetition', () => {
    const once = render([toolResult('a', 'b'), text('cd'), done()], { isColoured: true });
    expect(
      render([toolResult('a', 'b'), text('c'), reset(), toolResult('a', 'b'), text('c'), text('d'), done()], {
        isColoured: true,
      }),
    ).toBe(once);
  });
});
