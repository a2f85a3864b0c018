const ID = /(?:Id|Reference)$/;
const MAX_LENGTH = 300;

/**
 * The members that can identify the record that an event is about, the best one first: the one that is named like the event
 * (`departureId` of `departure.changed`), then the others in their declared order.
 */
export function subjectMembers(event: string, members: readonly string[]): string[] {
  const name = event.split('.', 1)[0]?.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const ids = members.filter((member) => ID.test(member));
  const isNamedLikeEvent = (member: string) => member.replace(ID, '') === name;
  return [...ids.filter(isNamedLikeEvent), ...ids.filter((member) => !isNamedLikeEvent(member))];
}

/** The ID of the record that an event is about; null if its data has none. */
export function subjectOf(
  event: string,
  members: readonly string[],
  data: Readonly<Record<string, unknown>>,
): string | null {
  const values = subjectMembers(event, members).map((member) => data[member]);
  return values.find((value): value is string => typeof value === 'string' && value.length <= MAX_LENGTH) ?? null;
}
