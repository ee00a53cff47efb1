import { z } from 'zod';
import { clip } from '../service/api.ts';

/** Longest beginning of a text in a list, and longest text of a single thing, in characters. */
const LONGEST_LISTED = 500;
const LONGEST_BODY = 30_000;

// What GitHub answers, as far as it's read

const loginSchema = z
  .object({ login: z.string() })
  .nullish()
  .transform((user) => user?.login ?? null);
const bodySchema = z.string().nullish();
const labelsSchema = z
  .array(z.union([z.string(), z.object({ name: z.string().nullish() }).transform(({ name }) => name ?? '')]))
  .default([]);

const issueAnswer = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  user: loginSchema,
  labels: labelsSchema,
  assignees: z.array(loginSchema).nullish(),
  comments: z.number().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  body: bodySchema,
  pull_request: z.unknown().optional(),
});
const branchAnswer = z.object({ ref: z.string() });
const pullAnswer = issueAnswer.extend({
  head: branchAnswer,
  base: branchAnswer,
  draft: z.boolean().nullish(),
  merged: z.boolean().nullish(),
});
const repositoryAnswer = z.object({
  full_name: z.string(),
  description: z.string().nullish(),
  private: z.boolean(),
  html_url: z.string(),
  default_branch: z.string().nullish(),
  language: z.string().nullish(),
  stargazers_count: z.number().nullish(),
  open_issues_count: z.number().nullish(),
});
const entryAnswer = z.object({
  name: z.string(),
  path: z.string(),
  type: z.string(),
  size: z.number().nullish(),
});

const fileAnswer = z.object({
  filename: z.string(),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
});

export const answers = {
  account: z.object({ login: z.string() }),
  issue: issueAnswer,
  issues: z.array(issueAnswer),
  foundIssues: z.object({ total_count: z.number(), items: z.array(issueAnswer) }),
  pull: pullAnswer,
  pulls: z.array(pullAnswer),
  repository: repositoryAnswer,
  repositories: z.array(repositoryAnswer),
  foundRepositories: z.object({ total_count: z.number(), items: z.array(repositoryAnswer) }),
  comment: z.object({ id: z.number(), html_url: z.string() }),
  comments: z.array(z.object({ user: loginSchema, created_at: z.string().nullish(), body: bodySchema })),
  files: z.array(fileAnswer),
  changes: z.object({
    total_commits: z.number(),
    commits: z.array(z.object({ commit: z.object({ message: z.string() }) })),
    files: z.array(fileAnswer).default([]),
  }),
  contents: z.union([
    z.array(entryAnswer),
    entryAnswer.extend({ encoding: z.string().nullish(), content: z.string().nullish() }),
  ]),
};

// What tools give

const issueShape = {
  number: z.number(),
  title: z.string(),
  state: z.string(),
  url: z.string(),
  author: z.string().nullable(),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  comments: z.number().nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
  body: z.string(),
};
const issueOutput = z.object(issueShape);
const pullOutput = z.object({
  ...issueShape,
  from: z.string(),
  into: z.string(),
  draft: z.boolean(),
  merged: z.boolean().nullable(),
});
const repositoryOutput = z.object({
  repository: z.string(),
  description: z.string().nullable(),
  private: z.boolean(),
  url: z.string(),
  default_branch: z.string().nullable(),
  language: z.string().nullable(),
  stars: z.number().nullable(),
  open_issues: z.number().nullable(),
});
const commentOutput = z.object({
  author: z.string().nullable(),
  at: z.string().nullable(),
  body: z.string(),
});
const fileOutput = z.object({
  path: z.string(),
  change: z.string(),
  additions: z.number(),
  deletions: z.number(),
});
const entryOutput = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.string(),
  bytes: z.number().nullable(),
});

export const outputs = {
  foundIssues: z.object({ total: z.number(), issues: z.array(issueOutput) }),
  issues: z.object({ issues: z.array(issueOutput) }),
  issue: z.object({ issue: issueOutput, comments: z.array(commentOutput) }),
  pulls: z.object({ pull_requests: z.array(pullOutput) }),
  pull: z.object({
    pull_request: pullOutput,
    files: z.array(fileOutput),
    comments: z.array(commentOutput),
  }),
  changes: z.object({
    commits: z.number(),
    /** The first line of each, the newest last. */
    messages: z.array(z.string()),
    files: z.array(z.string()),
    additions: z.number(),
    deletions: z.number(),
    note: z.string().nullable(),
  }),
  foundRepositories: z.object({ total: z.number(), repositories: z.array(repositoryOutput) }),
  repositories: z.object({ repositories: z.array(repositoryOutput) }),
  repository: z.object({ repository: repositoryOutput }),
  name: z.object({
    repository: z.object({
      id: z.string(),
      name: z.string(),
      owner: z.string(),
      owner_is: z.enum(['the person', 'an organisation']),
    }),
  }),
  created: z.object({ repository: repositoryOutput }),
  contents: z.object({ entries: z.array(entryOutput) }),
  made: z.object({ number: z.number(), url: z.string() }),
  commented: z.object({ url: z.string() }),
};

// From the one to the other

/** @param most characters of its text */
export function toIssue(issue: z.output<typeof issueAnswer>, most = LONGEST_LISTED) {
  return {
    number: issue.number,
    title: issue.title,
    state: issue.state,
    url: issue.html_url,
    author: issue.user,
    labels: issue.labels.filter((label) => label !== ''),
    assignees: (issue.assignees ?? []).filter((login) => login !== null),
    comments: issue.comments ?? null,
    created_at: issue.created_at ?? null,
    updated_at: issue.updated_at ?? null,
    body: clip(issue.body ?? '', most),
  };
}

export function toPull(pull: z.output<typeof pullAnswer>, most = LONGEST_LISTED) {
  return {
    ...toIssue(pull, most),
    from: pull.head.ref,
    into: pull.base.ref,
    draft: pull.draft ?? false,
    merged: pull.merged ?? null,
  };
}

/** A single one, with all of its text that fits. */
export const toWholeIssue = (issue: z.output<typeof issueAnswer>) => toIssue(issue, LONGEST_BODY);
export const toWholePull = (pull: z.output<typeof pullAnswer>) => toPull(pull, LONGEST_BODY);

export function toRepository(found: z.output<typeof repositoryAnswer>) {
  return {
    repository: found.full_name,
    description: found.description ?? null,
    private: found.private,
    url: found.html_url,
    default_branch: found.default_branch ?? null,
    language: found.language ?? null,
    stars: found.stargazers_count ?? null,
    open_issues: found.open_issues_count ?? null,
  };
}

export function toComments(comments: z.output<typeof answers.comments>) {
  return comments.map(({ user, created_at: at, body }) => ({
    author: user,
    at: at ?? null,
    body: clip(body ?? '', LONGEST_BODY / 10),
  }));
}
