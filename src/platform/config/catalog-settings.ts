import { isCurrency } from '../money/money.js';
import { choice, list, optionalText, wholeNumber } from './settings.js';

/** The markets of the catalog, and the service that turns its texts into vectors. */
export const catalogSettings = {
  catalogMarkets: list({
    name: 'CATALOG_MARKETS',
    purpose: 'Markets of the catalog with currency and language; the first is the default',
    example: 'us:USD:en-US,de:EUR:de-DE',
    fallback: 'default:EUR:en-GB',
    expected: 'a list of code:currency:locale',
    check: marketFault,
  }),
  searchAdapter: choice(
    {
      name: 'SEARCH_ADAPTER',
      purpose:
        'Where the search indexes of the catalog are: in the memory of each process, or in PostgreSQL (by meaning only if it has pgvector)',
      example: 'postgres',
      fallback: 'memory',
    },
    ['memory', 'postgres'],
  ),
  embedder: choice(
    {
      name: 'EMBEDDER',
      purpose: 'Embedding model for search by meaning: built in (English), an HTTP service, or none',
      example: 'none',
      fallback: 'builtin',
    },
    ['builtin', 'http', 'none'],
  ),
  embeddingThreads: wholeNumber({
    name: 'EMBEDDING_THREADS',
    purpose:
      'Maximum threads of the built-in model for documents, up to the number of cores; each uses 150 MB while documents are embedded',
    example: '2',
    fallback: '4',
    min: 1,
    max: 64,
  }),
  embeddingUrl: optionalText({
    name: 'EMBEDDING_URL',
    purpose: 'Address of an OpenAI-compatible embeddings endpoint, for `EMBEDDER=http`',
    example: 'https://embeddings.example.com/v1/embeddings',
    isPlaceholder: true,
    expected: 'an http or https address',
    form: /^https?:\/\/[^\s]{1,500}$/,
  }),
  embeddingApiKey: optionalText({
    name: 'EMBEDDING_API_KEY',
    purpose: 'Bearer token for EMBEDDING_URL',
    example: '',
    expected: 'text of at most 500 characters',
    form: /^[\x21-\x7e]{1,500}$/,
  }),
  embeddingModel: optionalText({
    name: 'EMBEDDING_MODEL',
    purpose: 'Model name sent to EMBEDDING_URL',
    example: 'text-embedding-3-small',
    expected: 'text of at most 200 characters',
    form: /^[\x21-\x7e]{1,200}$/,
  }),
  embeddingLanguages: list({
    name: 'EMBEDDING_LANGUAGES',
    purpose: 'Languages that the model supports',
    example: 'en,de,fr',
    fallback: 'en',
    expected: 'a list of language codes',
    check: (entry) => (/^[a-z]{2,3}$/.test(entry) ? null : `contains '${entry}', which is not a language code`),
  }),
};

function marketFault(entry: string): string | null {
  const [code = '', currency = '', locale = '', ...rest] = entry.split(':');
  const fits = /^[A-Za-z0-9._-]{1,64}$/.test(code) && isCurrency(currency) && isLocale(locale) && rest.length === 0;
  return fits ? null : `contains '${entry}', which is not a market such as us:USD:en-US`;
}

function isLocale(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
