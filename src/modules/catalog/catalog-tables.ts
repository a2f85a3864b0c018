import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  catalog_document: { rights: DELETE },
  catalog_reindex: { impersonal: ['embeddings'] },
  catalog_search_document: { rights: DELETE, impersonal: ['bounds', 'words'] },
  catalog_search_index: { rights: DELETE, impersonal: ['revision'] },
  catalog_search_lease: { rights: DELETE, impersonal: ['owner'] },
  catalog_search_stem: { rights: DELETE, impersonal: ['lexeme'] },
  catalog_search_value: { rights: DELETE, impersonal: ['value'] },
  catalog_search_vector: { rights: DELETE },
  catalog_search_vector_index: { rights: DELETE },
  catalog_search_word: { rights: DELETE, impersonal: ['stem', 'variants'] },
});
