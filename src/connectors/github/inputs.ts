import { z } from 'zod';

const repository = z
  .string()
  .trim()
  .regex(/^[\w.-]+\/[\w.-]+$/, 'a repository is owner/name, such as octocat/hello-world')
  .meta({ title: 'Repository', description: 'As owner/name, such as octocat/hello-world.' });
const number = z.int().min(1).meta({ title: 'Number', description: 'The number after the #.' });
const limit = z.int().min(1).max(50).default(20).meta({ title: 'At most', description: 'How many to give.' });
const page = z.int().min(1).max(100).default(1).meta({ title: 'Page', description: 'Which page of them.' });
const state = z.enum(['open', 'closed', 'all']).default('open').meta({ title: 'State' });
const text = z.string().max(65_536);
const paging = { limit, page };
const branch = (title: string, description: string) =>
  z.string().trim().min(1).max(250).meta({ title, description });

export const inputs = {
  searchIssues: z.strictObject({
    query: z.string().trim().min(1).max(256).meta({
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
    query: z.string().trim().min(1).max(256).meta({
      title: 'Query',
      description: 'In GitHub’s search syntax, such as org:octo-org language:typescript.',
    }),
    ...paging,
  }),
  repository: z.strictObject({ repository }),
  mine: z.strictObject(paging),
  contents: z.strictObject({
    repository,
    path: z.string().max(1_000).default('').meta({
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
    title: z.string().trim().min(1).max(256).meta({ title: 'Title' }),
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
    body: text.min(1).meta({ title: 'Comment', description: 'In Markdown.' }),
  }),
  changes: z.strictObject({
    repository,
    head: branch('From', 'The branch with the changes; of a fork as owner:branch.'),
    base: branch('Into', 'Such as main.'),
  }),
  createPullRequest: z.strictObject({
    repository,
    title: z.string().trim().min(1).max(256).meta({ title: 'Title' }),
    head: branch('From', 'The branch with the changes; of a fork as owner:branch.'),
    base: branch('Into', 'Such as main.'),
    body: text.default('').meta({ title: 'Text', description: 'In Markdown.' }),
    draft: z.boolean().default(false).meta({ title: 'Draft' }),
  }),
};
