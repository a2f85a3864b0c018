import { type HtmlPage, languageAmong } from '../../../platform/http/html-page.js';

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

/** Returns the page language that matches a language tag, otherwise English. */
export function pageLanguageOf(tag: string): PageLanguage {
  return languageAmong(PAGE_LANGUAGES, tag);
}

/** Returns the page. Its form is sent to its own address, so it contains no token. */
export function unsubscriptionPage(
  state: PageState,
  { language, company }: { language: PageLanguage; company: string },
): HtmlPage {
  const { title, text } = TEXTS[language][state];
  const form = `<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>${BUTTON[language]}</button>
</form>`;
  const content = `<h1>${title}</h1>
<p>${text}</p>
${state === 'question' ? form : ''}`;
  return { status: state === 'notFound' ? 404 : 200, language, title, content, lines: [company] };
}
