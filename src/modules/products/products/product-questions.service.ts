import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger, parentIn, Undoes } from '../../action-ledger/index.js';
import {
  CreateProductQuestion,
  type ListProductQuestions,
  questionChangesOf,
  UpdateProductQuestion,
} from './product-question.dto.js';
import { ProductQuestion, ProductQuestionVersion } from './product-question.entity.js';
import { ProductListener } from './product-listener.js';
import { partAfter, type ProductPart } from './product-part.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

const MAX_QUESTIONS = 50;

/** A question for other modules. */
export type AskedQuestion = Readonly<
  Pick<
    ProductQuestion,
    | 'id'
    | 'productId'
    | 'version'
    | 'scope'
    | 'type'
    | 'choices'
    | 'maxLength'
    | 'min'
    | 'max'
    | 'field'
    | 'sensitive'
    | 'healthData'
    | 'active'
  >
>;

/**
 * The questions of products. Each change locks the product, because questions refer to each other, and stores the new version, so
 * that an answer is read with the question that it answers.
 */
@Injectable()
export class ProductQuestionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ProductsRepository,
    private readonly products: ProductsService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Restores a deleted question under its id and with its next version, so that no entry before the deletion has it. */
  @Undoes('products.question.delete', {
    effect: 'products.question.create',
    values: async (entry) =>
      [
        parentIn(entry, 'productId'),
        await checkedAs(CreateProductQuestion, entry.before),
        { id: entry.subjectId, version: Number(entry.before?.['version']) + 1 },
      ] as const,
  })
  async create(
    productId: string,
    input: CreateProductQuestion,
    { id = newId('pqst'), version = 1 }: { id?: string; version?: number } = {},
  ): Promise<ProductQuestion> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const others = await this.repository.questionsOf(productId);
      if (others.length >= MAX_QUESTIONS) {
        const details = { limit: MAX_QUESTIONS };
        throw conflict('too_many_questions', `A product has at most ${MAX_QUESTIONS} questions`, details);
      }
      const { texts = [], choices = [] } = questionChangesOf(input);
      const question = make(ProductQuestion, {
        id,
        version,
        productId,
        scope: input.scope,
        type: input.type,
        label: input.label,
        help: input.help,
        texts,
        choices,
        required: input.required ?? false,
        dueDaysBefore: input.dueDaysBefore,
        maxLength: input.maxLength,
        min: input.min,
        max: input.max,
        showIf: input.showIf,
        field: input.field,
        sensitive: input.sensitive ?? false,
        healthData: input.healthData ?? false,
        position: input.position ?? (others.at(-1)?.position ?? 0) + 1,
        active: input.active ?? true,
        createdAt: this.clock.now(),
      });
      question.assertConsistent(others);
      await this.repository.questions.insert(question);
      await this.store(question);
      this.record('create', question, { before: null, after: question.auditImage() });
      this.products.publish(product);
      return question;
    });
  }

  async list(productId: string, query: ListProductQuestions): Promise<{ rows: ProductQuestion[]; total: number }> {
    const page = await this.repository.listQuestions(productId, query);
    if (page.total === 0) await this.products.get(productId);
    return page;
  }

  async get(productId: string, id: string): Promise<ProductQuestion> {
    return this.repository.getQuestion(productId, id);
  }

  /** Throws 409 if one of these questions has changed. None of them changes until the transaction ends. */
  async lock(questions: readonly AskedQuestion[]): Promise<void> {
    const versions = await this.repository.lockQuestions(questions.map(({ id }) => id));
    if (questions.every(({ id, version }) => versions.get(id) === version)) return;
    throw conflict('conflict', 'A question has changed meanwhile');
  }

  /** All questions of these products, those that are not asked any more too. */
  async listOf(productIds: readonly string[]): Promise<AskedQuestion[]> {
    const all: AskedQuestion[] = [];
    for (const productId of productIds) all.push(...(await this.repository.questionsOf(productId)));
    return all;
  }

  /**
   * Throws for a change after which another question would name one that it cannot name, and for one of `sensitive` or `healthData`
   * if there are answers: they stay as they were stored.
   */
  @Undoes('products.question.update', {
    effect: 'products.question.update',
    values: async (entry) => [partAfter(entry), await checkedAs(UpdateProductQuestion, entry.before)] as const,
  })
  async update({ productId, id, expected }: ProductPart, body: UpdateProductQuestion): Promise<ProductQuestion> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const question = await this.repository.getQuestion(productId, id);
      assertVersion(expected, question);
      const [before, { sensitive, healthData }] = [question.auditImage(), question];
      question.change(questionChangesOf(body), this.clock.now());
      const others = (await this.repository.questionsOf(productId)).filter((one) => one.id !== id);
      question.assertConsistent(others);
      for (const later of others.filter(({ showIf }) => showIf?.questionId === id)) {
        later.assertConsistent([...others, question]);
      }
      await this.repository.questions.update(question);
      // After the update, which waits for requests that store answers.
      if (question.sensitive !== sensitive || question.healthData !== healthData) {
        await this.listeners.call(ProductListener, (listener) => listener.protectionChanged?.(id));
      }
      await this.store(question);
      this.record('update', question, { before, after: question.auditImage() });
      this.products.publish(product);
      return question;
    });
  }

  @Undoes('products.question.create', { effect: 'products.question.delete', values: (entry) => [partAfter(entry)] })
  async delete({ productId, id, expected }: ProductPart): Promise<ProductQuestion> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const question = await this.repository.getQuestion(productId, id);
      assertVersion(expected, question);
      const others = await this.repository.questionsOf(productId);
      const questionIds = others.filter(({ showIf }) => showIf?.questionId === id).map((one) => one.id);
      if (questionIds.length > 0) {
        throw conflict('question_in_use', 'Other questions depend on its answer', { questionIds });
      }
      await this.repository.deleteQuestion(question);
      this.record('delete', question, { before: question.auditImage(), after: null });
      this.products.publish(product);
      return question;
    });
  }

  private async store(question: ProductQuestion): Promise<void> {
    const { id: questionId, version, updatedAt: createdAt } = question;
    const content = question.auditImage();
    await this.database.insert(make(ProductQuestionVersion, { questionId, version, content, createdAt }));
  }

  private record(
    verb: 'create' | 'update' | 'delete',
    { id }: ProductQuestion,
    images: { before: object | null; after: object | null },
  ): void {
    this.ledger.record(`products.question.${verb}`, { subjectType: 'product_question', subjectId: id, ...images });
  }
}
