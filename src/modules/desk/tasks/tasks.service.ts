import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger, type RecordedAction, Undoes, versionAfter } from '../../action-ledger/index.js';
import { assertReadable, assertWritable, listedTypes, type Subject } from '../subjects/subjects.js';
import { SubjectsRepository } from '../subjects/subjects.repository.js';
import { type CreateTask, type ListTasks, type TaskView, UpdateTask } from './task.dto.js';
import { Task, type TaskSource } from './task.entity.js';
import { TasksRepository } from './tasks.repository.js';

/** A cause that staff have to deal with. */
interface Cause {
  source: Exclude<TaskSource, 'staff'>;
  /** Identifies the cause within its source. */
  dedupeKey: string;
  title: string;
  dueOn: string | null;
  subject: Subject | null;
}

/** Tasks of staff, and tasks that the service raises and closes itself. A task about a record needs the scope of the record. */
@Injectable()
export class TasksService {
  constructor(
    private readonly database: Database,
    private readonly repository: TasksRepository,
    private readonly subjects: SubjectsRepository,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async create({ subjectType, subjectId, ...input }: CreateTask, id = newId('task')): Promise<TaskView> {
    const subject = completeSubject(subjectType, subjectId);
    if (subject) assertWritable(subject.subjectType);
    const createdBy = currentActor().principal;
    const fixed = { id, status: 'open', source: 'staff', createdBy, createdAt: this.clock.now() } as const;
    const task = make(Task, { ...input, ...subject, ...fixed });
    return this.database.transaction(async () => {
      if (subject) await this.subjects.lock(subject);
      if (task.assigneeId !== null) await this.repository.lockAssignee(task.assigneeId);
      await this.repository.rows.insert(task);
      this.record('create', task, null);
      return this.repository.get(id);
    });
  }

  async list(query: ListTasks): Promise<{ views: TaskView[]; total: number }> {
    return this.repository.list(query, listedTypes(query.subjectType));
  }

  async get(id: string): Promise<TaskView> {
    const view = await this.repository.get(id);
    if (view.task.subjectType !== null) assertReadable(view.task.subjectType);
    return view;
  }

  /** Also reverses an update, and dismisses a task whose creation is reversed. */
  @Undoes(['desk.task.update', 'desk.task.create'], {
    effect: 'desk.task.update',
    values: async (entry) => [entry.subjectId, await formerState(entry), versionAfter(entry)] as const,
  })
  async update(id: string, changes: UpdateTask, expected: ExpectedVersions): Promise<TaskView> {
    return this.database.transaction(async () => {
      const task = await this.repository.rows.lock(id);
      if (task.subjectType !== null) assertWritable(task.subjectType);
      assertVersion(expected, task);
      const [before, { assigneeId }] = [task.auditImage(), task];
      task.change(changes, this.clock.now());
      if (task.assigneeId !== null && task.assigneeId !== assigneeId) {
        await this.repository.lockAssignee(task.assigneeId);
      }
      await this.repository.rows.update(task);
      this.record('update', task, before);
      return this.repository.get(id);
    });
  }

  /** Adds a task for a cause, unless there is one. Call it in the transaction in which the cause begins. */
  async raise({ subject, ...cause }: Cause): Promise<void> {
    const fixed = { status: 'open', createdBy: currentActor().principal, createdAt: this.clock.now() } as const;
    const task = make(Task, { ...cause, ...subject, id: newId('task'), ...fixed });
    if (await this.repository.rows.insertUnlessTaken(task)) this.record('raise', task, null);
  }

  /** The cause has ended, so its task is done, if it is still open. Call it in the transaction in which the cause ends. */
  async close({ source, dedupeKey }: Pick<Cause, 'source' | 'dedupeKey'>): Promise<void> {
    const task = await this.repository.lockRaised(source, dedupeKey);
    if (task) await this.endCauseOf(task);
  }

  /** Like `close`, for all tasks of the source whose key begins with this prefix. */
  async closeAll({ source, prefix }: Pick<Cause, 'source'> & { prefix: string }): Promise<void> {
    for (const task of await this.repository.lockAllRaised(source, prefix)) await this.endCauseOf(task);
  }

  private async endCauseOf(task: Task): Promise<void> {
    const before = task.auditImage();
    task.endCause(this.clock.now());
    await this.repository.rows.update(task);
    this.record('close', task, before);
  }

  /** Moves the tasks about merged records to the record that replaces them. */
  async move(to: Subject, formerIds: readonly string[]): Promise<{ id: string; formerId: string }[]> {
    return this.repository.move(to, formerIds);
  }

  async moveBack(from: Subject, tasks: readonly { id: string; formerId: string }[]): Promise<void> {
    await this.repository.moveBack(from, tasks);
  }

  private record(verb: 'create' | 'update' | 'raise' | 'close', task: Task, before: object | null): void {
    const subject = { subjectType: 'task', subjectId: task.id };
    this.ledger.record(`desk.task.${verb}`, { ...subject, before, after: task.auditImage() });
  }
}

/** Throws 400 if only one of both is sent. */
function completeSubject(
  subjectType: CreateTask['subjectType'],
  subjectId: CreateTask['subjectId'],
): Subject | undefined {
  if (subjectType !== undefined && subjectId !== undefined) return { subjectType, subjectId };
  if (subjectType === undefined && subjectId === undefined) return undefined;
  const missing = subjectType === undefined ? 'subjectType' : 'subjectId';
  throw invalidField(missing, 'subjectType and subjectId require each other', 'required');
}

function formerState({ before }: RecordedAction): Promise<UpdateTask> {
  return checkedAs(UpdateTask, before ?? { status: 'dismissed' });
}
