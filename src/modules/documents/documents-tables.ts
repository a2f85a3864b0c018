import { declareTables, DELETE } from '../../platform/database/table-declarations.js';

declareTables({ attachment_contents: { rights: DELETE } });
