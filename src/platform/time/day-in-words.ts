/** Returns a calendar day as people of a language write it: `12. Mai 2027` in German. */
export function dayInWords(date: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}

/** Returns local date and time with the name of the zone: the reader may be in another one. */
export function timeInWords(instant: Date, { language, timeZone }: { language: string; timeZone: string }): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone });
  return `${format.format(instant)} (${timeZone})`;
}

/** Returns the local day and time of a departure as people of a language write them: `12. Mai 2027 um 14:00` in German. */
export function departureTimeInWords(
  { startsAt, timeZone }: { startsAt: Date; timeZone: string },
  language: string,
): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(startsAt);
}
