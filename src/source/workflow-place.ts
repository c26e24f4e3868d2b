/** Where workflows of a dialect are found, as data for the host, which knows no dialect. */
export interface WorkflowPlace {
  /** How the names of its files end. Of a file that is a workflow, what comes before the longest ending that fits is its name. */
  readonly endings: readonly string[];
  /** Folders of the project and of the user's home that are searched, instead of the common ones. */
  readonly folders?: readonly string[];
  /** A folder is one workflow. */
  readonly whole?: WholeFolder;
}

export interface WholeFolder {
  /** Files that make a folder a workflow, relative to it. The first one that exists is its main file. */
  readonly markers: readonly string[];
  /** Folders beside it whose files belong to it too, unless it has a folder of that name itself. */
  readonly beside?: readonly string[];
  /** Files of the workspace that belong to every such workflow, wherever it is. */
  readonly workspaceFiles?: readonly string[];
}
