/** The id that a job's payload has under this name. Throws where there is none: nobody but this module adds such jobs. */
export function idIn(payload: unknown, name: string): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
  if (typeof id !== 'string') throw new Error(`The job names no ${name}`);
  return id;
}
