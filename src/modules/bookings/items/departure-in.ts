/** The departure that a job is about. */
export function departureIn(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'departureId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no departureId');
  return id;
}
