import type { DocumentLanguage } from '../../organization/index.js';

/** How mails to customers begin. */
const GREETINGS: Readonly<Record<DocumentLanguage, { named: string; unnamed: string }>> = {
  en: { named: 'Dear {name},', unnamed: 'Hello,' },
  de: { named: 'Guten Tag {name},', unnamed: 'Guten Tag,' },
  fr: { named: 'Bonjour {name},', unnamed: 'Bonjour,' },
  es: { named: 'Hola, {name}:', unnamed: 'Hola:' },
  it: { named: 'Gentile {name},', unnamed: 'Buongiorno,' },
  ro: { named: 'Bună ziua, {name},', unnamed: 'Bună ziua,' },
};

/** The name is null if it is not known. */
export function greetingOf(name: string | null, language: DocumentLanguage): string {
  const { named, unnamed } = GREETINGS[language];
  return name === null ? unnamed : named.replace('{name}', () => name);
}
