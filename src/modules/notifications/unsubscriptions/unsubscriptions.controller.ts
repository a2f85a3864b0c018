import { OrganizationService } from '../../organization/index.js';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { Public } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathText } from '../../../platform/http/path-id.js';
import { answerPage, AnswersPages, AnyToken } from '../../../platform/http/html-page.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { FIELD, isOneClickForm, ONE_CLICK } from './one-click-form.js';
import { PAGE_LANGUAGES, pageLanguageOf, type PageState, unsubscriptionPage } from './unsubscription-page.js';
import { UNSUBSCRIPTIONS_PATH, UnsubscriptionsService } from './unsubscriptions.service.js';

const FORM = {
  type: 'object',
  required: [FIELD],
  description: 'The form of RFC 8058; other fields are ignored.',
  additionalProperties: true,
  properties: {
    [FIELD]: { type: 'string', enum: [ONE_CLICK], description: 'Confirms the request.', example: ONE_CLICK },
  },
};

/** An example token. Real ones contain a code, and only the recipient of a mail knows them. */
const TOKEN = {
  description: 'Token of the link. Copy it from the header `List-Unsubscribe` of a marketing mail.',
  maxLength: 51,
  example: 'Example'.padEnd(51, '0'),
};

@ApiGroup('Storefront')
@Controller(UNSUBSCRIPTIONS_PATH)
export class UnsubscriptionsController {
  constructor(
    private readonly unsubscriptions: UnsubscriptionsService,
    private readonly organization: OrganizationService,
  ) {}

  /**
   * Show the page of an unsubscription
   *
   * @remarks Marketing mails lead to this page. It has a button that ends them, and changes nothing by itself, because scanners open
   * links. It is in the language of the customer, or of the browser. An unknown token gets a page with status 404.
   */
  @ApiOperation({ operationId: 'unsubscriptions_get' })
  @Get(':token')
  @Public()
  @RateLimit('public-unsubscription')
  @AnswersPages(404)
  async show(
    @PathText('token', TOKEN, new AnyToken()) token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.page('question', { language: await this.unsubscriptions.findLanguage(token), request, response });
  }

  /**
   * Unsubscribe from marketing mails
   *
   * @remarks Mail programs send this request for their users (RFC 8058), and so does the button of the page. It withdraws the consent
   * `marketing_email` of the customer and suppresses marketing to the address. It needs no login, and repeating it changes nothing.
   * An unknown token gets a page with status 404.
   */
  @ApiOperation({ operationId: 'unsubscriptions_create' })
  @Post(':token')
  @HttpCode(200)
  @Public()
  @RateLimit('public-unsubscription')
  @AnswersPages(404)
  @ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data', 'application/json')
  @ApiBody({ required: true, schema: FORM })
  async unsubscribe(
    @PathText('token', TOKEN, new AnyToken()) token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const body: unknown = request.body;
    if (!(await isOneClickForm(body, request.headers['content-type'] ?? ''))) {
      throw invalidField(FIELD, `${FIELD} must be ${ONE_CLICK}`, 'unknown_value');
    }
    const language = await this.unsubscriptions.findLanguage(token);
    if (language !== undefined) await this.unsubscriptions.unsubscribe(token);
    return this.page('done', { language, request, response });
  }

  /** Renders the page in this language, or in the browser's if it is null. Undefined means an unknown token: the page has status 404. */
  private async page(
    state: PageState,
    { language, request, response }: { language: string | null | undefined; request: Request; response: Response },
  ): Promise<string> {
    const shown = pageLanguageOf(language ?? (request.acceptsLanguages(...PAGE_LANGUAGES) || 'en'));
    const options = { language: shown, company: await this.organization.displayName() };
    return answerPage(response, unsubscriptionPage(language === undefined ? 'notFound' : state, options));
  }
}
