import { beforeAll, describe, expect, it } from '@jest/globals';
import { reversed } from '../action-ledger/reversals.js';
import { addItem, makeBooking, type One, problem, staffWith } from '../bookings/bookings.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';
import { type DocumentTemplate, newTemplate, templateBody, TEMPLATES } from './document-templates.js';
import { printed, textOf } from './documents.js';

interface Kinds {
  kinds: {
    kind: string;
    placeholders: { name: string; example: string }[];
    lists: { name: string; placeholders: { name: string; example: string }[] }[];
  }[];
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', RATE_LIMIT_FACTOR: '1000' } });
  owner = app.as('owner');
});

const publish = (id: string) => owner.post<One<DocumentTemplate>>(`${TEMPLATES}/${id}/publication`);
const retire = (id: string) => owner.post<One<DocumentTemplate>>(`${TEMPLATES}/${id}/retirement`);
const read = async (id: string) => (await owner.get<One<DocumentTemplate>>(`${TEMPLATES}/${id}`)).body.data;
const refused = (blocks: unknown[], kind = 'confirmation') => owner.post(TEMPLATES, templateBody({ kind, blocks }));

async function preview(id: string, query = ''): Promise<string> {
  const url = `${app.url}${TEMPLATES}/${id}/preview${query}`;
  const file = await fetchFile(url, { authorization: `Bearer ${tokenOf(app.credentials, 'owner')}` });
  expect([file.status, file.headers['content-type']]).toEqual([200, 'application/pdf']);
  return (await pagesOf(file.bytes)).join(' ');
}

async function aBooking(language = 'en') {
  const { id } = await makeBooking(owner);
  await addItem(owner, id, { title: 'City tour' });
  return { kind: 'confirmation', subjectType: 'booking', subjectId: id, language };
}

describe('templates of documents', () => {
  it('a published template replaces the built-in layout until it is retired', async () => {
    const source = await aBooking();
    const builtIn = await printed(app, source);
    expect([builtIn['templateId'], builtIn['templateVersion']]).toEqual([null, 1]);
    const template = await newTemplate(owner);
    expect(template).toMatchObject({ ...templateBody(), status: 'draft', version: 1, publishedAt: null });
    expect((await printed(app, source))['templateId']).toBeNull();

    expect((await publish(template.id)).body.data).toMatchObject({ status: 'published', version: 2 });
    const document = await printed(app, source);
    expect([document['templateId'], document['templateVersion']]).toEqual([template.id, 2]);
    const { text } = await textOf(app, document.id);
    expect(text).toContain('Our trip ');
    expect(text).not.toContain('City tour');
    expect((await printed(app, { ...source, language: 'de' }))['templateId']).toBeNull();

    expect((await retire(template.id)).body.data).toMatchObject({ status: 'retired' });
    expect((await printed(app, source))['templateId']).toBeNull();
  });

  it('a publication retires the former template, which its reversal publishes again', async () => {
    const [first, second] = [
      await newTemplate(owner, { language: 'fr' }),
      await newTemplate(owner, { language: 'fr' }),
    ];
    await publish(first.id);
    await publish(second.id);
    expect([(await read(first.id)).status, (await read(second.id)).status]).toEqual(['retired', 'published']);
    const changed = await owner.patch(`${TEMPLATES}/${second.id}`, { name: 'Other' });
    expect([changed.status, changed.body]).toEqual([409, problem('template_immutable', { status: 'published' })]);
    await reversed(app, second.id, 'documents.template.publish');
    expect([(await read(first.id)).status, (await read(second.id)).status]).toEqual(['published', 'retired']);
  });

  it('of parallel publications for one kind and language one stays published', async () => {
    const drafts = await Promise.all([1, 2, 3, 4].map(() => newTemplate(owner, { language: 'it' })));
    const answers = await Promise.all(drafts.map(({ id }) => publish(id)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { body } = await owner.get<{ total: number }>(`${TEMPLATES}?kind=confirmation&language=it&status=published`);
    expect(body.total).toBe(1);
  });

  it('unknown placeholders and lists are rejected with their path', async () => {
    const unknown = (path: string) => problem('placeholder_unknown', { field: 'blocks', path });
    const cases: [unknown[], string][] = [
      [[{ type: 'text', text: 'Dear {{customer.password}}' }], 'blocks.0.text'],
      [
        [{ type: 'spacer' }, { type: 'facts', facts: [{ label: 'A', value: '{{constructor}}' }] }],
        'blocks.1.facts.0.value',
      ],
      [[{ type: 'table', list: 'people', columns: [{ heading: 'A', text: 'B' }] }], 'blocks.0.list'],
      [[{ type: 'table', list: 'toString', columns: [{ heading: 'A', text: 'B' }] }], 'blocks.0.list'],
      [
        [{ type: 'table', list: 'services', columns: [{ heading: 'A', text: '{{booking.number}}' }] }],
        'blocks.0.columns.0.text',
      ],
      [
        [{ type: 'columns', parts: [{ blocks: [{ type: 'heading', text: '{{7 * 7}}' }] }] }],
        'blocks.0.parts.0.blocks.0.text',
      ],
    ];
    for (const [blocks, path] of cases) {
      const { status, body } = await refused(blocks);
      expect([status, body]).toEqual([422, unknown(path)]);
    }
    expect((await refused([{ type: 'text', text: '{{booking.total}}' }], 'manifest')).status).toBe(422);
  });

  it('blocks of other forms are invalid', async () => {
    const services = { type: 'table', list: 'services', columns: [{ heading: 'A', text: 'B' }] };
    const nested = { type: 'columns', parts: [{ blocks: [{ type: 'columns', parts: [] }] }] };
    const cases: [unknown[], string, string][] = [
      [[{ type: 'html', text: '<b>' }], 'blocks.0.type', 'block_invalid'],
      [[{ type: 'image', image: 'https://example.com/x.png' }], 'blocks.0.image', 'block_invalid'],
      [[{ type: 'heading', text: 'A', href: 'x' }], 'blocks.0', 'block_invalid'],
      [[{ type: 'heading' }], 'blocks.0.text', 'block_invalid'],
      [[{ type: 'text', text: 'x'.repeat(4_001) }], 'blocks.0.text', 'block_invalid'],
      [[{ type: 'text', text: 'A\u0007' }], 'blocks.0.text', 'block_invalid'],
      [[nested], 'blocks.0.parts.0.blocks.0.type', 'block_invalid'],
      [
        [{ type: 'table', list: 'services', columns: [{ heading: 'A', text: 'B', width: 0 }] }],
        'blocks.0.columns.0.width',
        'block_invalid',
      ],
      [[{ type: 'code', text: 'Names: {{travelers.names}}' }], 'blocks.0.text', 'block_invalid'],
      [[services, services, { type: 'columns', parts: [{ blocks: [services, services] }] }], 'blocks', 'block_invalid'],
      [[{ type: 'text', text: 'x'.repeat(20_000) }], 'blocks.0', 'unfit_object'],
      [Array.from({ length: 61 }, () => ({ type: 'spacer' })), 'blocks', 'too_many'],
      [[], 'blocks', 'too_few'],
    ];
    for (const [blocks, path, code] of cases) {
      const answer = await refused(blocks);
      expect([path, answer]).toMatchObject([path, { status: 400, body: { details: { issues: [{ path, code }] } } }]);
    }
  });

  it('every placeholder of each kind is listed, and a preview shows its example', async () => {
    const { body } = await owner.get<One<Kinds>>('/v1/admin/document-placeholders');
    expect(body.data.kinds.map(({ kind }) => kind)).toEqual(['confirmation', 'itinerary', 'manifest', 'rooming_list']);
    for (const { kind, placeholders, lists } of body.data.kinds) {
      const blocks = [
        { type: 'facts', facts: placeholders.slice(0, 30).map(({ name }) => ({ label: name, value: `{{${name}}}` })) },
        ...lists.map(({ name, placeholders: row }) => ({
          type: 'table',
          list: name,
          columns: row.map((one) => ({ heading: 'A', text: `{{${one.name}}}`, width: 8 })),
        })),
        { type: 'code', text: '{{company.name}}' },
        { type: 'pageBreak' },
        {
          type: 'columns',
          parts: [{ blocks: [{ type: 'text', text: 'Left' }] }, { blocks: [{ type: 'image', image: 'logo' }] }],
        },
      ];
      const { id } = await newTemplate(owner, { kind, language: 'es', blocks });
      const text = await preview(id);
      expect(text).toContain('Left');
      const own = placeholders.filter(({ name }) => !/^(company|document)\.(?!title)/.test(name));
      const examples = [...own, ...lists.flatMap(({ placeholders: row }) => row)];
      const missing = examples.filter(({ example }) => !text.includes(example.split(/[\n ]/)[0] ?? ''));
      expect([kind, missing]).toEqual([kind, []]);
    }
  });

  it('a record provides every placeholder that its kind lists', async () => {
    const { body } = await owner.get<One<Kinds>>('/v1/admin/document-placeholders');
    const { DocumentPrinter } = await import('../../src/modules/documents/index.js');
    const { Listeners } = await import('../../src/platform/discovery/listeners.js');
    const { asSystem } = await import('../../src/platform/context/request-context.js');
    const departure = await newDeparture(app, { startsAt: '2127-03-09T06:00:00Z', endsAt: '2127-03-11T15:00:00Z' });
    const booking = (await aBooking()).subjectId;
    await addItem(owner, booking, { departureId: departure.id, title: 'Adult' });
    for (const { kind, placeholders, lists } of body.data.kinds) {
      const isTravel = kind === 'confirmation' || kind === 'itinerary';
      const source = isTravel
        ? { kind, subjectType: 'booking', subjectId: booking }
        : { kind, subjectType: 'departure', subjectId: departure.id };
      const { texts } = await asSystem(() =>
        app.nest
          .get(Listeners)
          .one(DocumentPrinter)
          .read(source as never, 'en'),
      );
      const names = placeholders.map(({ name }) => name).filter((name) => !/^(company\.|document\.date)/.test(name));
      expect(Object.keys(texts.values)).toEqual(expect.arrayContaining(names));
      for (const { name, placeholders: row } of lists) {
        const [first] = texts.lists[name] ?? [];
        if (first) expect(Object.keys(first)).toEqual(expect.arrayContaining(row.map((one) => one.name)));
        else expect([kind, name]).toEqual(['rooming_list', 'rooms']);
      }
    }
  });

  it('a preview shows a record to those who may read it, and braces in its data are text', async () => {
    const { subjectId } = await aBooking();
    await owner.patch(`/v1/admin/bookings/${subjectId}`, { customerName: '{{company.name}} <b>' });
    const { id } = await newTemplate(owner, { blocks: [{ type: 'text', text: 'For {{customer.name}}' }] });
    const query = `?subjectType=booking&subjectId=${subjectId}`;
    expect(await preview(id, query)).toContain('For {{company.name}} <b>');
    const designer = await staffWith(app, 'documents:read');
    const needed = problem('forbidden', { requiredScope: 'bookings:read' });
    expect((await designer.get(`${TEMPLATES}/${id}/preview${query}`)).body).toEqual(needed);
    expect((await owner.get(`${TEMPLATES}/${id}/preview?subjectType=booking`)).status).toBe(400);
    expect((await owner.get(`${TEMPLATES}/${id}/preview?subjectType=departure&subjectId=x`)).status).toBe(400);
  });
});
