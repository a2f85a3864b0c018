/** Returns the text with its placeholders, such as `{day}`, replaced by these values; unknown ones stay. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z]+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
