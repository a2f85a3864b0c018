import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { CreateTask, ListTasks, TaskEnvelope, TaskPage, toTask, UpdateTask } from './task.dto.js';
import { TasksService } from './tasks.service.js';

const PATH = '/v1/admin/tasks';

@ApiGroup('Notes and tasks')
@Controller(PATH)
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  /**
   * Create a task
   *
   * @remarks Adds an open task, with or without a record that it is about. A task about a record also needs the scope to change
   * such a record: `customers:write`, `bookings:write`, `operations:write` or `finance:write`. Rejected for a customer that was
   * merged or erased, and if the assignee is not an active user.
   */
  @Post()
  @RequireScope('desk:write')
  @Mutates('desk.task.create')
  @Refuses({ 404: ['not_found'], 409: ['customer_merged', 'customer_erased'], 422: ['assignee_inactive'] })
  async create(@Body() body: CreateTask): Promise<TaskEnvelope> {
    const view = await this.tasks.create(body);
    return created(`${PATH}/${view.task.id}`, view.task, { data: toTask(view) });
  }

  /**
   * List tasks
   *
   * @remarks Returns a page of tasks, newest first unless `sort` is given. Tasks about records that the caller may not read are
   * left out; a `subjectType` that the caller may not read is rejected. The scopes are `customers:read`, `bookings:read`,
   * `operations:read` and `finance:receivables`.
   */
  @Get()
  @RequireScope('desk:read')
  async list(@Query() query: ListTasks): Promise<TaskPage> {
    const { views, total } = await this.tasks.list(query);
    return { data: views.map(toTask), total, ...pageBounds(query) };
  }

  /**
   * Get a task
   *
   * @remarks A task about a record also needs the scope to read such a record.
   */
  @Get(':taskId')
  @RequireScope('desk:read')
  @ComputedNow()
  async get(@PathId('task', 'taskId') id: string): Promise<TaskEnvelope> {
    const view = await this.tasks.get(id);
    return tagged(view.task, { data: toTask(view) });
  }

  /**
   * Update a task
   *
   * @remarks Changes only the fields that are sent. A new assignee must be an active user. A task that the service has raised can be
   * closed too; it is not raised again before its cause has ended. A task about a record also needs the scope to change such a record.
   */
  @Patch(':taskId')
  @RequireScope('desk:write')
  @Mutates('desk.task.update')
  @BodyExample({ status: 'done' })
  @Refuses({ 404: ['not_found'], 422: ['assignee_inactive'] })
  async update(
    @PathId('task', 'taskId', 2) id: string,
    @Body() body: UpdateTask,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TaskEnvelope> {
    const view = await this.tasks.update(id, body, expected);
    return tagged(view.task, { data: toTask(view) });
  }
}
