import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type Subject, subjectTitleSql, type SubjectType } from '../subjects/subjects.js';
import type { ListTasks, TaskView } from './task.dto.js';
import { Task, type TaskSource } from './task.entity.js';

interface Names {
  subject_title: string | null;
  assignee_name: string | null;
}

/** The SQL of tasks. */
@Injectable()
export class TasksRepository {
  readonly rows: Rows<Task>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(Task);
  }

  /** Returns a page of tasks about records of these kinds and, unless the query names kinds, of tasks without a record. */
  async list(query: ListTasks, types: readonly SubjectType[]): Promise<{ views: TaskView[]; total: number }> {
    const { assigneeId, subjectType, subjectId, status, dueFrom, dueTo, source, sort = '-createdAt' } = query;
    const found = this.views();
    const without = subjectType === undefined ? 'task.subject_type is null or ' : '';
    found.andWhere(`(${without}task.subject_type = any(:types))`, { types });
    if (assigneeId !== undefined) found.andWhere('task.assignee_id = :assigneeId', { assigneeId });
    if (subjectId !== undefined) found.andWhere('task.subject_id = :subjectId', { subjectId });
    filterRows(found, 'task.status', status);
    filterRows(found, 'task.source', source);
    if (dueFrom !== undefined) found.andWhere('task.due_on >= :dueFrom', { dueFrom });
    if (dueTo !== undefined) found.andWhere('task.due_on <= :dueTo', { dueTo });
    sortRows(found, sort, { nulls: sort.endsWith('dueOn') ? 'NULLS LAST' : undefined });
    const { rows, total } = await this.database.page<Task, Names>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw)), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<TaskView> {
    const found = this.views().andWhere('task.id = :id', { id });
    const [row] = (await this.database.page<Task, Names>(found, { limit: 1, offset: 0 })).rows;
    if (!row) throw notFound();
    return viewOf(row.entity, row.raw);
  }

  /** Locks the task that was raised for a cause which lasts. */
  async lockRaised(source: TaskSource, dedupeKey: string): Promise<Task | null> {
    const [task] = await this.rows.read({
      name: 'task-lock-raised',
      text: `select ${this.rows.columns('task')} from tasks task
        where task.source = $1 and task.dedupe_key = $2 for update`,
      values: [source, dedupeKey],
    });
    return task ?? null;
  }

  async lockAllRaised(source: TaskSource, prefix: string): Promise<Task[]> {
    return this.rows.read({
      name: 'task-lock-all-raised',
      text: `select ${this.rows.columns('task')} from tasks task
        where task.source = $1 and task.dedupe_key is not null and starts_with(task.dedupe_key, $2) order by task.id for update`,
      values: [source, prefix],
    });
  }

  /** The user stays active until the transaction ends. Throws 404, and 422 if the user is not active. */
  async lockAssignee(id: string): Promise<void> {
    const [user] = await this.database.prepared<{ active: boolean }>(
      'task-lock-assignee',
      'select active from users where id = $1 for share',
      [id],
    );
    if (!user) throw notFound({ field: 'assigneeId' });
    if (user.active) return;
    throw unprocessable('assignee_inactive', 'The assignee is not active', { field: 'assigneeId' });
  }

  /** Moves the tasks about these records of a kind to another one. Returns them with their former records. */
  async move(
    { subjectType, subjectId }: Subject,
    formerIds: readonly string[],
  ): Promise<{ id: string; formerId: string }[]> {
    return this.database.query(
      `update tasks task set subject_id = $1, version = task.version + 1
       from (
         select id, subject_id from tasks where subject_type = $2 and subject_id = any($3) order by id for update
       ) as former
       where former.id = task.id
       returning task.id, former.subject_id as "formerId"`,
      [subjectId, subjectType, formerIds],
    );
  }

  /** Moves these tasks from a record of a kind back to others. */
  async moveBack(
    { subjectType, subjectId }: Subject,
    tasks: readonly { id: string; formerId: string }[],
  ): Promise<void> {
    await this.database.execute(
      `update tasks task set subject_id = moved.former_id, version = task.version + 1
       from unnest($3::text[], $4::text[]) as moved (id, former_id)
       where task.id = moved.id and task.subject_type = $1 and task.subject_id = $2`,
      [subjectType, subjectId, tasks.map(({ id }) => id), tasks.map(({ formerId }) => formerId)],
    );
  }

  private views() {
    return this.rows
      .query('task')
      .addSelect(subjectTitleSql('task'), 'subject_title')
      .addSelect('(select member.name from users member where member.id = task.assignee_id)', 'assignee_name');
  }
}

function viewOf(task: Task, { subject_title: subjectTitle, assignee_name: assigneeName }: Names): TaskView {
  return { task, subjectTitle, assigneeName };
}
