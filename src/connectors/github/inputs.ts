import { z } from 'zod';

const repository = z
  .string()
  .trim()
  .regex(/^[\w.-]+\/[\w.-]+$/, 'is not owner/name, such as octocat/hello-world')
  .refine(staysBelow, 'is not owner/name, such as octocat/hello-world')
  .meta({ title: 'Repository', description: 'As owner/name, such as octocat/hello-world.' });
const number = z.int().min(1).meta({ title: 'Number', description: 'The number after the #.' });
const limit = z.int().min(1).max(50).default(20).meta({ title: 'At most', description: 'How many to give.' });
const page = z.int().min(1).max(100).default(1).meta({ title: 'Page', description: 'Which page of them.' });
const state = z.enum(['open', 'closed', 'all']).default('open').meta({ title: 'State' });
const text = z.string().max(65_536);
const paging = { limit, page };
const line = (most: number) => z.string().trim().min(1, 'is blank').max(most);
const comment = text.min(1).refine(hasText, 'is blank');
const branch = (title: string, description: string) =>
  line(250).refine(isBranch, 'is no name of a branch').meta({ title, description });
const head = branch('From', 'The branch with the changes; of a fork as owner:branch.');
const base = branch('Into', 'Such as main.');
/** What GitHub makes other names into, it isn't left to: people are asked about the name that it will have. */
const repositoryName = z
  .string()
  .trim()
  .regex(/^[\w.-]{1,100}$/, 'is not 1 to 100 letters, digits, dots, hyphens and underscores')
  .refine(isRepositoryName, 'is a name that GitHub doesn’t give: . and .., or one that ends in .git or .wiki')
  .meta({ title: 'Name', description: 'Letters, digits, dots, hyphens and underscores.' });
const owner = z
  .string()
  .trim()
  .regex(/^[A-Za-z\d](?:[A-Za-z\d_-]{0,98}[A-Za-z\d])?$/, 'is no name of an organisation such as octo-org')
  .optional()
  .meta({ title: 'Owner', description: 'An organisation; the person’s own account unless given.' });

export const inputs = {
  searchIssues: z.strictObject({
    query: line(256).meta({
      title: 'Query',
      description: 'In GitHub’s search syntax, such as repo:octocat/hello-world assignee:@me crash.',
    }),
    kind: z.enum(['issue', 'pull_request']).default('issue').meta({
      title: 'Kind',
      description: 'Issues or pull requests; GitHub searches one of them at a time.',
    }),
    ...paging,
  }),
  listIssues: z.strictObject({
    repository,
    state,
    labels: z
      .array(z.string().min(1))
      .max(20)
      .optional()
      .meta({ title: 'Labels', description: 'All of these.' }),
    ...paging,
  }),
  one: z.strictObject({ repository, number }),
  listPullRequests: z.strictObject({ repository, state, ...paging }),
  searchRepositories: z.strictObject({
    query: line(256).meta({
      title: 'Query',
      description: 'In GitHub’s search syntax, such as org:octo-org language:typescript.',
    }),
    ...paging,
  }),
  repository: z.strictObject({ repository }),
  mine: z.strictObject(paging),
  contents: z.strictObject({
    repository,
    path: z.string().max(1_000).default('').refine(staysBelow, 'has . or .. in it').meta({
      title: 'Path',
      description: 'A file or a folder; the top of the repository if empty.',
    }),
    ref: z.string().min(1).max(250).optional().meta({
      title: 'Branch',
      description: 'A branch, tag or commit; the default branch unless given.',
    }),
  }),
  createIssue: z.strictObject({
    repository,
    title: line(256).meta({ title: 'Title' }),
    body: text.default('').meta({ title: 'Text', description: 'In Markdown.' }),
    labels: z.array(z.string().min(1)).max(20).optional().meta({ title: 'Labels' }),
    assignees: z
      .array(z.string().min(1))
      .max(10)
      .optional()
      .meta({ title: 'Assignees', description: 'Their names at GitHub.' }),
  }),
  addComment: z.strictObject({
    repository,
    number,
    body: comment.meta({ title: 'Comment', description: 'In Markdown.' }),
  }),
  changes: z.strictObject({ repository, head, base }).superRefine(checkBranches),
  createPullRequest: z
    .strictObject({
      repository,
      title: line(256).meta({ title: 'Title' }),
      head,
      base,
      body: text.default('').meta({ title: 'Text', description: 'In Markdown.' }),
      draft: z.boolean().default(false).meta({ title: 'Draft' }),
    })
    .superRefine(checkBranches),
  checkName: z.strictObject({ owner, name: repositoryName }),
  createRepository: z.strictObject({
    owner,
    name: repositoryName,
    visibility: z.enum(['private', 'public']).default('private').meta({
      title: 'Visibility',
      description: 'public: everybody can read it.',
    }),
    description: z
      .string()
      .trim()
      .max(350)
      .regex(/^\P{Cc}*$/u, 'is more than one line')
      .default('')
      .meta({ title: 'Description' }),
    readme: z.boolean().default(true).meta({
      title: 'README',
      description: 'Whether it begins with one, and so with a branch; without, it is empty.',
    }),
  }),
};

/** Whether no part of a path goes up, or stays where it is. */
function staysBelow(path: string): boolean {
  return path.split('/').every((part) => !/^\.{1,2}$/.test(part.trim()));
}

function hasText(text: string): boolean {
  return text.trim() !== '';
}

/**
 * Whether git has branches of this name, in a fork as `owner:branch`.
 * @see https://git-scm.com/docs/git-check-ref-format
 */
function isBranch(name: string): boolean {
  const branch = name.replace(/^[\w-]+:/, '');
  const parts = branch.split('/');
  return (
    !/[\s\p{Cc}~^:?*[\\]|\.\.|@\{/u.test(branch) &&
    !/^[@-]$|^-|\.$/.test(branch) &&
    parts.every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  );
}

/** @see https://github.com/github/docs/issues/44518, of which GitHub's documentation has the characters and the length. */
function isRepositoryName(name: string): boolean {
  return staysBelow(name) && !/\.(?:git|wiki)$/i.test(name);
}

function checkBranches(
  { head: from, base: into }: { readonly head: string; readonly base: string },
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  if (from !== into) return;
  context.addIssue({ code: 'custom', path: ['head'], message: 'is the branch that it goes into' });
}
