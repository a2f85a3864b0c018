import type { InvoiceDocument } from './invoice-document.js';

const STYLE = `body{font:14px/1.4 "DejaVu Sans",sans-serif;margin:40px;color:#111}
table{border-collapse:collapse;width:100%;margin:16px 0}th,td{padding:4px 8px;text-align:right;border-bottom:1px solid #ccc}
th:first-child,td:first-child{text-align:left}.stamp{color:#b00020;font-size:24px}.parties{display:flex;gap:64px}
.sums{width:auto;margin-left:auto}`;

/** A page that loads no other resource. Every text is escaped. */
export function renderHtml(document: InvoiceDocument): Buffer {
  const { language, title, stamp, summary, parties, columns, rows, taxes, totals } = document;
  const html = `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${stamp === null ? '' : `<p class="stamp">${escaped(stamp)}</p>`}
<h1>${escaped(title)}</h1>
<dl>${summary.map(({ label, value }) => `<dt>${escaped(label)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>
<div class="parties">${parties.map(({ title: name, lines }) => `<div><h2>${escaped(name)}</h2><p>${lines.map(escaped).join('<br>')}</p></div>`).join('')}</div>
<table><thead>${row('th', columns)}</thead><tbody>${rows.map((cells) => row('td', cells)).join('')}</tbody></table>
<table class="sums"><caption>${escaped(taxes.title)}</caption><tbody>${taxes.rows.map((cells) => row('td', cells)).join('')}</tbody></table>
<table class="sums"><tbody>${totals.map(({ label, value }) => row('td', [label, value])).join('')}</tbody></table>
</body>
</html>
`;
  return Buffer.from(html);
}

function row(cell: 'td' | 'th', cells: readonly string[]): string {
  return `<tr>${cells.map((text) => `<${cell}>${escaped(text)}</${cell}>`).join('')}</tr>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
