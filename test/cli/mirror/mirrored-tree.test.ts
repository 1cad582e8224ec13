// Edits of a mirrored tree's files while the mirror writes them: none is taken for what the mirror wrote.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MirroredTree } from '../../../src/cli/mirror/mirrored-tree.js';
import { DOCUMENT_FILE, TreeFolder, type FolderContent } from '../../../src/cli/mirror/tree-folder.js';
import { ENVELOPE } from '../../http/fake-host.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-mirror-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A folder whose files are edited right after they are written, or read. */
class EditedFolder extends TreeFolder {
  edit: () => void = () => undefined;
  onRead: () => void = () => undefined;

  override async write(document: string, meta: string): Promise<string> {
    const stamp = await super.write(document, meta);
    this.edit();
    return stamp;
  }

  override async read(): Promise<FolderContent> {
    const content = await super.read();
    this.onRead();
    return content;
  }
}

const write = (tree: MirroredTree) => tree.write(ENVELOPE, [], () => Promise.resolve(null));
const documentIn = (folder: TreeFolder) => readFileSync(join(folder.path, DOCUMENT_FILE), 'utf8');

it.each([
  ['changed', (path: string) => writeFileSync(join(path, DOCUMENT_FILE), '{"n": 2}')],
  ['removed', (path: string) => rmSync(path, { recursive: true })],
])('notices that the files were %s right after it wrote them', async (_, edit) => {
  const folder = new EditedFolder(join(dir, 'plan'));
  const tree = new MirroredTree(folder, ENVELOPE.state_id, ENVELOPE.root_session_id);
  folder.edit = () => edit(folder.path);
  await write(tree);
  expect(await tree.isUntouched()).toBe(false);
  folder.edit = () => undefined;
  expect((await write(tree)).edited).toContain(DOCUMENT_FILE);
  expect(JSON.parse(documentIn(folder))).toEqual(ENVELOPE.current_data);
  expect(await tree.isUntouched()).toBe(true);
  expect(await write(tree)).toEqual({ changed: false, edited: [] });
});

it('notices an edit right after it read that nothing is to be written', async () => {
  const path = join(dir, 'plan');
  await write(new MirroredTree(new TreeFolder(path), ENVELOPE.state_id, ENVELOPE.root_session_id));
  const folder = new EditedFolder(path);
  const again = new MirroredTree(folder, ENVELOPE.state_id, ENVELOPE.root_session_id);
  folder.onRead = () => writeFileSync(join(path, DOCUMENT_FILE), '{}');
  expect((await write(again)).changed).toBe(false);
  expect(await again.isUntouched()).toBe(false);
});
