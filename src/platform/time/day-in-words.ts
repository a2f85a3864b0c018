/** Returns a calendar day as people of a language write it: `12. Mai 2027` in German. */
export function dayInWords(date: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}
