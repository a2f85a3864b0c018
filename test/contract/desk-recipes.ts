import { makeBooking } from '../bookings/bookings.js';
import { callOffBody, callOffIn } from '../desk/call-offs/call-offs.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { BULK, bulkIn } from '../desk/bulk-operations.js';
import { checked, csvOf, IMPORTS } from '../desk/imports.js';
import { newNote, NOTES } from '../desk/notes.js';
import { newTask, TASKS } from '../desk/tasks.js';
import { newWaiting, WAITING, waitingForFull } from '../desk/waiting-list.js';
import { ATTACHMENTS, newAttachment, textFile } from '../documents/attachments.js';
import { newTemplate, templateBody, TEMPLATES } from '../documents/document-templates.js';
import { DOCUMENTS, printed } from '../documents/documents.js';
import { newCustomer } from '../customers/customers.js';
import type { TestApp } from '../setup/app.js';
import { inside, made, on, type Recipe, staff } from './recipe.js';

async function subject(app: TestApp): Promise<object> {
  return { subjectType: 'booking', subjectId: (await makeBooking(app.as('owner'))).id };
}

const CHECKED = csvOf('reference,lastName', 'K-1,Pop');

const ofImport = async (app: TestApp) => {
  const { import: found } = await checked(app, 'customers', CHECKED);
  return { ...staff(app), ...on('import', found.id) };
};

const uploading = async (app: TestApp, content: Buffer) => {
  const { id } = await newAttachment(app.as('owner'), await subject(app), { sizeBytes: content.length });
  return { ...staff(app), ...inside('attachment', id, { attachmentId: id }) };
};

const CALL_OFFS = `${DEPARTURES}/{id}/call-offs`;

const ofCallOff = async (app: TestApp, status: Parameters<typeof callOffIn>[1], isPending = false) => {
  const parameters = await callOffIn(app, status, { isPending });
  return { ...staff(app), parameters, subject: () => ({ type: 'call_off', id: parameters.callOffId }) };
};

const ofBulk = async (app: TestApp, status: Parameters<typeof bulkIn>[1]) => {
  return { ...staff(app), ...on('bulk_operation', await bulkIn(app, status)) };
};

const noted = async (app: TestApp) => {
  const { id } = await newNote(app.as('owner'), await subject(app));
  return { ...staff(app), ...inside('note', id, { noteId: id }) };
};

const waiting = async (app: TestApp) => {
  const { entry } = await waitingForFull(app);
  return { ...staff(app), ...inside('waiting_entry', entry.id, { entryId: entry.id }) };
};

const offered = async (app: TestApp) => {
  const { id: departureId } = await newDeparture(app);
  const entry = await newWaiting(app, { departureId });
  return { ...staff(app), ...inside('waiting_entry', entry.id, { entryId: entry.id }) };
};

let published = 0;

/** A draft of a kind and language in which none is published, because a publication retires the former template. */
const templated = async (app: TestApp) => {
  const kinds = ['confirmation', 'itinerary', 'manifest', 'rooming_list'];
  const languages = ['de', 'fr', 'es', 'it', 'ro'];
  const [kind, language] = [kinds[published % 4], languages[Math.floor(published / 4) % 5]];
  published += 1;
  const { id } = await newTemplate(app.as('owner'), { kind, language, blocks: [{ type: 'spacer' }] });
  return { ...staff(app), ...on('document_template', id) };
};

export const deskRecipes: Record<string, Recipe> = {
  [`POST ${ATTACHMENTS}`]: async (app) => ({
    ...staff(app),
    body: { ...(await subject(app)), fileName: 'list.txt', sizeBytes: 5, visibility: 'internal' },
    subject: made('attachment'),
  }),
  [`PUT ${ATTACHMENTS}/{attachmentId}/content`]: async (app) => {
    const content = textFile();
    return { ...(await uploading(app, content)), body: content };
  },
  [`DELETE ${ATTACHMENTS}/{attachmentId}`]: async (app) => uploading(app, textFile()),
  [`POST ${TEMPLATES}`]: async (app) => ({ ...staff(app), body: templateBody(), subject: made('document_template') }),
  [`PATCH ${TEMPLATES}/{id}`]: async (app) => ({ ...(await templated(app)), body: { name: 'Changed' } }),
  [`POST ${TEMPLATES}/{id}/publication`]: templated,
  [`POST ${TEMPLATES}/{id}/retirement`]: templated,
  [`POST ${DOCUMENTS}`]: async (app) => ({
    ...staff(app),
    body: { ...(await subject(app)), kind: 'confirmation' },
    subject: made('record_document'),
  }),
  [`POST ${DOCUMENTS}/{id}/dispatch`]: async (app) => {
    const { id: subjectId } = await makeBooking(app.as('owner'), { customerEmail: 'ada@example.com' });
    const { id } = await printed(app, { kind: 'confirmation', subjectType: 'booking', subjectId });
    return { ...staff(app), parameters: { id }, subject: made('notification_message') };
  },
  [`POST ${NOTES}`]: async (app) => ({
    ...staff(app),
    body: { ...(await subject(app)), text: 'Arrives late' },
    subject: made('note'),
  }),
  [`PATCH ${NOTES}/{noteId}`]: async (app) => ({ ...(await noted(app)), body: { text: 'Changed' } }),
  [`DELETE ${NOTES}/{noteId}`]: noted,
  [`POST ${CALL_OFFS}`]: async (app) => {
    const { id } = await newDeparture(app);
    const follows = ['operations.departure.call_off'];
    return { ...staff(app), parameters: { id }, body: callOffBody(), subject: made('call_off'), follows };
  },
  [`POST ${CALL_OFFS}/preview`]: async (app) => {
    const { id } = await newDeparture(app);
    return { ...staff(app), parameters: { id }, body: callOffBody(), subject: null };
  },
  [`PATCH ${CALL_OFFS}/{callOffId}/items/{itemId}`]: async (app) => ({
    ...(await ofCallOff(app, 'paused', true)),
    body: { action: 'cancel' },
  }),
  [`POST ${CALL_OFFS}/{callOffId}/pause`]: async (app) => ofCallOff(app, 'running'),
  [`POST ${CALL_OFFS}/{callOffId}/resumption`]: async (app) => ofCallOff(app, 'paused'),
  [`POST ${CALL_OFFS}/{callOffId}/retries`]: async (app) => ofCallOff(app, 'completed_with_failures'),
  [`POST ${CALL_OFFS}/{callOffId}/abandonment`]: async (app) => ({
    ...(await ofCallOff(app, 'paused')),
    body: { reason: 'The gale has passed' },
    follows: ['operations.departure.withdraw_call_off'],
  }),
  [`POST ${WAITING}`]: async (app) => {
    const { id: departureId } = await newDeparture(app);
    const { id: customerId } = await newCustomer(app);
    const follows = ['operations.waiting_entry.offer'];
    return { ...staff(app), body: { departureId, customerId, quantity: 2 }, subject: made('waiting_entry'), follows };
  },
  [`PATCH ${WAITING}/{entryId}`]: async (app) => ({ ...(await waiting(app)), body: { priority: 9 } }),
  [`POST ${WAITING}/{entryId}/withdrawal`]: waiting,
  [`POST ${WAITING}/{entryId}/acceptance`]: async (app) => ({
    ...(await offered(app)),
    follows: ['bookings.booking.create', 'bookings.booking_item.create'],
  }),
  [`POST ${BULK}`]: async (app) => {
    const { id } = await newCustomer(app);
    const body = { type: 'customers.tag', ids: [id], params: { add: ['regular'] }, dryRun: true };
    return { ...staff(app), body, subject: made('bulk_operation') };
  },
  [`POST ${BULK}/{id}/pause`]: async (app) => ofBulk(app, 'planned'),
  [`POST ${BULK}/{id}/resumption`]: async (app) => ofBulk(app, 'paused'),
  [`POST ${BULK}/{id}/cancellation`]: async (app) => ofBulk(app, 'paused'),
  [`POST ${BULK}/{id}/retries`]: async (app) => ofBulk(app, 'completed_with_failures'),
  [`POST ${IMPORTS}`]: async (app) =>
    Promise.resolve({ ...staff(app), body: { kind: 'customers', csv: CHECKED }, subject: made('import') }),
  [`POST ${IMPORTS}/{id}/execution`]: ofImport,
  [`DELETE ${IMPORTS}/{id}`]: ofImport,
  [`POST ${TASKS}`]: async (app) => ({ ...staff(app), body: { title: 'Call back' }, subject: made('task') }),
  [`PATCH ${TASKS}/{taskId}`]: async (app) => {
    const { id } = await newTask(app.as('owner'));
    return { ...staff(app), ...inside('task', id, { taskId: id }), body: { status: 'done' } };
  },
};
