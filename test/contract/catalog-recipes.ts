import { DOCUMENTS, newDocumentId, put } from '../catalog/catalog.js';
import { made, on, post, type Recipe, staff } from './recipe.js';

const SYNONYMS = '/v1/admin/catalog/synonyms';

const at = (id: string) => ({ parameters: { vertical: 'products', id } });
const synonym = () => ({ language: 'en', terms: ['one', 'two'] });
const fields = { name: 'Crete beach week' };

export const catalogRecipes: Record<string, Recipe> = {
  [`PUT ${DOCUMENTS}/{vertical}/{id}`]: async (app) => {
    const id = newDocumentId();
    const subject = () => ({ type: 'catalog_document', id: `products/en-GB/default/${id}` });
    return { ...staff(app), ...at(id), body: { fields }, subject };
  },
  [`POST ${DOCUMENTS}/batch`]: async (app) => ({
    ...staff(app),
    body: { documents: [{ vertical: 'cruises', id: newDocumentId(), fields }] },
    subject: async () => ({ type: 'catalog_batch', id: await newestBatch(app) }),
  }),
  [`DELETE ${DOCUMENTS}/{vertical}/{id}`]: async (app) => {
    const { id } = await put(app, fields);
    return { ...staff(app), ...at(id), subject: () => ({ type: 'catalog_document', id: `products/${id}` }) };
  },

  [`POST ${SYNONYMS}`]: async (app) => ({ ...staff(app), body: synonym(), subject: made('catalog_synonym') }),
  [`PATCH ${SYNONYMS}/{id}`]: async (app) => {
    const { id } = await post(app, SYNONYMS, synonym());
    return { ...staff(app), ...on('catalog_synonym', id), body: { terms: ['one', 'two', 'three'] } };
  },
  [`DELETE ${SYNONYMS}/{id}`]: async (app) => {
    const { id } = await post(app, SYNONYMS, synonym());
    return { ...staff(app), ...on('catalog_synonym', id) };
  },
  'POST /v1/admin/catalog/reindex': async (app) => ({ ...staff(app), body: {}, subject: made('catalog_reindex') }),
};

/** Only the ledger has the name of a batch. */
async function newestBatch(app: Parameters<Recipe>[0]): Promise<string> {
  const [entry] = await app.sql<{ subject_id: string }>(
    `select subject_id from action_ledger_entries where subject_type = 'catalog_batch' order by created_at desc, id desc limit 1`,
  );
  return entry?.subject_id ?? '';
}
