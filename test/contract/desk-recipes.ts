import { makeBooking } from '../bookings/bookings.js';
import { newNote, NOTES } from '../desk/notes.js';
import { newTask, TASKS } from '../desk/tasks.js';
import type { TestApp } from '../setup/app.js';
import { inside, made, type Recipe, staff } from './recipe.js';

async function subject(app: TestApp): Promise<object> {
  return { subjectType: 'booking', subjectId: (await makeBooking(app.as('owner'))).id };
}

const noted = async (app: TestApp) => {
  const { id } = await newNote(app.as('owner'), await subject(app));
  return { ...staff(app), ...inside('note', id, { noteId: id }) };
};

export const deskRecipes: Record<string, Recipe> = {
  [`POST ${NOTES}`]: async (app) => ({
    ...staff(app),
    body: { ...(await subject(app)), text: 'Arrives late' },
    subject: made('note'),
  }),
  [`PATCH ${NOTES}/{noteId}`]: async (app) => ({ ...(await noted(app)), body: { text: 'Changed' } }),
  [`DELETE ${NOTES}/{noteId}`]: noted,
  [`POST ${TASKS}`]: async (app) => ({ ...staff(app), body: { title: 'Call back' }, subject: made('task') }),
  [`PATCH ${TASKS}/{taskId}`]: async (app) => {
    const { id } = await newTask(app.as('owner'));
    return { ...staff(app), ...inside('task', id, { taskId: id }), body: { status: 'done' } };
  },
};
