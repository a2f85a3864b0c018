import { dayInWords } from '../../../platform/time/day-in-words.js';
import { escaped, type HtmlPage, languageAmong } from '../../../platform/http/html-page.js';

/** The languages of the page around a contract; the contract itself may be in any language. */
export const PAGE_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'ro'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The parts of a contract that the public page shows. */
export interface ShownContract {
  title: string;
  contractNumber: string;
  /** Sanitized and frozen when the contract was issued. */
  body: string;
  language: string;
  status: string;
  bodySha256: string;
  /** Null until the other party has signed. */
  signature: { name: string; day: string } | null;
}

export interface Company {
  name: string;
  address: string | null;
  taxId: string | null;
}

interface PageTexts {
  contract: string;
  expired: string;
  taxId: string;
  notFound: string;
  notFoundHint: string;
  void: string;
  voidHint: string;
  sign: string;
  fullName: string;
  /** What the signer declares by the checkbox. */
  statement: string;
  button: string;
  /** With `{name}` and `{day}`. */
  signed: string;
}

const TEXTS: Record<PageLanguage, PageTexts> = {
  en: {
    contract: 'Contract',
    expired: 'This contract has expired.',
    taxId: 'Tax ID',
    notFound: 'This page does not exist',
    notFoundHint: 'The link is incomplete, or it is no longer valid. Please ask us for a new one.',
    void: 'This contract is no longer valid',
    voidHint: 'The contract was declared void. Please contact us if you have any questions.',
    sign: 'Sign this contract',
    fullName: 'Your full name',
    statement: 'I have read this contract and agree to it.',
    button: 'Sign',
    signed: 'Signed by {name} on {day}.',
  },
  de: {
    contract: 'Vertrag',
    expired: 'Dieser Vertrag ist abgelaufen.',
    taxId: 'Steuernummer',
    notFound: 'Diese Seite gibt es nicht',
    notFoundHint: 'Der Link ist unvollständig oder nicht mehr gültig. Bitte fordern Sie bei uns einen neuen an.',
    void: 'Dieser Vertrag ist nicht mehr gültig',
    voidHint: 'Der Vertrag wurde für ungültig erklärt. Bei Fragen wenden Sie sich bitte an uns.',
    sign: 'Vertrag unterzeichnen',
    fullName: 'Ihr vollständiger Name',
    statement: 'Ich habe diesen Vertrag gelesen und stimme ihm zu.',
    button: 'Unterzeichnen',
    signed: 'Unterzeichnet von {name} am {day}.',
  },
  fr: {
    contract: 'Contrat',
    expired: 'Ce contrat a expiré.',
    taxId: 'Numéro fiscal',
    notFound: 'Cette page n’existe pas',
    notFoundHint: 'Le lien est incomplet ou n’est plus valable. Veuillez nous en demander un nouveau.',
    void: 'Ce contrat n’est plus valable',
    voidHint: 'Le contrat a été annulé. Pour toute question, veuillez nous contacter.',
    sign: 'Signer ce contrat',
    fullName: 'Votre nom complet',
    statement: 'J’ai lu ce contrat et je l’accepte.',
    button: 'Signer',
    signed: 'Signé par {name} le {day}.',
  },
  es: {
    contract: 'Contrato',
    expired: 'Este contrato ha vencido.',
    taxId: 'Número de identificación fiscal',
    notFound: 'Esta página no existe',
    notFoundHint: 'El enlace está incompleto o ya no es válido. Solicítenos uno nuevo.',
    void: 'Este contrato ya no es válido',
    voidHint: 'El contrato ha sido anulado. Si tiene alguna pregunta, póngase en contacto con nosotros.',
    sign: 'Firmar este contrato',
    fullName: 'Su nombre completo',
    statement: 'He leído este contrato y lo acepto.',
    button: 'Firmar',
    signed: 'Firmado por {name} el {day}.',
  },
  it: {
    contract: 'Contratto',
    expired: 'Questo contratto è scaduto.',
    taxId: 'Codice fiscale',
    notFound: 'Questa pagina non esiste',
    notFoundHint: 'Il link è incompleto o non è più valido. Vi preghiamo di richiederne uno nuovo.',
    void: 'Questo contratto non è più valido',
    voidHint: 'Il contratto è stato annullato. Per qualsiasi domanda vi preghiamo di contattarci.',
    sign: 'Firmare questo contratto',
    fullName: 'Nome e cognome',
    statement: 'Ho letto questo contratto e lo accetto.',
    button: 'Firmare',
    signed: 'Firmato da {name} in data {day}.',
  },
  ro: {
    contract: 'Contract',
    expired: 'Acest contract a expirat.',
    taxId: 'Cod fiscal',
    notFound: 'Această pagină nu există',
    notFoundHint: 'Linkul este incomplet sau nu mai este valabil. Vă rugăm să ne cereți unul nou.',
    void: 'Acest contract nu mai este valabil',
    voidHint: 'Contractul a fost declarat nul. Pentru orice întrebare, vă rugăm să ne contactați.',
    sign: 'Semnați acest contract',
    fullName: 'Numele dumneavoastră complet',
    statement: 'Am citit acest contract și sunt de acord cu el.',
    button: 'Semnați',
    signed: 'Semnat de {name} la {day}.',
  },
};

const STYLE = `
header p { margin: 0; color: #555; }
table { border-collapse: collapse; } th, td { border: 1px solid #bbb; padding: .25rem .5rem; }
form { margin-top: 3rem; border-top: 1px solid #bbb; }
label { display: block; margin: 1rem 0; }
@media print { body { background: none; } main { padding: 0; max-width: none; } }`;

/** Returns the page language that matches a language tag, otherwise English. */
export function pageLanguageOf(tag: string): PageLanguage {
  return languageAmong(PAGE_LANGUAGES, tag);
}

/** Returns the contract with the name and address of the company. Escapes the title; the body was sanitized at the issue. */
export function contractPage(contract: ShownContract, company: Company): HtmlPage {
  const language = pageLanguageOf(contract.language);
  const texts = TEXTS[language];
  const notice = noticeOf(contract);
  return page(
    { status: 200, language, title: contract.title, company },
    `<header><p>${escaped(company.name)}</p>
<h1>${escaped(contract.title)}</h1>
<p>${texts.contract} ${escaped(contract.contractNumber)}</p></header>
${notice}
<article lang="${escaped(contract.language)}">${contract.body}</article>
${contract.status === 'sent' ? signatureForm(contract, texts) : ''}`,
  );
}

/** What a signer of a contract in this language declares. */
export function statementIn(language: string): string {
  return TEXTS[pageLanguageOf(language)].statement;
}

function noticeOf({ status, signature, language: tag }: ShownContract): string {
  const language = pageLanguageOf(tag);
  const texts = TEXTS[language];
  if (signature) {
    const { name, day } = signature;
    return `<p class="notice">${escaped(texts.signed.replace('{day}', () => dayInWords(day, language)).replace('{name}', () => name))}</p>`;
  } else {
    return status === 'expired' ? `<p class="notice">${texts.expired}</p>` : '';
  }
}

/** It is sent to the address of the page, so it contains no token. The digest says which text was signed. */
function signatureForm({ bodySha256 }: ShownContract, { sign, fullName, statement, button }: PageTexts): string {
  return `<form method="post">
<h2>${sign}</h2>
<label>${fullName} <input name="name" maxlength="200" pattern=".*\\S.*" autocomplete="name" required></label>
<label><input type="checkbox" name="accepted" value="yes" required> ${statement}</label>
<input type="hidden" name="bodySha256" value="${bodySha256}">
<button>${button}</button>
</form>`;
}

/** Returns the page for an invalid link, or for a void contract. */
export function noticePage(
  notice: 'notFound' | 'void',
  { language, company }: { language: PageLanguage; company: Company },
): HtmlPage {
  const { [notice]: title, [`${notice}Hint` as const]: hint } = TEXTS[language];
  const status = notice === 'void' ? 410 : 404;
  return page({ status, language, title, company }, `<h1>${title}</h1>\n<p>${hint}</p>`);
}

function page(
  { company, ...head }: { status: number; language: PageLanguage; title: string; company: Company },
  content: string,
): HtmlPage {
  const { name, address, taxId } = company;
  const taxLine = taxId === null ? '' : `${TEXTS[head.language].taxId} ${taxId}`;
  return { ...head, content, style: STYLE, lines: [name, address ?? '', taxLine] };
}
