// The folder of a mirror: which tree has which folder in it. Never writes into a folder of somebody else.
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { MirroredTree, type FoundMeta } from './mirrored-tree.js';
import { folderNames, nameKey, safeName } from './names.js';
import { parseEditedMeta, type MirroredState } from './texts.js';
import { TreeFolder } from './tree-folder.js';

type NamedState = Pick<MirroredState, 'state_id' | 'root_session_id' | 'root_session_name'>;

export class MirrorFolder {
  readonly #trees = new Map<string, MirroredTree>();
  /** By the key of its name: the state that has a folder. */
  readonly #owners = new Map<string, string>();
  /** The states that are given a folder, one after the other: a name is taken once its tree has been added. */
  #taking: Promise<unknown> = Promise.resolve();

  private constructor(readonly path: string) {}

  /** Opens the folder, creates it if needed, and finds the trees that an earlier mirror wrote. */
  static async open(dir: string): Promise<MirrorFolder> {
    const folder = new MirrorFolder(path.resolve(dir));
    await mkdir(folder.path, { recursive: true, mode: 0o700 });
    await folder.#find();
    return folder;
  }

  get trees(): ReadonlyMap<string, MirroredTree> {
    return this.#trees;
  }

  /** The trees whose folder has the name that a root session gives it, also those of earlier sessions of that name. */
  treesNamed(rootName: string): readonly MirroredTree[] {
    return [...this.#trees.values()].filter(({ folder, stateId }) =>
      folderNames(rootName, stateId).includes(path.basename(folder.path)),
    );
  }

  /** The tree of a state. A state without one gets a folder. */
  async treeOf(state: NamedState): Promise<MirroredTree> {
    const known = this.#trees.get(state.state_id);
    if (known !== undefined) return known;
    const tree = this.#taking.then(() => this.#trees.get(state.state_id) ?? this.#openTree(state));
    this.#taking = tree.catch(() => undefined);
    return tree;
  }

  async #openTree(state: NamedState): Promise<MirroredTree> {
    for (const name of folderNames(state.root_session_name, state.state_id)) {
      const folder = this.#folder(name);
      if (this.#owners.has(nameKey(name)) || !(await folder.isFree())) continue;
      const owner = await metaIn(folder);
      if (owner !== null && owner.meta.state_id !== state.state_id) continue;
      return this.#add(new MirroredTree(folder, state.state_id, state.root_session_id, owner));
    }
    throw new Error(`every folder name for ${state.root_session_name} in ${this.path} is taken`);
  }

  /** Adds the tree of an earlier mirror whose folder is gone. */
  adopt(name: string, text: string): void {
    const meta = parseEditedMeta(text);
    if (meta === null || this.#trees.has(meta.state_id) || this.#owners.has(nameKey(name))) return;
    if (safeName(name) !== name) return;
    this.#add(new MirroredTree(this.#folder(name), meta.state_id, meta.root_session_id, { text, meta }));
  }

  /** Removes the files of a state that is gone. @returns Its folder; `null` if it had none. */
  async remove(stateId: string): Promise<string | null> {
    const tree = this.#trees.get(stateId);
    if (tree === undefined) return null;
    await tree.folder.remove();
    this.#trees.delete(stateId);
    this.#owners.delete(nameKey(path.basename(tree.folder.path)));
    return tree.folder.path;
  }

  /** Of two folders of one state, such as a copy, the one with the shorter name counts. */
  async #find(): Promise<void> {
    const entries = await readdir(this.path, { withFileTypes: true });
    const names = entries.filter((one) => one.isDirectory()).map((one) => one.name);
    for (const name of names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
      const folder = this.#folder(name);
      const found = await metaIn(folder);
      if (found === null || this.#trees.has(found.meta.state_id)) continue;
      this.#add(new MirroredTree(folder, found.meta.state_id, found.meta.root_session_id, found));
    }
  }

  #add(tree: MirroredTree): MirroredTree {
    this.#trees.set(tree.stateId, tree);
    this.#owners.set(nameKey(path.basename(tree.folder.path)), tree.stateId);
    return tree;
  }

  #folder(name: string): TreeFolder {
    return new TreeFolder(path.join(this.path, name));
  }
}

async function metaIn(folder: TreeFolder): Promise<FoundMeta | null> {
  const { meta: complete, begunMeta } = await folder.readMeta();
  const text = complete ?? begunMeta;
  const meta = text === null ? null : parseEditedMeta(text);
  return text === null || meta === null ? null : { text, meta };
}
