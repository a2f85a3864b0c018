/** The LIKE pattern for "contains this text", in which wildcards of the text are literal characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
