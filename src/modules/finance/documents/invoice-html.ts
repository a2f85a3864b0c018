import type { InvoiceDocument, LabelledText, NamedText, SumTable } from './invoice-document.js';

const FONTS = '"DejaVu Sans","Noto Sans","Noto Sans Arabic","Noto Sans Hebrew","Noto Sans JP",sans-serif';
const STYLE = `body{font:14px/1.4 ${FONTS};margin:40px;color:#111}h2{font-size:14px;margin:16px 0 4px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0}dt{font-weight:bold}dd{margin:0}tr{break-inside:avoid}
table{border-collapse:collapse;width:100%;margin:16px 0}th,td{padding:4px 8px;text-align:right;vertical-align:top;border-bottom:1px solid #ccc}
th:first-child,td:first-child{text-align:left}td div{text-align:left}.stamp{color:#b00020;font-size:24px}.parties{display:flex;gap:64px}
.parties div div,.notes div{text-align:left}.sums{width:auto;margin-left:auto}.logo{max-width:240px;max-height:80px}
.notes div{margin:8px 0;white-space:pre-line}`;

/**
 * Renders a page that loads no other resource. Escapes every text. Texts that people wrote have their own direction, so that an
 * Arabic name does not change the order of the text around it.
 */
export function renderHtml(document: InvoiceDocument): Buffer {
  const { language, title, stamp, logo, summary, parties, columns, rows, totals, payment, notes } = document;
  const html = `<!doctype html>
<html lang="${escaped(language)}" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${logo === null ? '' : `<img class="logo" alt="" width="${logo.widthPixels}" height="${logo.heightPixels}" src="${escaped(logo.dataUrl)}">`}
${stamp === null ? '' : `<p class="stamp">${escaped(stamp)}</p>`}
<h1>${escaped(title)}</h1>
<dl>${summary.map(definition).join('')}</dl>
<div class="parties">${parties.map(({ title: name, lines }) => `<div><h2>${escaped(name)}</h2>${lines.map(namedText).join('')}</div>`).join('')}</div>
<table><thead>${row('th', columns)}</thead><tbody>${rows.map(lineRow).join('')}</tbody></table>
${sumTable(document.taxes)}
<table class="sums"><tbody>${totals.map(({ label, value }) => row('td', [label, value])).join('')}</tbody></table>
${document.baseTaxes === null ? '' : sumTable(document.baseTaxes)}
${payment === null ? '' : `<h2>${escaped(payment.title)}</h2><dl>${payment.lines.map(definition).join('')}</dl>`}
<div class="notes">${notes.map(namedText).join('')}</div>
</body>
</html>
`;
  return Buffer.from(html);
}

function sumTable({ title, columns, rows, note }: SumTable): string {
  const body = rows.map((cells) => row('td', cells)).join('');
  const foot = note === null ? '' : `<tfoot><tr><td colspan="${columns.length}">${escaped(note)}</td></tr></tfoot>`;
  return `<table class="sums"><caption>${escaped(title)}</caption><thead>${row('th', columns)}</thead><tbody>${body}</tbody>${foot}</table>`;
}

function definition({ label, value }: LabelledText): string {
  return `<dt>${escaped(label)}</dt><dd><bdi>${escaped(value)}</bdi></dd>`;
}

function namedText({ label, value }: NamedText): string {
  return label === null
    ? `<div dir="auto">${escaped(value)}</div>`
    : `<div>${escaped(label)} <bdi>${escaped(value)}</bdi></div>`;
}

function lineRow([description = '', ...figures]: readonly string[]): string {
  const lines = description.split('\n').map((text) => `<div dir="auto">${escaped(text)}</div>`);
  return `<tr><td>${lines.join('')}</td>${figures.map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`;
}

function row(cell: 'td' | 'th', cells: readonly string[]): string {
  return `<tr>${cells.map((text) => `<${cell}>${escaped(text)}</${cell}>`).join('')}</tr>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
