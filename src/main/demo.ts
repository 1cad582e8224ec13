// `countersign demo`.
import { EXIT, type CliIo, type DemoOptions } from '../cli/index.js';

export function demo(_options: DemoOptions, _io: CliIo): Promise<number> {
  return Promise.resolve(EXIT.ok);
}
