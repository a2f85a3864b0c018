/** The languages of the page. */
export const PAGE_LANGUAGES = ['en', 'de'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

export type PageState = 'question' | 'done' | 'notFound';

interface PageTexts {
  title: string;
  text: string;
}

const BUTTON: Record<PageLanguage, string> = { en: 'Unsubscribe', de: 'Abmelden' };

const TEXTS: Record<PageLanguage, Record<PageState, PageTexts>> = {
  en: {
    question: { title: 'Unsubscribe', text: 'Do you want to stop receiving news and offers by e-mail?' },
    done: {
      title: 'You are unsubscribed',
      text: 'You will no longer receive news and offers by e-mail. You will still receive e-mails about your bookings.',
    },
    notFound: {
      title: 'This page does not exist',
      text: 'The link is incomplete. Please open the link in the mail again, or contact us.',
    },
  },
  de: {
    question: { title: 'Abmelden', text: 'Möchten Sie keine Neuigkeiten und Angebote mehr per E-Mail erhalten?' },
    done: {
      title: 'Sie sind abgemeldet',
      text: 'Sie erhalten keine Neuigkeiten und Angebote mehr per E-Mail. E-Mails zu Ihren Buchungen erhalten Sie weiterhin.',
    },
    notFound: {
      title: 'Diese Seite gibt es nicht',
      text: 'Der Link ist unvollständig. Bitte öffnen Sie den Link in der E-Mail noch einmal, oder wenden Sie sich an uns.',
    },
  },
};

const STYLE = `
body { margin: 0; background: #f4f4f2; color: #1c1c1c; font: 1rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; max-width: 36rem; margin: 0 auto; padding: 2rem; background: #fff; min-height: 100vh; }
button { padding: .5rem 1.5rem; font: inherit; }
footer { margin-top: 3rem; border-top: 1px solid #bbb; color: #555; font-size: .875rem; }`;

/** Returns the page language that matches a language tag or its primary language (`de` for `de-AT`), otherwise English. */
export function pageLanguageOf(tag: string): PageLanguage {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return PAGE_LANGUAGES.find((language) => language === primary) ?? 'en';
}

/** Renders the page. Its form is sent to its own address, so it contains no token. */
export function unsubscriptionPage(
  state: PageState,
  { language, company, nonce }: { language: PageLanguage; company: string; nonce: string },
): string {
  const { title, text } = TEXTS[language][state];
  const form = `<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>${BUTTON[language]}</button>
</form>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${STYLE}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
${state === 'question' ? form : ''}
<footer><p>${escaped(company)}</p></footer>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
