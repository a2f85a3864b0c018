import { renderInThread } from '../../../platform/pdf/pdf-threads.js';
import type { InvoiceDocument } from './invoice-document.js';
import { renderHtml } from './invoice-html.js';
import type { RenditionFormat } from './invoice-rendition.entity.js';

/** The same document always gives the same bytes. */
export async function render(document: InvoiceDocument, format: RenditionFormat): Promise<Uint8Array> {
  switch (format) {
    case 'html':
      return renderHtml(document);
    case 'pdf':
      return renderInThread(new URL('./pdf-thread.js', import.meta.url), document);
  }
}
