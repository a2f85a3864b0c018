import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { dan, deu, eng, fin, fra, hun, ita, nld, nob, por, ron, rus, spa, swe, tur } from 'stopword';

/** The stemmer and the stop words of a language. */
export interface Language {
  readonly stopWords: readonly string[];
  readonly stem: (word: string) => string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  da: { stopWords: dan, stem: danish },
  de: { stopWords: deu, stem: german },
  en: { stopWords: eng, stem: english },
  es: { stopWords: spa, stem: spanish },
  fi: { stopWords: fin, stem: finnish },
  fr: { stopWords: fra, stem: french },
  hu: { stopWords: hun, stem: hungarian },
  it: { stopWords: ita, stem: italian },
  nb: { stopWords: nob, stem: norwegian },
  nl: { stopWords: nld, stem: dutch },
  no: { stopWords: nob, stem: norwegian },
  pt: { stopWords: por, stem: portuguese },
  ro: { stopWords: ron, stem: romanian },
  ru: { stopWords: rus, stem: russian },
  sv: { stopWords: swe, stem: swedish },
  tr: { stopWords: tur, stem: turkish },
};

/** Returns the language of a locale. An unknown language has no stop words and does not stem. */
export function languageOf(locale: string): Language {
  const [code = ''] = locale.toLowerCase().split('-');
  const known = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  return known ?? { stopWords: [], stem: (word) => word };
}
