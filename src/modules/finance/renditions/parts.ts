import { RenditionDemo } from './demo.js';
import { RenditionClaims } from './rendition-claims.service.js';
import { RenditionDownloads } from './rendition-downloads.service.js';
import { RenditionWorker } from './rendition-worker.service.js';
import { RenditionsController } from './renditions.controller.js';
import { Renditions } from './renditions.service.js';

/** What the finance module is given of this folder. */
export const renditionControllers = [RenditionsController];
export const renditionProviders = [Renditions, RenditionClaims, RenditionWorker, RenditionDownloads, RenditionDemo];
