/** The name of an event, all names that start with a prefix and a dot (`booking.*`), or all (`*`). */
export const EVENT_TYPE = /^(?:[A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,195}(?:\.\*)?|\*)$/;

/** All patterns that match this event. */
export function patternsOf(event: string): string[] {
  const parts = event.split('.');
  const prefixes = parts.slice(0, -1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`);
  return [event, ...prefixes, '*'];
}

export function matchesAny(patterns: readonly string[], event: string): boolean {
  return patternsOf(event).some((pattern) => patterns.includes(pattern));
}
