import { DOCUMENTS, newDocumentId, put } from '../catalog/catalog.js';
import { type Recipe, staff } from './recipe.js';

const at = (id: string) => ({ parameters: { vertical: 'products', id } });
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
};

/** A batch has no name but in the ledger. */
async function newestBatch(app: Parameters<Recipe>[0]): Promise<string> {
  const [entry] = await app.sql<{ subject_id: string }>(
    `select subject_id from action_ledger_entries where subject_type = 'catalog_batch' order by created_at desc, id desc limit 1`,
  );
  return entry?.subject_id ?? '';
}
