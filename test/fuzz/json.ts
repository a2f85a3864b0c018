/** JSON without an equivalent JavaScript value: `1e400`, an integer that a double would round, 10,000 brackets. */
export class Raw {
  constructor(readonly text: string) {}
}

export type Json = null | boolean | number | string | Raw | Json[] | { [name: string]: Json };

/** The JSON text. Lone surrogates are written as escapes, as `JSON.stringify` does. */
export function textOf(json: Json): string {
  if (json instanceof Raw) return json.text;
  if (Array.isArray(json)) return `[${json.map(textOf).join(',')}]`;
  if (!isObject(json)) return Object.is(json, -0) ? '-0' : JSON.stringify(json);
  return `{${Object.entries(json)
    .map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`)
    .join(',')}}`;
}

export function isObject(json: unknown): json is { [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Raw);
}

/** The object with one more member, or another value of it; `__proto__` is an ordinary name. */
export function withMember(object: { [name: string]: Json }, name: string, value: Json): { [name: string]: Json } {
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

export function withoutMember(object: { [name: string]: Json }, name: string): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
