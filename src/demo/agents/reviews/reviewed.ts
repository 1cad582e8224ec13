// The result of a review.
import type { JsonObject } from '../../../domain/json/json.js';

export interface Reviewed {
  readonly prose: string;
  readonly data: JsonObject;
}
