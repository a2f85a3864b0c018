import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateProductQuestion,
  ListProductQuestions,
  ProductQuestionEnvelope,
  ProductQuestionPage,
  toProductQuestion,
  UpdateProductQuestion,
} from './product-question.dto.js';
import { ProductQuestionsService } from './product-questions.service.js';
import { ProductPathId } from './product-path.js';

const PRODUCTS = '/v1/admin/products';

@ApiGroup('Products')
@Controller(`${PRODUCTS}/:productId/questions`)
export class ProductQuestionsController {
  constructor(private readonly questions: ProductQuestionsService) {}

  /**
   * Create a question of a product
   *
   * @remarks Adds a question at the end of the list, or at `position`. A question with `showIf` is asked only
   * if an earlier one has that answer; one with `field` is answered by that member of the traveler.
   */
  @Post()
  @RequireScope('products:write')
  @Mutates('products.question.create')
  @BodyExample({
    scope: 'traveler',
    type: 'integer',
    label: 'Shoe size',
    required: true,
    dueDaysBefore: 14,
    min: 20,
    max: 50,
  })
  @Refuses({ 404: ['not_found'], 409: ['too_many_questions', 'product_archived'] })
  async create(
    @ProductPathId() productId: string,
    @Body() body: CreateProductQuestion,
  ): Promise<ProductQuestionEnvelope> {
    const question = await this.questions.create(productId, body);
    return created(`${PRODUCTS}/${productId}/questions/${question.id}`, question, {
      data: toProductQuestion(question),
    });
  }

  /**
   * List the questions of a product
   *
   * @remarks Returns a page of questions by position unless `sort` is given.
   */
  @Get()
  @RequireScope('products:read')
  async list(@ProductPathId() productId: string, @Query() query: ListProductQuestions): Promise<ProductQuestionPage> {
    const { rows, total } = await this.questions.list(productId, query);
    return { data: rows.map(toProductQuestion), total, ...pageBounds(query) };
  }

  /**
   * Get a question of a product
   *
   * @remarks Returns the question.
   */
  @Get(':questionId')
  @RequireScope('products:read')
  async get(
    @ProductPathId() productId: string,
    @PathId('pqst', 'questionId') id: string,
  ): Promise<ProductQuestionEnvelope> {
    const question = await this.questions.get(productId, id);
    return tagged(question, { data: toProductQuestion(question) });
  }

  /**
   * Update a question of a product
   *
   * @remarks Changes only the fields that are sent, as a new version. Answers keep the version that they answer. A change of
   * `sensitive` or `healthData` is rejected once bookings have answers.
   */
  @Patch(':questionId')
  @RequireScope('products:write')
  @Mutates('products.question.update')
  @BodyExample({ active: false })
  @Refuses({ 404: ['not_found'], 409: ['question_in_use', 'product_archived'] })
  async update(
    @ProductPathId() productId: string,
    @PathId('pqst', 'questionId', 2) id: string,
    @Body() body: UpdateProductQuestion,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ProductQuestionEnvelope> {
    const question = await this.questions.update({ productId, id, expected }, body);
    return tagged(question, { data: toProductQuestion(question) });
  }

  /**
   * Delete a question of a product
   *
   * @remarks Returns the deleted question. Rejected while another question depends on its answer, and once bookings
   * have answers to it: make it inactive.
   */
  @Delete(':questionId')
  @RequireScope('products:delete')
  @Mutates('products.question.delete')
  @Refuses({ 409: ['question_in_use', 'product_archived'] })
  async delete(
    @ProductPathId() productId: string,
    @PathId('pqst', 'questionId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ProductQuestionEnvelope> {
    const question = await this.questions.delete({ productId, id, expected });
    return tagged(question, { data: toProductQuestion(question) });
  }
}
