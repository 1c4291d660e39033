import { errorResult, type Tool, textResult } from './contract.ts';

const NAME = 'current_time';

/** current_time(timezone): the turn's clock in an IANA zone, UTC when none is given. */
export const currentTimeTool: Tool = {
  name: NAME,
  description: 'Tells the current date and time. Without timezone the answer is in UTC.',
  inputSchema: {
    type: 'object',
    properties: {
      timezone: { type: 'string', maxLength: 64, description: 'IANA name such as Europe/Berlin or America/New_York' },
    },
    additionalProperties: false,
  },
  effect: 'read',
  run: async (context, input) => {
    const timezone = typeof input['timezone'] === 'string' && input['timezone'] !== '' ? input['timezone'] : 'UTC';
    const fields = fieldsIn(timezone, new Date(context.nowMicros / 1000));
    if (fields === undefined)
      return errorResult(
        NAME,
        'invalid_arguments',
        `unknown time zone ${JSON.stringify(timezone)}: give an IANA name such as Europe/Rome`,
      );
    const time = `${fields.year}-${fields.month}-${fields.day}T${fields.hour}:${fields.minute}:${fields.second}${fields.offset}`;
    return textResult(`${time} (${fields.weekday}, ${timezone})`, { time, timezone, weekday: fields.weekday });
  },
};

type Field = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'weekday' | 'offset';

const fieldsIn = (timezone: string, at: Date): Readonly<Record<Field, string>> | undefined => {
  const format = formatFor(timezone);
  if (format === undefined) return undefined;
  const found = new Map(format.formatToParts(at).map((part) => [part.type as string, part.value]));
  const get = (type: string): string => found.get(type) ?? '';
  const offset = get('timeZoneName').replace('GMT', '') || '+00:00';
  return {
    year: get('year').padStart(4, '0'),
    month: get('month'),
    day: get('day'),
    hour: get('hour'),
    minute: get('minute'),
    second: get('second'),
    weekday: get('weekday'),
    offset: timezone === 'UTC' ? 'Z' : offset,
  };
};

/** Undefined for a zone that the runtime does not know. */
const formatFor = (timezone: string): Intl.DateTimeFormat | undefined => {
  const two = '2-digit';
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
      hourCycle: 'h23',
      weekday: 'long',
      timeZoneName: 'longOffset',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};
